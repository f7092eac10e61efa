// Of each source the distances that are small: those up to a limit, or the nearest few.
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "search/near_paths.h"
#include "solver/solver.h"
#include "solver/sparse_rows.h"

namespace engine {

/// What is asked of each source. The source itself is never in its own row.
struct Nearness {
  double limit = std::numeric_limits<double>::infinity();  ///< the largest distance that counts
  std::optional<int> nearest = {};  ///< how many targets, 0 or more; nothing: all up to the limit
  bool paths = false;               ///< whether NearRows::paths is wanted
};

/// How near rows were found.
enum class NearBy {
  kSearch,     ///< a search from each source, which ends early
  kBackwards,  ///< one search from all targets together, against the edges
  kSweep,      ///< sweeps over the sparse method's hierarchy, which leave out what is too far
  kWhole,      ///< all rows, of which the small distances are kept
};
const char* nameOf(NearBy by);

struct NearRows {
  std::unique_ptr<SparseRows> rows;  ///< ascending columns; of the nearest, ascending distances
  NearBy by = NearBy::kSearch;
  DeviceKind device = DeviceKind::kCpu;  ///< that found them
  NearPaths paths = nullptr;             ///< of the rows, which must stay; null unless wanted
  double milliseconds = 0;
};

/// Where rows are found.
enum class NearPlace {
  kCpu,     ///< on the CPU, unless a test says by which way
  kEither,  ///< on the CPU, or on a GPU if that is expected to take less time for the same bits
  kThere,   ///< on where's device
};

/// Answers for the sources and targets of the problem, whose columns are counted as in its tables.
/// Of targets that are equally far, those of the smaller columns are the nearer ones. The CPU works
/// with where's number of threads. whole: a solver for where's device. by: as the fastest is
/// expected, unless a test says it. No weight is below 0. Throws Error(kUsage) if the limit is
/// negative or no number, if `nearest` is negative or above the number of targets, or if a target
/// comes twice; RangeError if a distance reaches the infinity of its type; Error(kMemory),
/// Error(kGpu).
NearRows findNear(const Problem& problem, const Execution& where, const Solver& whole,
                  const Nearness& asked, std::optional<NearBy> by = {},
                  NearPlace place = NearPlace::kCpu);

/// The same of distances that a solve has found, by looking at all of them. Any limit but NaN will
/// do, and any number of targets. Throws Error(kMemory).
std::unique_ptr<SparseRows> smallOf(const Distances& distances, const Nearness& asked);

}  // namespace engine
