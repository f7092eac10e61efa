// Elements of one type in somebody's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "base/uninitialised.h"

namespace engine {

/// Throws std::logic_error: the elements have another type.
[[noreturn]] void refuseType(Dtype have, Dtype want);

/// A pointer that knows the type that it points to. Memory: void, or const void.
template <class Memory>
class Pointer {
 public:
  Pointer() = default;
  Pointer(Dtype dtype, Memory* data) : dtype_(dtype), data_(data) {}
  /// Of a T*, which is one of the four types.
  template <class T, class = decltype(static_cast<Memory*>(static_cast<T*>(nullptr))),
            class = std::enable_if_t<!std::is_void_v<T>>>
  Pointer(T* data) : dtype_(kDtype<std::remove_const_t<T>>), data_(data) {
    static_assert(kIsNumber<std::remove_const_t<T>>);
  }
  /// What may be written may be read.
  template <class Other,
            class = std::enable_if_t<std::is_const_v<Memory> && !std::is_const_v<Other>>>
  Pointer(const Pointer<Other>& other) : Pointer(other.dtype(), other.data()) {}

  Dtype dtype() const { return dtype_; }
  /// Where they begin, whatever their type is.
  Memory* data() const { return data_; }
  explicit operator bool() const { return data_ != nullptr; }

  /// The elements as a T*. Their type must be T.
  template <class T>
  auto as() const {
    using Typed = std::conditional_t<std::is_const_v<Memory>, const T, T>;
    if (dtype_ != kDtype<T>) refuseType(dtype_, kDtype<T>);
    return static_cast<Typed*>(data_);
  }

  /// The elements from number `count` on.
  Pointer operator+(std::size_t count) const {
    using Letter = std::conditional_t<std::is_const_v<Memory>, const char, char>;
    return {dtype_, static_cast<Letter*>(data_) + count * sizeOf(dtype_)};
  }
  /// Element number `i`.
  Number operator[](std::size_t i) const {
    return withType(dtype_, [&](auto zero) -> Number { return as<decltype(zero)>()[i]; });
  }

 private:
  Dtype dtype_ = Dtype::kInt32;
  Memory* data_ = nullptr;
};

using Elements = Pointer<void>;
using ConstElements = Pointer<const void>;

/// The type of the numbers that a pointer points to.
template <class P>
using NumberAt = std::remove_const_t<std::remove_pointer_t<std::remove_const_t<P>>>;

/// Calls f with the elements as a pointer of their type.
template <class Memory, class F>
decltype(auto) withElements(Pointer<Memory> elements, F&& f) {
  return withType(elements.dtype(), [&](auto zero) -> decltype(auto) {
    return f(elements.template as<decltype(zero)>());
  });
}

/// Copies `count` elements in host memory to elements of the same type.
inline void copyElements(ConstElements from, std::size_t count, Elements to) {
  if (from.dtype() != to.dtype()) refuseType(from.dtype(), to.dtype());
  if (count > 0) std::memcpy(to.data(), from.data(), count * sizeOf(from.dtype()));
}

/// Elements in host memory, which belong to this object. What they are at first is not known.
class ElementBuffer {
 public:
  ElementBuffer() = default;
  ElementBuffer(Dtype dtype, std::size_t count) { resize(dtype, count); }

  /// Makes room for so many elements, if there is less. What was there is lost.
  void resize(Dtype dtype, std::size_t count) {
    dtype_ = dtype;
    const std::size_t cells =
        (count * sizeOf(dtype) + sizeof(std::int64_t) - 1) / sizeof(std::int64_t);
    if (cells > cells_.size()) cells_.resize(cells);
  }
  Elements data() { return {dtype_, cells_.data()}; }
  ConstElements data() const { return {dtype_, cells_.data()}; }

 private:
  Dtype dtype_ = Dtype::kInt32;
  Uninitialised<std::int64_t> cells_;
};

}  // namespace engine
