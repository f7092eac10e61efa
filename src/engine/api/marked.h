// The objects behind the handles of the C interface begin with a word that names their kind. A
// pointer to anything else is refused, and most often a pointer to a freed object.
#pragma once

#include <cstdint>
#include <string>

#include "api/views.h"

namespace engine {

template <std::uint32_t kWord>
class Marked {
 public:
  Marked() = default;
  ~Marked() { word_ = 0; }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;

  bool marked() const { return word_ == kWord; }

 private:
  volatile std::uint32_t word_ = kWord;  // volatile, or the compiler leaves out the last write
};

/// Throws InvalidArgument unless a handle is there, and of its type.
template <class Handle>
void requireHandle(const Handle* handle, const char* name) {
  if (handle == nullptr) throw InvalidArgument(std::string(name) + " is NULL");
  if (!handle->marked())
    throw InvalidArgument(std::string(name) + " is none of this library, or was freed");
}

/// Deletes what a handle points to, unless that is not there.
template <class Handle>
void release(Handle* handle) {
  if (handle != nullptr && handle->marked()) delete handle;
}

}  // namespace engine
