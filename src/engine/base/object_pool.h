// Objects that threads use in turn.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace engine {

/// As many objects as threads: each task takes one, and gives it back.
template <class T>
class ObjectPool {
 public:
  /// make(): a std::shared_ptr<T>.
  template <class Make>
  ObjectPool(int count, const Make& make) {
    for (int i = 0; i < count; ++i) all_.push_back(make());
  }

  std::shared_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    auto one = std::move(all_.back());
    all_.pop_back();
    return one;
  }
  /// Allocates nothing.
  void give(std::shared_ptr<T> one) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(one));
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<T>> all_;
};

}  // namespace engine
