// A stream of CUDA that is still at work when it is given to a solver.
#pragma once

#include <cstddef>
#include <memory>

/// On the current GPU; hasGpu() must hold.
class BusyStream {
 public:
  /// blocking: the default stream waits for it, and it for the default stream.
  explicit BusyStream(bool blocking);
  ~BusyStream();
  BusyStream(const BusyStream&) = delete;
  BusyStream& operator=(const BusyStream&) = delete;

  void* stream() const { return stream_; }

  /// Memory of the GPU, 0 at first, into which the stream copies these bytes after some
  /// milliseconds of other work.
  std::shared_ptr<void> copyLater(const void* bytes, std::size_t count) const;
  /// What is there when the work on the stream is done.
  void read(void* bytes, const void* there, std::size_t count) const;

 private:
  void* stream_ = nullptr;
};
