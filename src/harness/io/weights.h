// The numbers in graph files as weights. A weight is one element of a graph (base/dtype.h): an
// int32, or the bits of a float32 in an int.
#pragma once

#include <fmt/format.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "base/dtype.h"

inline constexpr int kBad = INT_MIN;  ///< neither a weight nor infinity, whatever the type

/// Whether a whole number is a weight: below kInf, and 0 or more. negative: or above −kInf.
inline bool isWeight(std::int64_t number, bool negative) {
  return number < kInf && number > (negative ? -std::int64_t{kInf} : -1);
}

/// A number as an int32 weight. +infinity is kInf; any other number that isWeight() refuses and any
/// fraction is kBad.
inline int wholeWeight(double number, bool negative) {
  if (number == HUGE_VAL) return kInf;
  if (!(number > -kInf && number < kInf)) return kBad;  // NaN too
  if (number < 0 && !negative) return kBad;
  const int weight = static_cast<int>(number);
  return weight == number ? weight : kBad;
}

/// A number as the nearest float32 weight. NaN and too large numbers are kBad, and so are negative
/// ones unless these are accepted. −0.0 becomes 0.0, because its bits would sort below all others.
inline int realWeight(double number, bool negative) {
  if (!(negative ? number == number : number >= 0)) return kBad;  // NaN too
  const float weight = static_cast<float>(number) + 0.0f;
  return std::isinf(weight) && number != HUGE_VAL ? kBad : toWord(weight);
}

/// An entry of a dense matrix in a file: there kInf means "no edge", as +infinity does. So does −1,
/// unless negative weights are accepted.
inline double denseEntry(double entry, bool negative) {
  return (entry == -1 && !negative) || entry == kInf ? HUGE_VAL : entry;
}

/// An entry of a dense matrix in a file as an int32 weight or kInf; kBad if it is neither. T is
/// int, int64 or double.
template <class T>
int denseWeight(T entry, bool negative) {
  if constexpr (std::is_floating_point_v<T>)
    return wholeWeight(denseEntry(entry, negative), negative);
  const T least = negative ? 1 - kInf : 0;
  const int none = entry == -1 || entry == kInf ? kInf : kBad;
  return entry >= least && entry < kInf ? static_cast<int>(entry) : none;
}

/// Whether a text is a real number, inf or nan.
bool isNumber(std::string_view text);

/// Which weights a reader accepts, for its messages: the format has integers only, --dtype i32 or
/// f32 was given, or neither was. With --negative: whole weights only, or any.
enum class Accepted { kIntegers, kWhole, kReals, kAny, kSignedWhole, kSigned };

/// The type of the weights while a file is read. It is the type asked for. If none is asked for, it
/// is int32 until the first weight that is not whole, and float32 from there on.
class ReadType {
 public:
  /// toFloats() must convert the weights that have been read so far. negative: accept negative
  /// weights.
  ReadType(std::optional<Dtype> asked, std::function<void()> toFloats, bool negative)
      : asked_(asked),
        dtype_(asked.value_or(Dtype::kInt32)),
        toFloats_(std::move(toFloats)),
        negative_(negative) {}

  bool negative() const { return negative_; }

  std::optional<Dtype> asked() const { return asked_; }
  Accepted accepted() const {
    if (negative_) return asked_ == Dtype::kInt32 ? Accepted::kSignedWhole : Accepted::kSigned;
    return !asked_                    ? Accepted::kAny
           : *asked_ == Dtype::kInt32 ? Accepted::kWhole
                                      : Accepted::kReals;
  }
  Dtype dtype() const { return dtype_; }
  bool whole() const { return dtype_ == Dtype::kInt32; }

  /// Makes the type float32. Returns false, and changes nothing, if int32 is asked for.
  bool becomeFloat() {
    if (asked_ == Dtype::kInt32) return false;
    if (whole()) toFloats_();
    dtype_ = Dtype::kFloat32;
    return true;
  }

  /// A number as a weight of this type, which may become float32; kBad if it is no weight.
  int weight(double number) {
    const int found = whole() ? wholeWeight(number, negative_) : kBad;
    return found == kBad && becomeFloat() ? realWeight(number, negative_) : found;
  }

 private:
  std::optional<Dtype> asked_;
  Dtype dtype_;
  std::function<void()> toFloats_;
  bool negative_;
};

/// What a text that is no weight of this kind should be, what was found, and what to do. Text from
/// a file is in quotes.
std::string badWeightText(const std::string& found, Accepted accepted);

/// The same about an edge, in the vertex ids or labels of the file.
template <class Vertex>
std::string badWeight(const Vertex& from, const Vertex& to, const std::string& found,
                      Accepted accepted = Accepted::kIntegers) {
  return fmt::format("edge {}->{}: {}", from, to, badWeightText(found, accepted));
}
