#include "busy_stream.h"

#include <cuda_runtime.h>

#include <cstring>

#include "device/cuda.h"

using namespace engine;

namespace {

__global__ void waitFor(long long cycles) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {
  }
}

constexpr long long kCycles = 40'000'000;  // 20 ms or more

}  // namespace

BusyStream::BusyStream(bool blocking) {
  cudaStream_t made;
  CHECK_CUDA(
      cudaStreamCreateWithFlags(&made, blocking ? cudaStreamDefault : cudaStreamNonBlocking));
  stream_ = made;
}

BusyStream::~BusyStream() {
  cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

std::shared_ptr<void> BusyStream::copyLater(const void* bytes, std::size_t count) const {
  const auto stream = static_cast<cudaStream_t>(stream_);
  void *there = nullptr, *here = nullptr;
  CHECK_CUDA(cudaMalloc(&there, count));
  const std::shared_ptr<void> memory(there, cudaFree);
  CHECK_CUDA(cudaMallocHost(&here, count));  // from other memory, the copy would wait here
  const std::shared_ptr<void> pinned(here, cudaFreeHost);
  std::memcpy(here, bytes, count);
  CHECK_CUDA(cudaMemset(there, 0, count));
  CHECK_CUDA(cudaDeviceSynchronize());
  waitFor<<<1, 1, 0, stream>>>(kCycles);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpyAsync(there, here, count, cudaMemcpyHostToDevice, stream));
  return {there, [memory, pinned](void*) {}};
}

void BusyStream::read(void* bytes, const void* there, std::size_t count) const {
  const auto stream = static_cast<cudaStream_t>(stream_);
  CHECK_CUDA(cudaMemcpyAsync(bytes, there, count, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}
