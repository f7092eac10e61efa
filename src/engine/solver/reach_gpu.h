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
/// The first is *distances, and each lies `step` elements after the one before. All n² and 1: the
/// matrix; n and 1: a row; n and n: a column; n and n + 1: the diagonal. Waits for the work on the
/// stream. Throws Error(kGpu).
GraphStats reachOnGpu(std::size_t count, std::size_t step, ConstElements distances,
                      CUstream_st* stream);

/// The first pair, row after row, that has no distance, although some vertex has one from its
/// source and one to its target. Nothing if there is none. distances: n×n, 0 on the diagonal. Takes
/// n²/8 bytes of the GPU's memory and n³/32 operations. Throws Error(kMemory), Error(kGpu).
std::optional<std::pair<int, int>> firstOpenPair(int n, ConstElements distances,
                                                 CUstream_st* stream);

}  // namespace engine
