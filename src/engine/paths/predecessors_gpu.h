// Predecessors of a matrix of distances that lies in the GPU's memory.
#pragma once

#include <cstddef>
#include <memory>

#include "solver/problem.h"

namespace engine {

/// A matrix of predecessors in a device's memory, as paths/predecessors.h describes it.
struct PredecessorsOnGpu {
  std::unique_ptr<DeviceMatrix> matrix;  ///< null: they were not found here
  double milliseconds = 0;               ///< of the search, without placing the graph
};

/// Finds all predecessors. negative: weights may be below 0, and no cycle is. Nothing is done, and
/// the matrix is null, if there is too little memory, if the distances are not int32, or if this is
/// no GPU. Throws Error(kGpu).
PredecessorsOnGpu predecessorsOnGpu(const ProblemGraph& graph, const DeviceMatrix& distances,
                                    bool negative);

/// Bytes of device memory that predecessorsOnGpu() takes beside the distances.
std::size_t predecessorBytesOnGpu(int n, bool negative);

}  // namespace engine
