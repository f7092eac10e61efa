// Many small graphs on the GPU.
#pragma once

#include <cstddef>

#include "base/elements.h"

struct CUstream_st;

namespace engine::batch {

/// Replaces the weights of `count` n×n matrices in the GPU's memory by their distances, in place.
/// 1 ≤ n ≤ kMostVertices (batch_cpu.h); a diagonal counts as 0. The call may return before the work
/// is done. Throws Error(kGpu).
void solveOnGpu(std::size_t count, int n, Elements matrices, CUstream_st* stream);

/// The same of one matrix in host memory, on the default stream. Waits for the work. Throws
/// Error(kGpu).
void solveOneOnGpu(int n, Elements matrix);

}  // namespace engine::batch
