// The numbers in graph files as weights (base/dtype.h), and the type that all weights of a file
// get.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "apsp.h"
#include "base/dtype.h"

using namespace engine;

/// Neither a weight nor infinity of T.
template <class T>
inline constexpr T kBad = std::is_integral_v<T> ? std::numeric_limits<T>::min()
                                                : std::numeric_limits<T>::quiet_NaN();

/// Whether it is kBad, if it may also be a weight or infinity. NaN is neither.
template <class T>
constexpr bool isBad(T weight) {
  if constexpr (std::is_integral_v<T>)
    return weight == kBad<T>;
  else
    return weight != weight;
}

/// Whether a number is infinity of its type.
inline bool isInfinite(const Number& number) {
  return std::visit([](auto value) { return value == kInfinity<decltype(value)>; }, number);
}

/// Whether a whole number is a weight of T: below infinity, and 0 or more. negative: or above
/// −infinity.
template <class T>
constexpr bool isWeight(std::int64_t number, bool negative) {
  return number < kInfinity<T> && number > (negative ? -std::int64_t{kInfinity<T>} : -1);
}

/// Up to here, doubles hold all whole numbers.
inline constexpr double kExactDoubles = 0x1p53;

/// A number as a whole weight. +infinity is infinity; any other number that isWeight() refuses, any
/// fraction, and any number above `most` is kBad.
template <class T>
T wholeWeight(double number, bool negative, double most) {
  if (number == HUGE_VAL) return kInfinity<T>;
  if (!(number >= -most && number <= most)) return kBad<T>;  // NaN too
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number && isWeight<T>(whole, negative)
             ? static_cast<T>(whole)
             : kBad<T>;
}

/// A number as the nearest real weight. NaN and numbers that are too large are kBad, and so are
/// negative ones unless these are accepted. −0.0 becomes 0.0, because no weight is −0.0.
template <class T>
T realWeight(double number, bool negative) {
  if (!(negative ? number == number : number >= 0)) return kBad<T>;  // NaN too
  const T weight = static_cast<T>(number) + T(0);
  const bool large = std::isinf(weight) && number != HUGE_VAL;
  return large ? kBad<T> : weight;
}

/// Whether a whole number in a dense matrix is the infinity of int64, or NumPy's largest int64.
constexpr bool isLongInfinity(std::int64_t entry) {
  return entry == kInfinity<std::int64_t> || entry == std::numeric_limits<std::int64_t>::max();
}

/// Whether a real number that double cannot hold is nearly 0, and not too large.
bool isTiny(std::string_view number);

/// The number that the whole text is, and that T holds. A real one that is too small is 0.
template <class T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>)
    if (error == std::errc::result_out_of_range && isTiny(text)) return T(0);
  return error == std::errc() ? std::optional<T>(number) : std::nullopt;
}

/// Whether a text is a real number, inf or nan.
bool isNumber(std::string_view text);

/// What the numbers of a format, or of a type in a binary file, may be.
struct NumberKind {
  bool wide = true;  ///< whole numbers may be larger than int32 weights
  /// The type that weights get that are not whole, if none is asked for. None: all are whole.
  std::optional<Dtype> reals = Dtype::kFloat64;
};
inline constexpr NumberKind kTextNumbers{}, kWholeNumbers{true, std::nullopt},
    kShortNumbers{false, std::nullopt}, kFloats{false, Dtype::kFloat32}, kDoubles{};

/// Which weights a reader accepts, for its messages.
struct Accepted {
  NumberKind kind = {};
  std::optional<Dtype> asked = {};  ///< by --dtype
  bool negative = false;            ///< --negative is given

  /// The type of the largest weights.
  Dtype widest() const;
};

/// The type of the weights while a file is read. It is the type asked for. If none is asked for, it
/// is int32 at first. With the first whole number that int32 cannot hold it becomes int64, and
/// float64 with the first that is not whole, or that int64 cannot hold (float32 if the file has no
/// wider numbers). A number with a fraction or an exponent counts as whole up to 2⁵³ only.
class ReadType {
 public:
  /// negative: accept negative weights.
  ReadType(std::optional<Dtype> asked, NumberKind kind, bool negative)
      : asked_(asked), kind_(kind), dtype_(asked.value_or(Dtype::kInt32)), negative_(negative) {}

  bool negative() const { return negative_; }
  bool takesReals() const { return kind_.reals.has_value(); }
  Accepted accepted() const { return {kind_, asked_, negative_}; }
  Dtype dtype() const { return dtype_; }

  /// The weight 1.
  Number one() const {
    return withType(dtype_, [](auto zero) -> Number { return static_cast<decltype(zero)>(1); });
  }

  /// A number as a weight of this type, which may change; +infinity as infinity. None if it is no
  /// weight.
  std::optional<Number> weight(std::int64_t number) {
    if (dtype_ == Dtype::kInt32 && number >= 0 && number < kInf)
      return Number(static_cast<std::int32_t>(number));
    return otherWeight(number);
  }
  std::optional<Number> weight(double number);

  /// The same of an entry of a dense matrix: there some whole numbers are infinity (formats.h).
  std::optional<Number> entry(std::int64_t number);
  std::optional<Number> entry(double number);

  /// Whether there was an entry 1073741823, and nobody can tell what it means (formats.h).
  bool unclear() const {
    return shortInfinity_ && (longInfinity_ || dtype_ != Dtype::kInt32) && !asked_;
  }

 private:
  std::optional<Number> otherWeight(std::int64_t number);

  std::optional<Dtype> asked_;
  NumberKind kind_;
  Dtype dtype_;
  bool negative_;
  bool shortInfinity_ = false, longInfinity_ = false;
};

/// What read(type) gives: the weight of the edge from→to. A self-loop is dropped, so that its
/// weight does not matter for the type, unless it is below 0, which is an error.
template <class Read>
std::optional<Number> readWeight(int from, int to, ReadType& type, const Read& read) {
  if (from != to) return read(type);
  ReadType own = type;
  const std::optional<Number> weight = read(own);
  if (!weight) return weight;
  const double size = toDouble(*weight);
  if (size < 0) {
    type = own;
    return weight;
  }
  if (isInfinite(*weight)) return infinityOf(type.dtype());
  return size > 0 ? type.one() : zeroOf(type.dtype());
}

/// The message about such an entry. dtype: of the weights. takesInfinity: the file can hold inf.
std::string unclearEntryText(Dtype dtype, bool takesInfinity);

/// What a text that is no weight of this kind should be, what was found, and what to do. Text from
/// a file is in quotes.
std::string badWeightText(const std::string& found, const Accepted& accepted);

/// The same about an edge, in the vertex ids or labels of the file.
template <class Vertex>
std::string badWeight(const Vertex& from, const Vertex& to, const std::string& found,
                      const Accepted& accepted) {
  return fmt::format("edge {}->{}: {}", from, to, badWeightText(found, accepted));
}
