// What the 32 bits of a weight are. A leaf: it includes nothing of ours but the contract.
//
// Non-negative floats sort as their bits do when these are read as an int. So graphs and matrices
// hold their weights as ints, here called words, whatever their type: what only compares, moves or
// hashes them need not know it. What adds or prints them does.
#pragma once

#include <cstring>
#include <limits>

#include "apsp.h"

enum class Dtype { kInt32, kFloat32 };

/// "i32" or "f32", as --dtype and the records name it.
inline const char* nameOf(Dtype dtype) {
  return dtype == Dtype::kInt32 ? "i32" : "f32";
}

/// The word for "no edge" and "unreachable", above all weights: kInf, or the bits of +infinity.
constexpr int infinity(Dtype dtype) {
  return dtype == Dtype::kInt32 ? kInf : 0x7f800000;
}

inline float toFloat(int word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

inline int toWord(float value) {
  int word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

/// An int32 weight as the word of the float32 nearest to it, which is exact below 2²⁴.
inline int floatWord(int weight) {
  return weight == kInf ? infinity(Dtype::kFloat32) : toWord(static_cast<float>(weight));
}

/// Calls f with the number that the word is, an int or a float.
template <class F>
auto withNumber(int word, Dtype dtype, F f) {
  return dtype == Dtype::kInt32 ? f(word) : f(toFloat(word));
}

/// The same number, which a double holds exactly.
inline double toDouble(int word, Dtype dtype) {
  return withNumber(word, dtype, [](auto number) { return static_cast<double>(number); });
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

/// The same of two words of that type.
inline bool agreeWords(int got, int expected, Dtype dtype, double tolerance) {
  if (dtype == Dtype::kInt32) return got == expected;
  return agree(toFloat(got), toFloat(expected), tolerance);
}
