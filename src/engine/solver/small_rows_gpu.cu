// Small elements in GPU memory.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/size.h"
#include "device/parcel.h"
#include "solver/small_rows.h"

namespace engine {

namespace {

constexpr int kThreads = 256;

/// first: becomes the least index of a distance that does not fit, if it is less.
template <class T, class Small>
__global__ void shrink(const T* __restrict__ from, std::size_t count, Small* __restrict__ to,
                       unsigned long long* first) {
  const std::size_t step = asSize(gridDim.x) * blockDim.x;
  for (std::size_t i = asSize(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const T number = from[i];
    const bool none = number == kInfinity<T>;
    to[i] = none ? kNoDistance<Small> : static_cast<Small>(number);
    if (!none && (number < 0 || number >= kNoDistance<Small>)) atomicMin(first, i);
  }
}

template <class Small, class T>
__global__ void widen(const Small* __restrict__ from, std::size_t count, T* __restrict__ to) {
  const std::size_t step = asSize(gridDim.x) * blockDim.x;
  for (std::size_t i = asSize(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = from[i] == kNoDistance<Small> ? kInfinity<T> : static_cast<T>(from[i]);
}

}  // namespace

std::size_t shrinkOnGpu(ConstElements from, std::size_t count, RowWidth stored, void* to) {
  if (count == 0) return count;
  const GpuMemory memory(sizeof(unsigned long long));
  auto* const there = memory.at<unsigned long long>(0);
  unsigned long long first = count;
  CHECK_CUDA(cudaMemcpy(there, &first, sizeof first, cudaMemcpyDefault));
  withElements(from, [&](const auto* numbers) {
    if constexpr (std::is_integral_v<NumberAt<decltype(numbers)>>) {
      if (stored == RowWidth::kUint8)
        shrink<<<stridingBlocks(count), kThreads>>>(numbers, count, static_cast<std::uint8_t*>(to),
                                               there);
      else
        shrink<<<stridingBlocks(count), kThreads>>>(numbers, count, static_cast<std::uint16_t*>(to),
                                               there);
    }
  });
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(&first, there, sizeof first, cudaMemcpyDefault));
  return first;
}

void widenOnGpu(const void* from, std::size_t count, RowWidth stored, Elements to) {
  if (count == 0) return;
  withElements(to, [&](auto* numbers) {
    if constexpr (std::is_integral_v<NumberAt<decltype(numbers)>>) {
      if (stored == RowWidth::kUint8)
        widen<<<stridingBlocks(count), kThreads>>>(static_cast<const std::uint8_t*>(from), count,
                                              numbers);
      else
        widen<<<stridingBlocks(count), kThreads>>>(static_cast<const std::uint16_t*>(from), count,
                                              numbers);
    }
  });
  CHECK_CUDA(cudaGetLastError());
}

}  // namespace engine
