// Weights as files hold them, and a dense matrix of them made a graph.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "core/graph.h"

inline constexpr int kBad = -1;  ///< neither a weight nor infinity, of whichever type

/// A number as an int32 weight: +infinity is kInf, what is no whole number in 0..kInf − 1 is kBad.
inline int wholeWeight(double number) {
  if (number == HUGE_VAL) return kInf;
  if (!(number >= 0 && number < kInf)) return kBad;  // NaN too
  const int weight = static_cast<int>(number);
  return weight == number ? weight : kBad;
}

/// A number as the word of the nearest float32; NaN, what is negative or too large is kBad. −0.0
/// becomes 0.0, for its bits sort below all others.
inline int realWeight(double number) {
  if (!(number >= 0)) return kBad;  // NaN too
  const float weight = static_cast<float>(number) + 0.0f;
  return std::isinf(weight) && number != HUGE_VAL ? kBad : toWord(weight);
}

/// In a dense matrix, −1 and kInf are "no edge", too.
inline double denseEntry(double entry) {
  return entry == -1 || entry == kInf ? HUGE_VAL : entry;
}

/// An entry of a dense matrix as an int32 weight or kInf; kBad where it is neither. T: int, int64,
/// double.
template <class T>
int denseWeight(T entry) {
  if constexpr (std::is_floating_point_v<T>) return wholeWeight(denseEntry(entry));
  const int none = entry == -1 || entry == kInf ? kInf : kBad;
  return entry >= 0 && entry < kInf ? static_cast<int>(entry) : none;
}

/// The type of a graph's weights while they are read: what is asked for or, where nothing is, int32
/// until one is met that is not whole.
class WeightType {
 public:
  /// toFloats() makes floats of those that have been read.
  WeightType(std::optional<Dtype> asked, std::function<void()> toFloats)
      : asked_(asked), dtype_(asked.value_or(Dtype::kInt32)), toFloats_(std::move(toFloats)) {}

  std::optional<Dtype> asked() const { return asked_; }
  Dtype dtype() const { return dtype_; }
  bool whole() const { return dtype_ == Dtype::kInt32; }

  /// From here on weights are floats; false where int32 is asked for.
  bool becomeFloat() {
    if (asked_ == Dtype::kInt32) return false;
    if (whole()) toFloats_();
    dtype_ = Dtype::kFloat32;
    return true;
  }

  /// A number as a word, kBad where it is no weight.
  int word(double number) {
    const int weight = whole() ? wholeWeight(number) : kBad;
    return weight == kBad && becomeFloat() ? realWeight(number) : weight;
  }

 private:
  std::optional<Dtype> asked_;
  Dtype dtype_;
  std::function<void()> toFloats_;
};

/// What to say of the edge from→to, in the ids of the file, whose weight is none of the type asked
/// for.
inline std::string badWeight(std::int64_t from, std::int64_t to, const std::string& found,
                             std::optional<Dtype> asked = Dtype::kInt32) {
  const std::string whole = fmt::format("a whole weight in 0..{}", kInf - 1);
  const std::string expected = asked == Dtype::kInt32 ? whole
                               : asked == Dtype::kFloat32
                                   ? "a weight in 0..3.4e+38"
                                   : whole + ", or with --dtype f32 any up to 3.4e+38";
  return fmt::format("edge {}->{}: expected {}, found {}", from, to, expected, found);
}

/// The matrix as a graph: the diagonal becomes 0, entries on it other than 0 and infinity are
/// self-loops.
inline Graph fromMatrix(Matrix matrix, Dtype dtype = Dtype::kInt32) {
  Graph graph;
  graph.n = matrix.n();
  graph.dtype = dtype;
  for (int i = 0; i < graph.n; ++i) {
    int& entry = matrix.row(i)[i];
    graph.selfLoops += entry != 0 && entry != infinity(dtype);
    entry = 0;
  }
  graph.body = std::move(matrix);
  return graph;
}

/// Transposes in place, tile by tile.
inline void transpose(Matrix& matrix) {
  constexpr int kTile = 32;
  const int n = matrix.n();
#pragma omp parallel for schedule(dynamic)
  for (int top = 0; top < n; top += kTile)
    for (int left = 0; left <= top; left += kTile)
      for (int i = top; i < std::min(top + kTile, n); ++i)
        for (int j = left; j < std::min(left + kTile, i); ++j)
          std::swap(matrix.row(i)[j], matrix.row(j)[i]);
}
