// The sparse solver on the seam.
#pragma once

#include <optional>
#include <vector>

#include "base/graph.h"
#include "solver/solver.h"
#include "sparse/prepared.h"

namespace sparse {

/// The same solver, which solves sparsely if it is asked to, or if that is expected to
/// be faster, or if there is no room for the matrix. `one` works in place; it also solves cores.
/// Where the matrix has no room, the distances are rows that are swept when they are asked for.
/// Numbers that a GPU does not sweep are left to `one` there.
Solver orSparsely(Solver one);

/// Throws Error(kUsage) if breadth-first searches cannot solve the graph: the weights of its edges
/// differ.
void requireLevels(const ProblemGraph& graph);

/// Calls work() with an n×n matrix that lies in host memory, or a copy of it in the device's, which
/// is copied back.
void onDevice(const Device& device, int n, Elements matrix,
              const std::function<void(Elements)>& work);

/// Solves n×n weights in place in the device's memory, as apsp.h says. Numbers that a GPU does not
/// sweep are swept on the CPU. Throws Error(kMemory), Error(kGpu).
Outcome solveMatrix(const Device& device, int n, Elements matrix, const CoreSolver& solveCore);

/// The same by breadth-first searches. Throws Error(kUsage) if the weights differ.
Outcome solveMatrixByLevels(const Device& device, int n, Elements matrix);

/// About the most bytes of host memory that this takes beside the matrix.
std::size_t solveMatrixBytes(int n, Dtype dtype);

}  // namespace sparse
