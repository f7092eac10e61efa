// Rows of a matrix in host memory, as the filtered solver reads and writes them: a matrix in one
// piece, or the tiles of one rank's part.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/elements.h"
#include "base/size.h"
#include "ranks/grid.h"

namespace engine {

/// A band of rows of a matrix (n, n), divided into panels: a panel is `width` columns of all these
/// rows, row-major. A matrix in one piece is one panel.
struct MatrixRows {
  int n;
  Band rows;
  Elements elements;  ///< of the first panel
  int width;          ///< columns of a panel; the last one may have fewer
  std::size_t panel;  ///< elements from a panel to the next

  /// The whole matrix. elements: (n, n).
  static MatrixRows whole(int n, Elements elements) { return {n, {0, n}, elements, n, 0}; }

  Dtype dtype() const { return elements.dtype(); }

  /// An element. T: their type.
  template <class T>
  T* at(int u, int v) const {
    const int before = v < width ? 0 : v / width;  // panels
    return elements.as<T>() + asSize(before) * panel + asSize(u - rows.first) * asSize(width) +
           (v - before * width);
  }
  /// How many elements of a row lie one after the other from column v on.
  int pieceAt(int v) const { return std::min(width - v % width, n - v); }

  /// Calls visit(first, count, numbers) for the pieces of a row: the numbers, of type T, of the
  /// columns from `first` on lie one after the other.
  template <class T, class Visit>
  void forEachPiece(int u, const Visit& visit) const {
    T* piece = at<T>(u, 0);
    for (int first = 0; first < n; first += width, piece += panel)
      visit(first, std::min(width, n - first), piece);
  }
};

}  // namespace engine
