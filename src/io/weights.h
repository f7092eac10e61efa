// The numbers in graph files as weights. A weight is one element of a graph (core/dtype.h): an
// int32, or the bits of a float32 in an int.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "core/dtype.h"

inline constexpr int kBad = -1;  ///< neither a weight nor infinity, whatever the type

/// A number as an int32 weight. +infinity is kInf; any other number outside 0..kInf − 1 and any
/// fraction is kBad.
inline int wholeWeight(double number) {
  if (number == HUGE_VAL) return kInf;
  if (!(number >= 0 && number < kInf)) return kBad;  // NaN too
  const int weight = static_cast<int>(number);
  return weight == number ? weight : kBad;
}

/// A number as the nearest float32 weight. NaN, negative and too large numbers are kBad. −0.0
/// becomes 0.0, because its bits would sort below all others.
inline int realWeight(double number) {
  if (!(number >= 0)) return kBad;  // NaN too
  const float weight = static_cast<float>(number) + 0.0f;
  return std::isinf(weight) && number != HUGE_VAL ? kBad : toWord(weight);
}

/// An entry of a dense matrix in a file: there −1 and kInf mean "no edge", as +infinity does.
inline double denseEntry(double entry) {
  return entry == -1 || entry == kInf ? HUGE_VAL : entry;
}

/// An entry of a dense matrix in a file as an int32 weight or kInf; kBad if it is neither. T is
/// int, int64 or double.
template <class T>
int denseWeight(T entry) {
  if constexpr (std::is_floating_point_v<T>) return wholeWeight(denseEntry(entry));
  const int none = entry == -1 || entry == kInf ? kInf : kBad;
  return entry >= 0 && entry < kInf ? static_cast<int>(entry) : none;
}

/// The type of the weights while a file is read. It is the type asked for. If none is asked for, it
/// is int32 until the first weight that is not whole, and float32 from there on.
class ReadType {
 public:
  /// toFloats() must convert the weights that have been read so far.
  ReadType(std::optional<Dtype> asked, std::function<void()> toFloats)
      : asked_(asked), dtype_(asked.value_or(Dtype::kInt32)), toFloats_(std::move(toFloats)) {}

  std::optional<Dtype> asked() const { return asked_; }
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
    const int found = whole() ? wholeWeight(number) : kBad;
    return found == kBad && becomeFloat() ? realWeight(number) : found;
  }

 private:
  std::optional<Dtype> asked_;
  Dtype dtype_;
  std::function<void()> toFloats_;
};

/// The message about an edge, in the vertex ids or labels of the file, with a weight that is not of
/// the type asked for.
template <class Vertex>
std::string badWeight(const Vertex& from, const Vertex& to, const std::string& found,
                      std::optional<Dtype> asked = Dtype::kInt32) {
  const std::size_t sign = found.find_first_not_of('\'');  // text from a file is in quotes
  const bool negative = sign < found.size() && found[sign] == '-' &&
                        found.find_first_of("0123456789", sign) == sign + 1;
  if (negative)
    return fmt::format(
        "edge {}->{}: the weight {} is negative: negative weights are not supported "
        "yet, in any --dtype",
        from, to, found);
  const std::string whole = fmt::format("a whole weight in 0..{}", kInf - 1);
  const std::string expected = asked == Dtype::kInt32 ? whole
                               : asked == Dtype::kFloat32
                                   ? "a weight in 0..3.4e+38"
                                   : whole + ", or with --dtype f32 any up to 3.4e+38";
  return fmt::format("edge {}->{}: expected {}, found {}", from, to, expected, found);
}
