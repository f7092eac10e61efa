// The sweep on the GPU.
#pragma once

#include <cstddef>
#include <memory>

#include "solver/gpu_rows.h"
#include "sparse/sweep.h"

namespace engine::sparse {

/// A hierarchy in GPU memory, ready for sweeps. Keeps a reference to the graph. Returns nullptr in
/// a build without CUDA.
template <class T>
std::unique_ptr<RowSource> sweepsOnGpu(const Swept<T>& graph);

/// Bytes of GPU memory that sweeping takes beside the distances, which have that type, if the
/// hierarchy has so many arcs.
std::size_t gpuSweepBytes(int n, std::size_t arcs, int coreSize, Dtype dtype);

}  // namespace engine::sparse
