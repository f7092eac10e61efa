// The kernels of a round, for one tier and depth: what parts in GPU memory and parts that stream
// through it have in common. For .cu files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/size.h"
#include "dense/workspace.h"
#include "device/cuda_memory.h"
#include "device/stream.h"
#include "ranks/grid.h"
#include "several/product.cuh"
#include "solver/outcome.h"

namespace engine {

/// Depths are multiples of the largest tile.
constexpr int kUnit = 128;

/// Closing a pivot takes one in so many multiprocessors, because products need the others.
constexpr int kCloseShare = 4;

inline std::size_t size(int a, int b) {
  return asSize(a) * asSize(b);
}

// Words have 32 bits. A weight of a tier is half a word, one or two.

/// The words of so many weights, which are whole ones.
inline int wordsOf(int weights, Tier tier) {
  return static_cast<int>(asSize(weights) * dense::weightBytes(tier) / sizeof(int));
}
/// The words of a row of so many weights: whole int4.
int rowWordsOf(int columns, Tier tier);
/// The weights of so many words.
inline int weightsIn(int words, Tier tier) {
  return static_cast<int>(asSize(words) * sizeof(int) / dense::weightBytes(tier));
}

class RoundKernels {
 public:
  /// n: of the whole matrix; skip: leave out products with tiles that hold no path.
  RoundKernels(Tier tier, int n, int depth, bool skip);

  Tier tier() const { return tier_; }
  int steps() const { return depth_ / tile_; }  ///< tiles in a block
  int tilesIn(int vertices) const { return ceilDiv(vertices, tile_); }
  /// The most pivots that a round may have.
  int mostPivots() const { return tile_ * product::kMostSteps; }
  /// The tiles of block k among those of a band of blocks. If the block is not in the band, the
  /// result is empty and lies behind all lines, as Lines wants it.
  Band tilesOf(Band blocks, int tiles, int k) const;

  // ---- panels

  /// The words of a tile. A left one has a weight in a word at the least.
  std::size_t leftWords() const { return size(tile_, std::max(tile_, wordsOf(tile_, tier_))); }
  std::size_t rightWords() const { return size(tile_, wordsOf(tile_, tier_)); }
  /// Bytes of a panel of so many lines whose tiles have `words` words, with its flags.
  std::size_t panelBytes(int lines, std::size_t words) const;
  product::Panel panel(int* tiles, int lines, std::size_t words) const {
    return {tiles, tiles + size(lines, steps()) * words};
  }

  /// Packs columns of a matrix from a column of tiles on, in so many lines of tiles.
  void packLeft(WordMatrix from, int column, int lines, product::Panel panel,
                const Stream& stream) const;
  /// Packs rows of a matrix from a row of tiles on.
  void packRight(WordMatrix from, int row, int lines, product::Panel panel,
                 const Stream& stream) const;

  // ---- arithmetic

  /// Bytes of GPU memory that close() takes beside its arguments.
  std::size_t closeBytes() const;
  /// Closes the pivot of round k and packs it. It is the block of `from` at a row and a column of
  /// tiles; closed: room for (depth, depth) weights; share: as closeOnGpu() takes it.
  void close(int k, WordMatrix from, int row, int column, int* closed, product::Panel pivot,
             int share, const Stream& stream) const;
  /// Makes the row panel of round k from a row of tiles of a matrix, and packs it as `panel`.
  /// before: room for another such panel.
  void makeRowPanel(int k, WordMatrix matrix, int row, product::Panel pivot, product::Panel before,
                    product::Panel panel, const Stream& stream) const;
  /// matrix = min(matrix, left ⊗ right) in round k for some lines of tiles.
  void update(int k, WordMatrix matrix, product::Lines rows, product::Lines columns,
              product::Panel left, product::Panel right, const Stream& stream) const;

  // ---- lines of tiles

  static product::Lines only(Band tiles);
  /// So many lines without those of at most two bands, which are in ascending order.
  static product::Lines without(int lines, const std::vector<Band>& bands);

 private:
  template <class F>
  void withShape(F f) const;
  template <class T, int kTile>
  int sharedBytes() const;
  int sideFor(Tier tier) const;
  void clearFlags(product::Panel panel, int lines, const Stream& stream) const;
  product::Params parameters(int k, WordMatrix matrix) const;
  void multiply(product::Params p, const Stream& stream) const;
  /// The pivots of round k.
  int pivots(int k) const;

  Gpu gpu_;
  Tier tier_;
  int n_, depth_;
  bool skip_;
  int tile_;  // the side of the tiles
};

}  // namespace engine
