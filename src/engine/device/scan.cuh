// Sums before each number of an array in GPU memory.
#pragma once

#include <cstddef>
#include <cub/device/device_scan.cuh>

#include "device/cuda_memory.h"
#include "device/parcel.h"

namespace engine {

/// Puts the sum before each of `count` numbers in place of the number.
template <class Number>
void sumBefore(Number* numbers, int count) {
  std::size_t bytes = 0;
  CHECK_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, numbers, numbers, count));
  const GpuMemory room(bytes);
  CHECK_CUDA(cub::DeviceScan::ExclusiveSum(room.at<char>(0), bytes, numbers, numbers, count));
}

}  // namespace engine
