// The types of the elements in a file of distances: those of weights and, of whole distances that
// are not below 0, two narrow ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/dtype.h"

using namespace engine;

enum class Element { kInt32, kFloat32, kInt64, kFloat64, kUint8, kUint16 };

inline constexpr Element kElements[] = {Element::kInt32,   Element::kFloat32, Element::kInt64,
                                        Element::kFloat64, Element::kUint8,   Element::kUint16};

/// That of a type of weights. Those are the first ones, in their order.
constexpr Element elementOf(Dtype dtype) {
  return static_cast<Element>(dtype);
}

/// The type of weights that it is; nothing of a narrow one.
constexpr std::optional<Dtype> dtypeOf(Element element) {
  if (element >= Element::kUint8) return std::nullopt;
  return static_cast<Dtype>(element);
}

/// As --out-dtype names it.
constexpr const char* nameOf(Element element) {
  constexpr const char* kNames[] = {"i32", "f32", "i64", "f64", "u8", "u16"};
  return kNames[static_cast<int>(element)];
}

/// Calls f with a 0 of that type, and returns what f does.
template <class F>
decltype(auto) withElement(Element element, F&& f) {
  if (element == Element::kUint8) return f(std::uint8_t{});
  if (element == Element::kUint16) return f(std::uint16_t{});
  return withType(static_cast<Dtype>(element), f);
}

/// Bytes of an element.
constexpr std::size_t sizeOf(Element element) {
  constexpr std::size_t kBytes[] = {4, 4, 8, 8, 1, 2};
  return kBytes[static_cast<int>(element)];
}

/// What stands where there is no path, if nothing else is asked for: infinity, or the largest
/// number of a narrow type.
template <class T>
constexpr T noPathIn() {
  if constexpr (kIsNumber<T>)
    return kInfinity<T>;
  else
    return std::numeric_limits<T>::max();
}
