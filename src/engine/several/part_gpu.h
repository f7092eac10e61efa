// Parts that GPUs compute: in their memory, or streamed through it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/dtype.h"
#include "base/error.h"
#include "several/part.h"
#include "solver/solver.h"

struct ChosenGpu {
  std::string place;  ///< which differs from that of every other GPU of the machine
  std::string model;
};
/// Chooses this thread's GPU for a rank of this machine. Throws Error(kGpu) if there is none.
ChosenGpu chooseGpu(int rankOnHost);

/// Whether parts that GPUs compute may have weights of that type: of 32 bits.
constexpr bool arePartsOnGpus(Dtype dtype) {
  return !isWide(dtype);
}
/// Throws Unsupported if they may not.
inline void requirePartsOnGpus(Dtype dtype) {
  if (arePartsOnGpus(dtype)) return;
  throw Unsupported(std::string("parts of a matrix on GPUs have 32 bits, too few for these ") +
                    nameOf(dtype) +
                    " weights: take CPUs, one GPU without checkpoints, or weights of 32 bits");
}

/// A part in the memory of this thread's GPU, or in host memory if not all parts fit on theirs.
/// Collective. The weights have 32 bits. Throws Error(kMemory), Error(kGpu).
std::unique_ptr<Part> partOnGpu(int n, Dtype dtype, Precision precision, GridRanks& ranks,
                                int rank);

/// Bytes of GPU memory of a part with weights of 32 bits that fits there, and of its rounds.
std::size_t bytesOnGpu(int n, Grid grid, int rank);

/// What a part takes that does not fit, at the least.
Memory streamedMemory(int n, Dtype dtype, Precision precision, Grid grid, int rank);

/// Bytes of GPU memory that parts may take: what is free, or the variable APSP_GPU_MEMORY if that
/// is less, for tests.
std::size_t roomOnGpu();
