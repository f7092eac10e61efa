#include "base/cancel.h"

namespace engine {

namespace {
thread_local const std::atomic<bool>* current = nullptr;
}

CancelScope::CancelScope(const std::atomic<bool>& flag) : before_(current) {
  current = &flag;
}
CancelScope::~CancelScope() {
  current = before_;
}

const std::atomic<bool>* cancelFlag() {
  return current;
}

void throwIfCancelled() {
  if (isSet(current)) throw Cancelled();
}

}  // namespace engine
