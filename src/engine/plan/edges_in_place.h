// Methods for graphs of edges, on a matrix in place.
#pragma once

#include <functional>

#include "device/device.h"
#include "solver/outcome.h"
#include "sparse/prepared.h"

namespace engine::plan {

/// Calls work() with an n×n matrix that lies in host memory, or a copy of it in the device's, which
/// is copied back.
void onDevice(const Device& device, int n, Elements matrix,
              const std::function<void(Elements)>& work);

/// Solves n×n weights sparsely in place in the device's memory, as apsp.h says. Numbers that a GPU
/// does not sweep are swept on the CPU. Throws Error(kMemory), Error(kGpu).
Outcome solveMatrix(const Device& device, int n, Elements matrix,
                    const sparse::CoreSolver& solveCore);

/// The same by breadth-first searches. Throws Error(kUsage) if the weights differ.
Outcome solveMatrixByLevels(const Device& device, int n, Elements matrix);

/// About the most bytes of host memory that solveMatrix() takes beside the matrix.
std::size_t solveMatrixBytes(int n, Dtype dtype);

}  // namespace engine::plan
