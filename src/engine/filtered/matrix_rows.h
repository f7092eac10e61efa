// Rows of a matrix in host memory, as the filtered solver reads and writes them: a matrix in one
// piece, or the tiles of one rank's part.
#pragma once

#include <algorithm>
#include <cstddef>

#include "ranks/grid.h"

/// A band of rows of a matrix (n, n), divided into panels: a panel is `width` columns of all these
/// rows, row-major. A matrix in one piece is one panel.
struct MatrixRows {
  int n;
  Band rows;
  int* words;         ///< of the first panel
  int width;          ///< columns of a panel; the last one may have fewer
  std::size_t panel;  ///< words from a panel to the next

  /// The whole matrix. words: (n, n).
  static MatrixRows whole(int n, int* words) { return {n, {0, n}, words, n, 0}; }

  int* at(int u, int v) const {
    const int before = v < width ? 0 : v / width;  // panels
    return words + static_cast<std::size_t>(before) * panel +
           static_cast<std::size_t>(u - rows.first) * static_cast<std::size_t>(width) +
           (v - before * width);
  }
  /// How many words of a row lie one after the other from column v on.
  int pieceAt(int v) const { return std::min(width - v % width, n - v); }

  /// Calls visit(first, count, words) for the pieces of a row: the words of the columns from
  /// `first` on lie one after the other.
  template <class Visit>
  void forEachPiece(int u, const Visit& visit) const {
    int* piece = at(u, 0);
    for (int first = 0; first < n; first += width, piece += panel)
      visit(first, std::min(width, n - first), piece);
  }
};
