// The distances up to a limit, found on a GPU.
#pragma once

#include <limits>

#include "device/device.h"
#include "search/small_gpu.h"
#include "solver/distances.h"

namespace engine::search {

/// Milliseconds that are expected to be taken by looking at all distances in GPU memory, and by
/// bringing those that are small, of which there will be so many.
double bringingMilliseconds(int n, Dtype dtype, double answers);

/// How much is swept at a time.
struct SweepBands {
  std::size_t bytes = std::size_t{8} << 30;  ///< of a band, at the most, or 32 sources
  int sources = 0;                           ///< 0: as many as keep the GPU busy
  SmallSizes small = {};
};

/// Eliminates on the present GPU, sweeps, and keeps the small distances, a band of sources at a
/// time. gpu: that one; graph: held as edges. Returns false if the GPU cannot do that, for lack of
/// memory, or if it turns out that more than `most` milliseconds would be taken. Rows may have been
/// filled then. Throws Error(kMemory) of host memory, Error(kGpu), Cancelled.
bool sweepNearOnGpu(const Device& gpu, const Graph& graph, const SmallAsked& asked,
                    SparseRows& rows, double most = std::numeric_limits<double>::infinity(),
                    const SweepBands& bands = {});

/// Keeps the small ones of all distances of a graph. Throws Error(kMemory), Error(kGpu), Cancelled.
void keepNearOnGpu(const Device& gpu, const Distances& all, const SmallAsked& asked,
                   SparseRows& rows, const SmallSizes& sizes = {});

}  // namespace engine::search
