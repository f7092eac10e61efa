// The times of one solver at every size of a grading.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check/warnings.h"
#include "device/device.h"
#include "measure/record.h"
#include "measure/timing.h"
#include "solver/solver.h"
#include "submission/calibration.h"

/// The solver that computes the expected distances.
inline constexpr char kVerified[] = "apsp";

/// The time of one solver at one size. All times are milliseconds.
struct SizeTimes {
  int n = 0;
  Timing timing;
  double naive = 0;                       ///< median of `ref` at this size; the caller fills it in
  std::vector<std::uint64_t> seeds = {};  ///< one, from which those of all calls follow
  double cost = 0;          ///< of the protocol, already subtracted from the times of all calls
  double events = 0;        ///< the median by the worker's own clock, which can be forged
  bool disturbed = false;   ///< something else used the machine, or the calls differ too much
  std::string causes = "";  ///< of the disturbance, "load+spread"; "" without one
  std::string doubt = "";   ///< why this time is refused; "" if it counts
  std::string verified = kVerified;  ///< what verified the distances, "dijkstra:16"
  std::string hash = "";             ///< of the graph of the last call; "" if not known

  /// The distance of the quartiles in percent of the median.
  double spread() const {
    return timing.median > 0 ? 100 * (timing.q3 - timing.q1) / timing.median : 0;
  }
  /// That over `ref`; 0 if one of the times is not known.
  double speedup() const { return timing.median > 0 ? naive / timing.median : 0; }
};

/// What timing a solver at all sizes found.
struct SolverTimes {
  std::vector<SizeTimes> sizes;  ///< ascending; those before the first fault
  std::string verdict = "";      ///< "wrong", or the kind of fault, "crashed"; "" if all is right
  std::string reason = "";       ///< what went wrong, one line; "" if all is right
  Warnings warnings = {};        ///< of all calls
  double seconds = 0;            ///< that it took, with everything around the calls
};

/// Milliseconds of a call from which on two calls that agree are enough, without a warm-up call
/// (needNoWarmup()). The rank depends on the times at the largest size, and the speedups of all
/// depend on those of `ours`, the solvers of this program: there it takes longer calls.
double longCallAt(int n, int largest, bool ours);

/// Of several timings of a solver, the one that counts at each size: one without a doubt if there
/// is any, of these one that was not disturbed if there is any, and of these the fastest, because
/// what disturbs a call only makes it longer.
std::vector<SizeTimes> countingTimes(const std::vector<SolverTimes>& timings);

/// Whether one of these times was disturbed.
bool anyDisturbed(const std::vector<SizeTimes>& sizes);

/// Times solvers one after the other, each on graphs of its own that nobody saw before: of the
/// family kTimedFamily, with seeds that follow from a drawn one. All of them run in workers,
/// solvers of this program, too, and are timed in the same way.
class SolverTimer {
 public:
  /// sizes: numbers of vertices, ascending. seed: for all solvers, to repeat what one got
  /// at an earlier time; 0: each gets one that is drawn. Nothing is solved yet. Keeps a reference
  /// to the device.
  SolverTimer(const Device& device, std::vector<int> sizes, const MeasureOptions& options,
              std::uint64_t seed = 0);

  /// Times the solver at each size until a result is wrong or a call fails. After them it solves
  /// one graph of a random size, untimed, because it might be right at well-known sizes only. The
  /// result of each call is compared with that of `apsp` in full, which Dijkstra's algorithm
  /// verifies. That algorithm alone verifies `apsp`, in some rows of its last result at each size.
  /// Throws Error(kMemory) if there is no room to time it.
  SolverTimes time(const Solver& solver);

 private:
  Record run(const Solver& solver, int n, const MeasureOptions& options, std::uint64_t seed) const;

  const Device& device_;
  const std::vector<int> sizes_;
  MeasureOptions options_;
  const std::uint64_t seed_;
  const std::shared_ptr<Calibration> calibration_;  // kept, because it takes time
};
