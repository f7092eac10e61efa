// Vectors whose elements are written after they were made, by several threads perhaps.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine {

/// Leaves new elements as the memory was, so that nothing is written twice, and each page is given
/// to the thread that writes there first.
template <class T>
struct LeaveAsIs : std::allocator<T> {
  static_assert(std::is_trivial_v<T>);
  template <class U>
  struct rebind {
    using other = LeaveAsIs<U>;
  };
  template <class... Args>
  void construct(T* place, Args&&... args) {
    if constexpr (sizeof...(Args) > 0) ::new (place) T(std::forward<Args>(args)...);
  }
};

template <class T>
using Uninitialised = std::vector<T, LeaveAsIs<T>>;

}  // namespace engine
