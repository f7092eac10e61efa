// Many small graphs on the CPU, each solved by one thread.
#pragma once

#include <cstddef>
#include <string>

#include "base/elements.h"

namespace engine::batch {

/// The most vertices of a graph that is solved here.
constexpr int kMostVertices = 128;

/// The first element of `count` n×n matrices, one after the other, that is no weight: its index, or
/// count·n·n if all are weights. Weights are 0 or more; infinity and whatever is on a diagonal
/// count as weights.
std::size_t firstWrong(std::size_t count, int n, ConstElements matrices);

/// Replaces the weights of `count` n×n matrices by their distances, in place, with as many threads
/// as OpenMP would use now. 1 ≤ n ≤ kMostVertices; all elements are weights, a diagonal counts as
/// 0. simd: as chooseSimd() takes it. If the calling thread's work is cancelled (base/cancel.h),
/// some matrices stay as they are. Throws Error(kMemory), and Error(kUsage) without that `simd`.
void solveOnCpu(std::size_t count, int n, Elements matrices, const std::string& simd = "");

}  // namespace engine::batch
