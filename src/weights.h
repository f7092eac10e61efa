// Weights as files hold them, and a dense matrix of them made a graph.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "graph.h"

inline constexpr int kBad = -1;  ///< neither a weight nor kInf

/// An entry of a dense matrix as a weight or kInf; kBad where it is neither. T: int, int64, double.
template <class T>
int denseWeight(T entry) {
  if constexpr (std::is_floating_point_v<T>) {
    if (entry == std::numeric_limits<T>::infinity()) return kInf;
    if (!(entry >= -1 && entry <= kInf)) return kBad;  // NaN too
    if (static_cast<T>(static_cast<int>(entry)) != entry) return kBad;
  }
  const int none = entry == -1 || entry == kInf ? kInf : kBad;
  return entry >= 0 && entry < kInf ? static_cast<int>(entry) : none;
}

/// What to say of the edge from→to, in the ids of the file, whose weight is none.
inline std::string badWeight(std::int64_t from, std::int64_t to, const std::string& found) {
  return fmt::format("edge {}->{}: expected a whole weight in 0..{}, found {}", from, to, kInf - 1,
                     found);
}

/// The matrix as a graph: the diagonal becomes 0, entries on it other than 0 and kInf are
/// self-loops.
inline Graph fromMatrix(Matrix matrix) {
  Graph graph;
  graph.n = matrix.n();
  for (int i = 0; i < graph.n; ++i) {
    int& entry = matrix.row(i)[i];
    graph.selfLoops += entry != 0 && entry != kInf;
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
