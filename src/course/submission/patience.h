// How long a submission may hold up this program where no call's time counts.
#pragma once

#include <algorithm>

/// What a submission took from this program outside its calls. All workers of the submission share
/// it: if each worker had its own, a submission could have its worker ended, and begin anew.
///
/// The wall clock alone would be unfair: generating graphs, computing the expected distances and
/// comparing take long on a slow machine, or on one that others use, too. Therefore a second
/// between two calls counts only if this program did not compute in it, and if the submission did.
struct Patience {
  const double limit;   ///< seconds; each of the two below may reach it
  double waited = 0;    ///< for the submission's answers
  double hindered = 0;  ///< from computing, because the submission computed between two calls
  bool loaded = false;  ///< a worker has loaded the submission; the first time does not count

  double left() const { return std::max(0.0, limit - waited); }

  /// Between two calls so many seconds passed. ours: the CPU time of the thread of this program
  /// that calls. theirs: that of the worker.
  void passed(double seconds, double ours, double theirs) {
    hindered += std::max(0.0, std::min(seconds - ours, theirs));
  }
};
