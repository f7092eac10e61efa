// CUDA helpers for kernels and for the GPU device: checked calls and a block-wide reduction.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "device/cuda_status.h"

namespace engine {

inline CudaStatus cudaStatus(cudaError_t status) {
  return {cudaGetErrorName(status), cudaGetErrorString(status)};
}

/// Throws Error(kGpu), or Error(kMemory) where memory ran out, unless a CUDA call succeeded.
inline void checkCuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw cudaFailure(std::string(file) + ":" + std::to_string(line) + ": " + call,
                    cudaStatus(status));
}
#define CHECK_CUDA(call) checkCuda((call), #call, __FILE__, __LINE__)

/// ⌈a / b⌉ for a ≥ 0, b > 0.
template <class T>
__host__ __device__ constexpr T ceilDiv(T a, T b) {
  return (a + b - 1) / b;
}

/// Combines one value of every thread of a one-dimensional block of up to 1024 threads (a multiple
/// of 32) by an associative, commutative op with identity `zero`. The result is valid in thread 0.
/// T may be any type that __shfl_down_sync moves (32 or 64 bits). Call it from all threads of the
/// block.
template <class T, class Op>
__device__ T blockReduce(T value, T zero, Op op) {
  constexpr unsigned kAll = 0xffffffffu;
  __shared__ T warps[32];  // one partial result a warp
  for (int offset = 16; offset > 0; offset /= 2)
    value = op(value, __shfl_down_sync(kAll, value, offset));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) warps[warp] = value;
  __syncthreads();  // every warp's partial result is in `warps`
  if (warp == 0) {
    value = lane < static_cast<int>(blockDim.x / 32) ? warps[lane] : zero;
    for (int offset = 16; offset > 0; offset /= 2)
      value = op(value, __shfl_down_sync(kAll, value, offset));
  }
  __syncthreads();  // `warps` may be written again
  return value;
}

}  // namespace engine
