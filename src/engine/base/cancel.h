// A solve that its caller no longer wants. Loops that take long ask cancelled() now and then, from
// any of their threads, and leave the rest of their work out. Whoever started them calls
// throwIfCancelled() before the result is used.
#pragma once

#include <atomic>

namespace engine {

/// Thrown where a solve was cancelled. It is no Error: nothing is wrong.
struct Cancelled {};

/// While this lives, `flag` says whether the work that this thread starts is cancelled.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>& flag);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* const before_;
};

/// The flag of this thread; null: nobody can cancel it. To be handed to the threads that help.
const std::atomic<bool>* cancelFlag();

inline bool isSet(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Throws Cancelled if this thread's work is cancelled.
void throwIfCancelled();

}  // namespace engine
