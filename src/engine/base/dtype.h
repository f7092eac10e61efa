// What the 32 bits of a weight are. A leaf: it includes nothing of ours but the contract.
//
// Graphs and matrices store weights of both types as ints. A float32 is stored as its bits, because
// non-negative floats have the same order as their bits read as ints. Therefore code that only
// compares, moves or hashes elements need not know their type. Code that adds or prints them must.
// So must code that compares weights or distances below 0 (isLess()). As ints, they are below 0.
#pragma once

#include <cstring>
#include <limits>

#include "apsp.h"

enum class Dtype { kInt32, kFloat32 };

/// "i32" or "f32", as --dtype and the records name it.
inline const char* nameOf(Dtype dtype) {
  return dtype == Dtype::kInt32 ? "i32" : "f32";
}

/// The element for "no edge" and "unreachable", above all weights: kInf, or the bits of +infinity.
constexpr int infinity(Dtype dtype) {
  return dtype == Dtype::kInt32 ? kInf : 0x7f800000;
}

inline float toFloat(int element) {
  float value;
  std::memcpy(&value, &element, sizeof value);
  return value;
}

inline int toWord(float value) {
  int element;
  std::memcpy(&element, &value, sizeof element);
  return element;
}

/// A number that is ordered as the numbers are that elements store: negative floats come before
/// all others, and the larger their bits are as an int, the less they are. constexpr, because
/// device code may call it, too.
constexpr int orderOf(int element, Dtype dtype) {
  return dtype == Dtype::kFloat32 && element < 0 ? element ^ 0x7fffffff : element;
}

/// Whether the first of two elements stores the lesser number. NaN is not allowed.
constexpr bool isLess(int a, int b, Dtype dtype) {
  return orderOf(a, dtype) < orderOf(b, dtype);
}

/// The element for the float32 that is nearest to an int32 weight; below 2²⁴ it is exact.
inline int floatWord(int weight) {
  return weight == kInf ? infinity(Dtype::kFloat32) : toWord(static_cast<float>(weight));
}

/// Calls f with the number that the element stores, an int or a float.
template <class F>
auto withNumber(int element, Dtype dtype, F f) {
  return dtype == Dtype::kInt32 ? f(element) : f(toFloat(element));
}

/// The same number, which a double holds exactly.
inline double toDouble(int element, Dtype dtype) {
  return withNumber(element, dtype, [](auto number) { return static_cast<double>(number); });
}

/// Whether two distances agree: the same or, of floats, no further apart than tolerance·expected.
/// Infinity agrees with itself only, NaN with nothing. constexpr, so that device code may call it.
constexpr bool agree(int got, int expected, double) {
  return got == expected;
}
constexpr bool agree(float got, float expected, double tolerance) {
  if (got == expected) return true;
  const double low = got < expected ? got : expected, high = got < expected ? expected : got;
  return expected <= std::numeric_limits<float>::max() && high - low <= tolerance * expected;
}

/// Whether two elements of that type agree.
inline bool agreeWords(int got, int expected, Dtype dtype, double tolerance) {
  if (dtype == Dtype::kInt32) return got == expected;
  return agree(toFloat(got), toFloat(expected), tolerance);
}
