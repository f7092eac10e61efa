// Memory on the GPU, and arrays that the host writes there.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/error.h"
#include "device/cuda_memory.h"
#include "device/stream.h"

namespace engine {

/// Memory that takes part in the order of the default stream. Throws Error(kMemory).
class GpuMemory {
 public:
  explicit GpuMemory(std::size_t bytes) : buffer_(std::max<std::size_t>(1, bytes), nullptr) {
    if (!buffer_)
      throw Error(ErrorCode::kMemory,
                  "out of GPU memory beside the distances: solve a smaller graph");
  }
  template <class T>
  T* at(std::size_t offset) const {
    return buffer_.template at<T>(offset);
  }

 private:
  DeviceBuffer buffer_;
};

/// Page-locked host memory, from where copies to the GPU are fast. It remains for the next call,
/// because to lock pages takes longer than to copy them.
class Locked {
 public:
  ~Locked() { cudaFreeHost(memory_); }

  /// The thread's own memory for the present GPU, at least so much. What it held has been copied.
  static Locked& ofThread(std::size_t bytes) {
    thread_local std::map<int, Locked> all;
    int gpu = 0;
    CHECK_CUDA(cudaGetDevice(&gpu));
    Locked& memory = all[gpu];
    memory.copied_.wait();
    if (bytes > memory.bytes_) memory.grow(bytes);
    return memory;
  }

  char* data() const { return static_cast<char*>(memory_); }

  void copyTo(char* device, std::size_t bytes) {
    CHECK_CUDA(cudaMemcpyAsync(device, memory_, bytes, cudaMemcpyHostToDevice));
    copied_.record();
  }

 private:
  void grow(std::size_t bytes) {
    CHECK_CUDA(cudaFreeHost(std::exchange(memory_, nullptr)));
    bytes_ = 0;
    CHECK_CUDA(cudaMallocHost(&memory_, bytes));
    bytes_ = bytes;
  }

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  const StreamEvent copied_;
};

/// Arrays that the host writes, and that go to the GPU by one copy. Offsets are in bytes.
class Parcel {
 public:
  explicit Parcel(std::size_t bytes)
      : host_(Locked::ofThread(bytes)), bytes_(bytes), device_(bytes) {}

  /// Until send(), which comes before another parcel of the thread.
  template <class T>
  T* host(std::size_t offset) const {
    return reinterpret_cast<T*>(host_.data() + offset);
  }
  void send() { host_.copyTo(device<char>(0), bytes_); }
  template <class T>
  T* device(std::size_t offset) const {
    return device_.at<T>(offset);
  }

 private:
  Locked& host_;
  const std::size_t bytes_;
  const GpuMemory device_;
};

}  // namespace engine
