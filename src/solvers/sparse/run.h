// The sparse solver on the seam.
#pragma once

#include "solvers/solver.h"
#include "solvers/sparse/prepared.h"

namespace sparse {

/// The same solver, which solves sparsely if it is asked to, or if that is expected to
/// be faster, or if there is no room for the matrix. `one` works in place; it also solves cores.
/// Where the matrix has no room, the distances are rows that are swept when they are asked for.
Solver orSparsely(Solver one);

/// Calls work() with an n×n matrix that lies in host memory, or a copy of it in the device's, which
/// is copied back.
void onDevice(const Device& device, int n, int* matrix, Dtype dtype,
              const std::function<void(int*)>& work);

/// Solves n×n weights of that type in place in the device's memory, as apsp.h says. Throws
/// Error(kMemory), Error(kGpu).
Outcome solveMatrix(const Device& device, int n, int* matrix, Dtype dtype,
                    const CoreSolver& solveCore);

/// About the most bytes of host memory that this takes beside the matrix.
std::size_t solveMatrixBytes(int n);

}  // namespace sparse
