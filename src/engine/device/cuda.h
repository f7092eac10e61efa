// CUDA helpers for kernels and for the GPU device: checked calls, shapes of launches, and what the
// lanes of a warp and the threads of a block find together.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "device/cuda_status.h"

namespace engine {

inline CudaStatus cudaStatus(cudaError_t status) {
  return {cudaGetErrorName(status), cudaGetErrorString(status)};
}

/// Throws Error(kGpu), or Error(kMemory) where memory ran out, unless a CUDA call succeeded.
inline void checkCuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  if (status == cudaErrorMemoryAllocation) cudaGetLastError();  // not a sticky error: clear it
  throw cudaFailure(std::string(file) + ":" + std::to_string(line) + ": " + call,
                    cudaStatus(status));
}
#define CHECK_CUDA(call) checkCuda((call), #call, __FILE__, __LINE__)

/// ⌈a / b⌉ for a ≥ 0, b > 0.
template <class T>
__host__ __device__ constexpr T ceilDiv(T a, T b) {
  return (a + b - 1) / b;
}

inline constexpr int kWarp = 32;                    ///< lanes of a warp
inline constexpr unsigned kAllLanes = 0xffffffffu;  ///< the mask of all of them

/// Blocks of so many threads that have a thread for each of `count`; one at the least.
template <class Count>
unsigned blocksFor(Count count, int threads = 256) {
  return static_cast<unsigned>(std::max(Count{1}, ceilDiv(count, static_cast<Count>(threads))));
}

/// Blocks of so many threads that go through `count` in strides: as many as have work, and `most`
/// at the most, which is more than any GPU runs at a time.
inline unsigned stridingBlocks(std::size_t count, int threads = 256, unsigned most = 8192) {
  return std::min(blocksFor(count, threads), most);
}

/// As many blocks of a kernel as run at the same time on the present GPU.
template <class Kernel>
unsigned blocksAtOnce(Kernel kernel, int threads) {
  int gpu = 0, processors = 0, each = 0;
  CHECK_CUDA(cudaGetDevice(&gpu));
  CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, gpu));
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0));
  return static_cast<unsigned>(std::max(1, each) * processors);
}

/// The lesser of two distances. min() of doubles would look for NaN, too.
template <class T>
__device__ T lesser(T a, T b) {
  if constexpr (std::is_same_v<T, double>)
    return b < a ? b : a;
  else
    return min(a, b);
}

/// The least of one value of every lane, for all lanes.
template <class T>
__device__ T leastOfWarp(T value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value = lesser(value, __shfl_xor_sync(kAllLanes, value, offset));
  return value;
}

/// The sum of one value of every lane, for all lanes.
template <class T>
__device__ T sumOfWarp(T value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// Combines one value of every thread of a one-dimensional block of up to 1024 threads (a multiple
/// of 32) by an associative, commutative op with identity `zero`. The result is valid in thread 0.
/// T may be any type that __shfl_down_sync moves (32 or 64 bits). Call it from all threads of the
/// block.
template <class T, class Op>
__device__ T blockReduce(T value, T zero, Op op) {
  __shared__ T warps[32];  // one partial result a warp
  for (int offset = 16; offset > 0; offset /= 2)
    value = op(value, __shfl_down_sync(kAllLanes, value, offset));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) warps[warp] = value;
  __syncthreads();  // every warp's partial result is in `warps`
  if (warp == 0) {
    value = lane < static_cast<int>(blockDim.x / 32) ? warps[lane] : zero;
    for (int offset = 16; offset > 0; offset /= 2)
      value = op(value, __shfl_down_sync(kAllLanes, value, offset));
  }
  __syncthreads();  // `warps` may be written again
  return value;
}

}  // namespace engine
