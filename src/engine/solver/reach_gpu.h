// What the distances of a matrix in a GPU's memory reach.
#pragma once

#include <optional>
#include <utility>

#include "base/dtype.h"
#include "base/elements.h"
#include "solver/options.h"

namespace engine {

struct ReachThere {
  Number farthest;  ///< the largest distance below infinity, or 0
  bool everywhere;  ///< every pair has a distance
};

/// distances: n×n. Waits for the work on the stream. Throws Error(kGpu).
ReachThere reachOnGpu(int n, ConstElements distances, CUstream_st* stream);

/// The first pair, row after row, that has no distance, although some vertex has one from its
/// source and one to its target. Nothing if there is none. distances: n×n, 0 on the diagonal. Takes
/// n²/8 bytes of the GPU's memory and n³/32 operations. Throws Error(kMemory), Error(kGpu).
std::optional<std::pair<int, int>> firstOpenPair(int n, ConstElements distances,
                                                 CUstream_st* stream);

}  // namespace engine
