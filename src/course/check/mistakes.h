// Known mistakes as algorithms: each computes the result of a solver that makes the mistake.
#pragma once

#include <vector>

#include "base/graph.h"

using namespace engine;

/// A wrong version of Floyd–Warshall.
struct Mistake {
  /// Where its results are wrong. A solver with kTile or kBeyond works in tiles, and its result
  /// depends on their side.
  enum Place {
    kEverywhere,  ///< at every n, and the solver has no tiles
    kTile,        ///< at every n, because one tile alone is solved wrongly
    kBeyond,      ///< only where there is more than one tile
  };

  const char* pattern;  ///< the name of the diagnosis; several mistakes may have the same
  Place place;
  /// Whether solvers with this mistake agree on graphs whose last tile is partial.
  bool partialTiles;
  /// The matrix that the solver returns. side: of its tiles; 1 if it has none.
  Matrix (*result)(const Matrix& graph, int side);
};

/// All known mistakes that an algorithm describes.
const std::vector<Mistake>& knownMistakes();

/// The same matrix again.
Matrix copyOf(const Matrix& from);
/// Whether two matrices of the same size and type have the same entries.
bool same(const Matrix& a, const Matrix& b);
