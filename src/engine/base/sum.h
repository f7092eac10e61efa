// The type that numbers are added up in.
#pragma once

#include <cstdint>
#include <type_traits>

namespace engine {

/// A sum of distances, exactly if they are whole numbers: then `real` is 0, and `whole` otherwise.
struct Total {
  __int128 whole = 0;
  double real = 0;

  /// As a double, rounded once if it is whole.
  double value() const { return static_cast<double>(whole) + real; }
  Total& operator+=(const Total& other) {
    whole += other.whole;
    real += other.real;
    return *this;
  }
};

/// Holds the sum of n numbers of type T, and exactly if they are whole: a graph has fewer than 2³¹
/// vertices.
template <class T>
using SumOfMany = std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t,
                                     std::conditional_t<std::is_integral_v<T>, __int128, double>>;

}  // namespace engine
