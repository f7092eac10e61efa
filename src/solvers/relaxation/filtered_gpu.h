// The filtered solver on the GPU: leaves out the edges of a dense graph that are on no shortest
// path, and relaxes along the others.
#pragma once

#include <cstddef>
#include <optional>

#include "apsp.h"
#include "core/dtype.h"

/// From this n on, looking whether filtering pays costs less than 3 % of the dense solver's time.
inline constexpr int kFilteredFrom = 1700;

/// Solves n×n weights of that type in place in device memory, as apsp.h says. Nothing if that is
/// not expected to pay, or if the GPU has too little memory for it. The matrix then holds weights,
/// or distances in their place, and its distances are the same as before. asked: by a user, whether
/// it pays or not. Throws Error(kGpu).
std::optional<Outcome> solveFilteredOnGpu(int n, int* words, Dtype dtype, bool asked,
                                          CUstream_st* stream);

/// Bytes of device memory that this takes beside the matrix.
std::size_t filteredGpuBytes(int n);
