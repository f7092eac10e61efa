// Parts that GPUs compute: in their memory, or streamed through it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/dtype.h"
#include "several/part.h"
#include "solver/solver.h"

namespace engine {

struct ChosenGpu {
  std::string place;  ///< which differs from that of every other GPU of the machine
  std::string model;
};
/// Chooses this thread's GPU for a rank of this machine. Throws Error(kGpu) if there is none.
ChosenGpu chooseGpu(int rankOnHost);

/// A part in the memory of this thread's GPU, or in host memory if not all parts fit on theirs.
/// Collective. Throws Error(kMemory), Error(kGpu).
std::unique_ptr<Part> partOnGpu(int n, Dtype dtype, Precision precision, GridRanks& ranks,
                                int rank);

/// Bytes of GPU memory of a part that fits there, and of its rounds.
std::size_t bytesOnGpu(int n, Dtype dtype, Grid grid, int rank);

/// The least memory of a part that does not fit into its GPU, and streams through it.
Memory streamedMemory(int n, Dtype dtype, Precision precision, Grid grid, int rank);

/// Bytes of GPU memory that parts may take: those of freeOnGpu(), or the variable APSP_GPU_MEMORY
/// if that is less, for tests.
std::size_t roomOnGpu();

}  // namespace engine
