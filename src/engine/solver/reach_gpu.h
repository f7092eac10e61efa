// What the distances of a matrix in a GPU's memory reach.
#pragma once

#include <optional>
#include <utility>

#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "solver/options.h"

namespace engine {

/// How many of `count` elements are below infinity, and the largest and the least of these, or 0.
/// `distances` points to the first element, and each element lies `step` elements after the one
/// before. Of an n×n matrix, a count of n² and a step of 1 take all. A count of n takes the first
/// row (step 1), the first column (step n), or the diagonal (step n + 1). Waits for the work on the
/// stream. Throws Error(kGpu).
GraphStats reachOnGpu(std::size_t count, std::size_t step, ConstElements distances,
                      CUstream_st* stream);

/// The first pair, row after row, that has no distance, although some vertex has one from its
/// source and one to its target. Nothing if there is none. distances: n×n, 0 on the diagonal. Takes
/// n²/8 bytes of the GPU's memory and n³/32 operations. Throws Error(kMemory), Error(kGpu).
std::optional<std::pair<int, int>> firstOpenPair(int n, ConstElements distances,
                                                 CUstream_st* stream);

}  // namespace engine
