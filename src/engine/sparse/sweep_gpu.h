// The sweep on the GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/distances.h"
#include "sparse/sweep.h"

namespace sparse {

/// A hierarchy in GPU memory, ready for sweeps.
class GpuSweeps {
 public:
  virtual ~GpuSweeps() = default;
  /// Writes all distances as words: (n, n) in device memory. Throws Error(kMemory), Error(kGpu).
  virtual void all(int* out) = 0;
  /// Writes the distances from `count` vertices, from `first` on: (count, n) words in device
  /// memory. Throws Error(kMemory), Error(kGpu).
  virtual void rows(int first, int count, int* out) = 0;
  /// Appends the summaries of `count` rows, which rows() wrote, and adds them to those of the n
  /// columns. Throws Error(kMemory), Error(kGpu).
  virtual void summarise(int first, int count, const int* rows, Summaries& to) = 0;
};

/// Keeps a reference to the graph. T: int or float. A build without CUDA returns nullptr.
template <class T>
std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<T>& graph);

/// Bytes of GPU memory that sweeping takes beside the distances, if the hierarchy has so many arcs.
std::size_t gpuSweepBytes(int n, std::size_t arcs, int coreSize);

}  // namespace sparse
