// How much host memory this process may still take.
#pragma once

#include <cstddef>

namespace engine {

/// The bytes of host memory that this process may still take: the least of the system's
/// MemAvailable, what its control groups leave, and what `ulimit -v` leaves.
std::size_t freeHostBytes();

/// So little memory is taken without a look whether it is free: the look takes 0.1 ms or more.
inline constexpr std::size_t kUncheckedBytes = std::size_t{1} << 20;

/// Throws Error(kMemory) unless `bytes` are free. The message is "`what` needs N bytes of host
/// memory, M are free".
void requireHostBytes(std::size_t bytes, const char* what);

/// Memory that grows by small pieces, such as that of a table of names.
class GrowingMemory {
 public:
  explicit GrowingMemory(const char* what) : what_(what) {}

  /// Counts a piece. Each time that all pieces have become twice as large, it throws Error(kMemory)
  /// unless as much memory again is free.
  void take(std::size_t bytes) {
    taken_ += bytes;
    if (taken_ >= next_) require();
  }

 private:
  void require() {
    next_ = 2 * taken_;
    requireHostBytes(taken_, what_);
  }

  const char* what_;
  std::size_t taken_ = 0, next_ = std::size_t{1} << 20;
};

/// Asks the system to use large pages for this memory, which is not yet written. Then it is given
/// sooner, and more of it is found without a look into the page tables. Does nothing where the
/// system cannot.
void preferLargePages(void* memory, std::size_t bytes);

/// Writes a 0 into each page of this memory, with as many threads as OpenMP would take: the system
/// gives the memory now, and not when it is used. This takes half the time of writing all of it.
/// Throws Cancelled.
void takePages(void* memory, std::size_t bytes);

}  // namespace engine
