// The GPU that solvers run on, and memory that they allocate on it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "device/cuda.h"

namespace engine {

/// The pool from which solvers take memory of a GPU. It keeps its memory between calls, because
/// mapping it again costs more than a small solve. The default pool stays as it is, because it
/// belongs to the whole process, and so to whoever links with the library. Throws Error(kGpu).
cudaMemPool_t poolOf(int gpu);

/// Bytes that solvers may take on the present GPU: what is free, and what its pool keeps unused.
/// Throws Error(kGpu).
std::size_t freeOnGpu();

/// Waits for all work of this process on the present GPU. Then the pool gives back what it keeps
/// unused, which whoever takes memory elsewhere cannot have. Throws Error(kGpu).
void emptyPool();

/// Stream-ordered memory of the present GPU, from its pool. It converts to false if there was none
/// left. Throws Error(kGpu) on any other failure.
class DeviceBuffer {
 public:
  DeviceBuffer(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    int gpu = 0;
    CHECK_CUDA(cudaGetDevice(&gpu));
    const cudaError_t status = cudaMallocFromPoolAsync(&memory_, bytes, poolOf(gpu), stream);
    if (status == cudaSuccess) return;
    memory_ = nullptr;
    if (status != cudaErrorMemoryAllocation)
      checkCuda(status, "cudaMallocFromPoolAsync", __FILE__, __LINE__);
    cudaGetLastError();  // lack of memory is not a sticky error: clear it
  }
  ~DeviceBuffer() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  explicit operator bool() const { return memory_ != nullptr; }
  /// The array at this offset in bytes.
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(memory_) + offset);
  }

 private:
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

/// The present GPU.
struct Gpu {
  int device = 0;
  int major = 0;       ///< of the compute capability
  int processors = 0;  ///< multiprocessors
  int shared = 0;      ///< bytes of shared memory that a block may have
  Gpu() {
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  }
};

}  // namespace engine
