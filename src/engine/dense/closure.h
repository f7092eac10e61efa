// The blocked solver of apsp.cu for a matrix that is in words of a tier already.
#pragma once

#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

/// A matrix of n rows of `rowWords` words of 32 bits each, in the words of a tier (dense/tile.cuh)
/// in GPU memory. A word of a tier of 64 bits is two of these. rowWords is a multiple of 4, `words`
/// is aligned to 16 bytes, and what is outside the n×n matrix is infinite.
struct PackedMatrix {
  Tier tier;
  int n, rowWords;
  void* words;
};

/// Replaces a matrix by its distances, on a stream, and uses at most one in `share` of the
/// multiprocessors. skip: leave out products with tiles that hold no path. Throws Error(kMemory),
/// Error(kGpu).
void closeOnGpu(const PackedMatrix& matrix, int share, bool skip, CUstream_st* stream);

}  // namespace engine
