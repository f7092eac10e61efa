// Memory of a device that two processes see. One makes it and passes its descriptor to the other,
// which maps it: Device::share() and Device::openShared().
#pragma once

#include <cstddef>

namespace engine {

class SharedWords {
 public:
  virtual ~SharedWords() = default;
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  std::size_t size() const { return size_; }  ///< in words
  int* data() const { return data_; }
  /// A file descriptor that stands for this memory; it stays open as long as this object lives.
  int descriptor() const { return descriptor_; }

 protected:
  SharedWords() = default;

  std::size_t size_ = 0;
  int* data_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace engine
