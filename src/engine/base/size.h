// A leaf: it includes nothing of ours.
#pragma once

#include <cstddef>

namespace engine {

/// Converts a number, which must not be negative, to std::size_t. It is constexpr because device
/// code may call it, too.
template <class T>
constexpr std::size_t asSize(T number) {
  return static_cast<std::size_t>(number);
}

}  // namespace engine
