// Owners of CUDA streams and events.
#pragma once

#include <cuda_runtime.h>

#include "device/cuda.h"

namespace engine {

/// An event of the present GPU.
struct StreamEvent {
  cudaEvent_t event{};
  explicit StreamEvent(bool timed = false) {
    CHECK_CUDA(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming));
  }
  ~StreamEvent() {
    if (event != nullptr) cudaEventDestroy(event);
  }
  StreamEvent(StreamEvent&& other) noexcept : event(other.event) { other.event = nullptr; }
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;

  /// Of the default stream if none is given.
  void record(cudaStream_t stream = nullptr) const { CHECK_CUDA(cudaEventRecord(event, stream)); }
  /// At once if nothing was recorded.
  void wait() const { CHECK_CUDA(cudaEventSynchronize(event)); }
};

/// A stream of the present GPU. Waiting blocks of threads of an urgent stream start before those of
/// others.
struct Stream {
  cudaStream_t stream{};
  explicit Stream(bool urgent) {
    int least = 0, greatest = 0;
    CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK_CUDA(
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, urgent ? greatest : least));
  }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void wait(const StreamEvent& event) const {
    CHECK_CUDA(cudaStreamWaitEvent(stream, event.event));
  }
  void wait(const Stream& other) const {
    const StreamEvent now;
    now.record(other.stream);
    wait(now);
  }
};

}  // namespace engine
