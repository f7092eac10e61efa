// How a matrix is divided over ranks: a grid of P × Q ranks, each with a band of rows and a band of
// columns. The unit is a block of `depth` vertices, the pivots of one round. Bands differ by one
// block at most, and a rank has none if there are more bands than blocks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace engine {

/// A range of whole numbers.
struct Band {
  int first = 0, count = 0;
  int end() const { return first + count; }
  bool has(int i) const { return i >= first && i < end(); }
};

struct Grid {
  int rows = 1, columns = 1;  ///< P and Q

  int ranks() const { return rows * columns; }
  /// Ranks are numbered row by row.
  int rowOf(int rank) const { return rank / columns; }
  int columnOf(int rank) const { return rank % columns; }
};

/// "4x1"
inline std::string gridText(Grid grid) {
  return std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
}

/// From so many ranks on, the default is a grid near to a square. It sends less than a
/// column of ranks, but two messages a round instead of one (docs/scale.md).
inline constexpr int kSquareFrom = 17;

/// The grid for so many ranks: P × 1, or from kSquareFrom on the one nearest to a square.
inline Grid defaultGrid(int ranks) {
  Grid grid{ranks, 1};
  if (ranks < kSquareFrom) return grid;
  for (int columns = 1; columns * columns <= ranks; ++columns)
    if (ranks % columns == 0) grid = {ranks / columns, columns};
  return grid;
}

/// The blocks of depth vertices among n.
inline int blocksOf(int n, int depth) {
  return (n + depth - 1) / depth;
}

/// The share of part `i` of `parts` in `blocks` blocks.
inline Band shareOf(int blocks, int parts, int i) {
  const auto from = [&](int part) {
    return static_cast<int>(static_cast<long long>(blocks) * part / parts);
  };
  return {from(i), from(i + 1) - from(i)};
}

/// Which part has a block.
inline int ownerOf(int blocks, int parts, int block) {
  int owner = static_cast<int>(static_cast<long long>(block) * parts / blocks);
  while (!shareOf(blocks, parts, owner).has(block)) ++owner;
  return owner;
}

/// The vertices of a band of blocks.
inline Band verticesOf(Band blocks, int n, int depth) {
  const int first = std::min(n, blocks.first * depth), end = std::min(n, blocks.end() * depth);
  return {first, end - first};
}

/// The vertices of each of so many parts.
inline std::vector<Band> bandsOf(int n, int depth, int parts) {
  std::vector<Band> bands;
  for (int i = 0; i < parts; ++i)
    bands.push_back(verticesOf(shareOf(blocksOf(n, depth), parts, i), n, depth));
  return bands;
}

}  // namespace engine
