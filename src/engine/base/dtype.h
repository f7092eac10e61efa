// The types of weights and distances. A leaf: it includes nothing of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

namespace engine {

enum class Dtype { kInt32, kFloat32, kInt64, kFloat64 };

inline constexpr Dtype kDtypes[] = {Dtype::kInt32, Dtype::kFloat32, Dtype::kInt64, Dtype::kFloat64};

/// "i32", "f32", "i64" or "f64", as --dtype and the records name it.
constexpr const char* nameOf(Dtype dtype) {
  constexpr const char* kNames[] = {"i32", "f32", "i64", "f64"};
  return kNames[static_cast<int>(dtype)];
}

/// Whether its numbers are whole. Sums of them are exact.
constexpr bool isWhole(Dtype dtype) {
  return dtype == Dtype::kInt32 || dtype == Dtype::kInt64;
}

/// Bytes of a number.
constexpr std::size_t sizeOf(Dtype dtype) {
  return dtype == Dtype::kInt32 || dtype == Dtype::kFloat32 ? 4 : 8;
}

/// Whether a number takes 64 bits.
constexpr bool isWide(Dtype dtype) {
  return sizeOf(dtype) == 8;
}

/// The unit roundoff u of a real type: 2⁻²⁴ or 2⁻⁵³. Rounding x changes it by u · |x| at the most.
constexpr double roundingOf(Dtype dtype) {
  return isWide(dtype) ? 0x1p-53 : 0x1p-24;
}

/// A number of one of the types. The alternatives are in the order of Dtype.
using Number = std::variant<std::int32_t, float, std::int64_t, double>;

inline Dtype dtypeOf(const Number& number) {
  return static_cast<Dtype>(number.index());
}

/// Whether T is one of the types.
template <class T>
inline constexpr bool kIsNumber = std::is_same_v<T, std::int32_t> || std::is_same_v<T, float> ||
                                  std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>;

/// The Dtype of T, one of the types.
template <class T>
inline constexpr Dtype kDtype = std::is_same_v<T, std::int32_t>   ? Dtype::kInt32
                                : std::is_same_v<T, float>        ? Dtype::kFloat32
                                : std::is_same_v<T, std::int64_t> ? Dtype::kInt64
                                                                  : Dtype::kFloat64;

/// "No edge" and "unreachable", above all weights. The sum of two of them does not wrap.
template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <>
inline constexpr std::int32_t kInfinity<std::int32_t> = (1 << 30) - 1;
template <>
inline constexpr std::int64_t kInfinity<std::int64_t> = (std::int64_t{1} << 62) - 1;

/// Calls f with a 0 of that type, and returns what f does.
template <class F>
decltype(auto) withType(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::kInt32:
      return f(std::int32_t{});
    case Dtype::kFloat32:
      return f(float{});
    case Dtype::kInt64:
      return f(std::int64_t{});
    case Dtype::kFloat64:
      break;
  }
  return f(double{});
}

inline Number infinityOf(Dtype dtype) {
  return withType(dtype, [](auto zero) -> Number { return kInfinity<decltype(zero)>; });
}

inline Number zeroOf(Dtype dtype) {
  return withType(dtype, [](auto zero) -> Number { return zero; });
}

/// The nearest double: the same number, if it is no int64 above 2⁵³.
inline double toDouble(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

/// A weight as the T that is nearest to it, which is never −0.0; infinity as infinity.
template <class T, class From>
constexpr T convertedTo(From weight) {
  return weight == kInfinity<From> ? kInfinity<T> : static_cast<T>(weight) + T(0);
}

/// The bits of a number, for hashes: whole numbers of both types have the same.
template <class T>
std::uint64_t bitsOf(T number) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Bits bits;
  std::memcpy(&bits, &number, sizeof bits);
  return static_cast<std::uint64_t>(bits);
}

/// Whether two distances agree: the same or, of reals, no further apart than tolerance·expected.
/// Infinity agrees with itself only, NaN with nothing. constexpr, because device code calls it,
/// too.
template <class T>
constexpr bool agree(T got, T expected, double tolerance) {
  if (got == expected) return true;
  if constexpr (std::is_integral_v<T>) return false;
  const double low = got < expected ? got : expected, high = got < expected ? expected : got;
  return expected <= std::numeric_limits<T>::max() && high - low <= tolerance * expected;
}

}  // namespace engine
