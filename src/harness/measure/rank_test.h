// Whether one list of times is longer than another, decided by the order of the times alone.
#pragma once

#include <vector>

#include "measure/timing.h"

/// What the test of Mann and Whitney says of two samples.
struct RankTest {
  /// Two-sided: the probability that samples of the same distribution differ at least so much.
  double p = 1;
  /// Above 0 if the values of B tend to be greater, below 0 if those of A do.
  double shift = 0;
  bool extreme = false;  ///< all values of one sample are greater than all of the other
};

/// Ranks all values of two samples, neither of them empty. Equal values share the mean of their
/// ranks. p is exact for small samples, for example for up to 40 values each, and that of the
/// normal distribution with corrections for ties and continuity for others.
RankTest rankTest(const std::vector<double>& a, const std::vector<double>& b);

/// Ascending times that the calls of a timing may have had, of which only minimum, quartiles and
/// maximum are known: the longest ones that fit these, or the shortest ones. If the quartiles are
/// 0, they are not known. Calls with the same time differ by some billionths.
std::vector<double> longestCalls(const Timing& timing);
std::vector<double> shortestCalls(const Timing& timing);
