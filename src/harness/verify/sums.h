// What oracles add up in: sums that are more exact than numbers of the weights' own type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/dtype.h"

using namespace engine;

/// 128 bits.
__extension__ typedef __int128 Int128;

/// Sums of weights of type T. Of whole ones they are exact and do not overflow, whatever their
/// signs: no graph has as many as 2³³ vertices. Those of reals have 29 bits more than float32, or
/// 11 more than float64, so their rounding does not count.
template <class T>
using SumOf = std::conditional_t<
    std::is_same_v<T, std::int32_t>, std::int64_t,
    std::conditional_t<std::is_same_v<T, std::int64_t>, Int128,
                       std::conditional_t<std::is_same_v<T, float>, double, long double>>>;

/// The sum of no path, above all others.
template <class Sum>
inline constexpr Sum kNoPath = std::numeric_limits<Sum>::infinity();
template <>
inline constexpr std::int64_t kNoPath<std::int64_t> = std::numeric_limits<std::int64_t>::max();
template <>
inline constexpr Int128 kNoPath<Int128> = Int128{1} << 126;

/// The number of type T that is nearest to a sum. If that reaches infinity, it is infinity.
template <class T, class Sum>
T nearestTo(Sum sum) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::clamp(sum, -Sum{kInfinity<T>}, Sum{kInfinity<T>}));
  else
    return static_cast<T>(sum);
}
