// The types of numbers in binary files, and how they become weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "apsp.h"

/// A float16 of NumPy.
struct Half {
  std::uint16_t bits;

  double value() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) size = fraction == 0 ? HUGE_VAL : NAN;
    return bits >> 15 != 0 ? -size : size;
  }
};

/// A bool of NumPy. True is an edge of weight 1, False is no edge.
struct Truth {
  std::uint8_t byte;
};

template <class Stored>
constexpr bool isReal = std::is_floating_point_v<Stored> || std::is_same_v<Stored, Half>;

/// What denseWeight() takes: int stays, other integers become int64, reals become double. A uint64
/// that int64 cannot hold becomes a number that is no weight and no infinity.
template <class Stored>
auto widened(Stored value) {
  if constexpr (std::is_same_v<Stored, int>)
    return value;
  else if constexpr (std::is_same_v<Stored, Half>)
    return value.value();
  else if constexpr (std::is_same_v<Stored, Truth>)
    return std::int64_t{value.byte != 0 ? 1 : kInf};
  else if constexpr (std::is_floating_point_v<Stored>)
    return static_cast<double>(value);
  else if constexpr (sizeof value < sizeof(std::int64_t) || std::is_signed_v<Stored>)
    return std::int64_t{value};
  else
    return static_cast<std::int64_t>(value <= INT64_MAX ? value : INT64_MAX - 1);
}

template <class Stored>
void swapBytes(Stored& value) {
  char* bytes = reinterpret_cast<char*>(&value);
  std::reverse(bytes, bytes + sizeof value);
}
