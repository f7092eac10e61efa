// A rank's part in host memory: tiles as in blocked_cpu.cpp, which explains them. A block is one
// tile, so a panel is a list of tiles, ready to be sent. The tiles of a column lie one after the
// other: together they are rows of one tile's width, and the filtered method sees them so.
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "dense/min_plus_cpu.h"
#include "filtered/filtered_cpu.h"
#include "several/column_team.h"
#include "several/part.h"

namespace engine {

namespace {

using tiles::kTile;

constexpr std::size_t kInTile = std::size_t{kTile} * kTile;  // elements

/// The tiles that a part holds: its own, and the panels of two rounds. One more lies at the end,
/// because the micro kernel prefetches the tile after the one that it computes.
std::size_t tilesOf(Band rows, Band columns) {
  const auto m = asSize(rows.count), k = asSize(columns.count);
  return m * k + 2 * (1 + m + k) + 1;
}

template <class T>
class CpuPart : public Part {
 public:
  CpuPart(int n, Band rowBlocks, Band columnBlocks)
      : n_(n), rowBlocks_(rowBlocks), columnBlocks_(columnBlocks) {
    const std::size_t bytes = tilesOf(rowBlocks, columnBlocks) * kInTile * sizeof(T);
    requireHostBytes(bytes, "a rank's part of the matrix");
    data_.reset(static_cast<T*>(std::aligned_alloc(kTile, bytes)));
    if (!data_)
      throw Error(ErrorCode::kMemory, "out of host memory for a rank's part of the matrix");
    std::fill_n(data_.get(), bytes / sizeof(T), kInfinity<T>);
  }

  Band rows() const override { return verticesOf(rowBlocks_, n_, kTile); }
  Band columns() const override { return verticesOf(columnBlocks_, n_, kTile); }

  int depth() const override { return kTile; }
  Tier onlyTier() const override { return tierOf(kDtype<T>); }

  void put(Band band, ConstElements elements) override {
    forEachPiece(band, elements.as<T>(),
                 [](T* tile, const T* piece, int count) { std::copy_n(piece, count, tile); });
  }
  void get(Band band, Elements elements) const override {
    forEachPiece(band, elements.as<T>(),
                 [](const T* tile, T* piece, int count) { std::copy_n(tile, count, piece); });
  }

  std::optional<Outcome> filter(const Options& options, GridRanks& ranks,
                                RankTimes& times) override {
    const auto effort = effortOnCpu(options);
    if (!effort || ranks.grid.columns > 1) return std::nullopt;
    ColumnTeam team(*ranks.column, bandsOf(n_, kTile, ranks.grid.rows));
    const MatrixRows matrix{n_, rows(), data_.get(), kTile, rowBlocks_.count * kInTile};
    std::optional<Outcome> done;
    const double all = millisecondsOf([&] { done = solveFilteredOnRanks(matrix, *effort, team); });
    times = {all - team.wait(), team.wait(), team.bytes()};
    return done;
  }

  void close(int k) override {
    tiles::close(relax_, extent(k), tile(k, k));
    std::copy_n(tile(k, k), kInTile, pivotTile(k));
  }
  Message pivot(int k) override { return {pivotTile(k), kInTile * sizeof(T)}; }

  void makeRowPanel(int k) override {
#pragma omp parallel for schedule(static)
    for (int j = columnBlocks_.first; j < columnBlocks_.end(); ++j) {
      T* const d = tile(k, j);
      if (j == k)
        std::copy_n(pivotTile(k), kInTile, d);
      else
        relax_(extent(k), extent(j), extent(k), d, pivotTile(k), d);
      std::copy_n(d, kInTile, rowTile(k, j));
    }
  }
  Message rowPanel(int k) override {
    return {rowTile(k, columnBlocks_.first), columnBlocks_.count * kInTile * sizeof(T)};
  }

  void makeColumnPanel(int k) override {
    for (int i = rowBlocks_.first; i < rowBlocks_.end(); ++i)
      std::copy_n(tile(i, k), kInTile, columnTile(k, i));
  }
  Message columnPanel(int k) override {
    return {columnTile(k, rowBlocks_.first), rowBlocks_.count * kInTile * sizeof(T)};
  }

  void update(int k, Which which) override {
    // Columns of tiles, because they are contiguous.
#pragma omp parallel for schedule(dynamic)
    for (int j = columnBlocks_.first; j < columnBlocks_.end(); ++j) {
      for (int i = rowBlocks_.first; i < rowBlocks_.end(); ++i) {
        const bool next = i == k + 1 || j == k + 1;
        if (i == k || next != (which == Which::kNext)) continue;
        relax_(extent(i), extent(j), extent(k), tile(i, j), columnTile(k, i), rowTile(k, j));
      }
    }
  }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };

  /// The vertices of a block.
  int extent(int block) const {
    return std::min(kTile, n_ - block * kTile);
  }

  T* at(std::size_t tile) const {
    return data_.get() + tile * kInTile;
  }
  T* tile(int i, int j) const {
    return at(asSize(j - columnBlocks_.first) * rowBlocks_.count + (i - rowBlocks_.first));
  }
  /// The memory of round k's panels: the pivot, the column panel, the row panel.
  std::size_t panels(int k) const {
    const auto m = asSize(rowBlocks_.count);
    const auto c = asSize(columnBlocks_.count);
    return m * c + (k % 2) * (1 + m + c);
  }
  T* pivotTile(int k) const {
    return at(panels(k));
  }
  T* columnTile(int k, int i) const {
    return at(panels(k) + 1 + (i - rowBlocks_.first));
  }
  T* rowTile(int k, int j) const {
    return at(panels(k) + 1 + rowBlocks_.count + (j - columnBlocks_.first));
  }

  /// Calls move(address in a tile, address in elements, count) for the pieces of these rows.
  template <class Element, class Move>
  void forEachPiece(Band band, Element* elements, Move move) const {
    const Band all = columns();
    for (int i = band.first; i < band.end(); ++i) {
      Element* const row = elements + asSize(i - band.first) * all.count;
      for (int j = columnBlocks_.first; j < columnBlocks_.end(); ++j)
        move(tile(i / kTile, j) + (i % kTile) * kTile, row + (j * kTile - all.first), extent(j));
    }
  }

  int n_;
  Band rowBlocks_, columnBlocks_;
  tiles::Relax<T> relax_ = tiles::findRelax<T>();
  std::unique_ptr<T[], Free> data_;
};

Band tileRowsOf(int n, int parts, int i) {
  return shareOf(blocksOf(n, kTile), parts, i);
}

}  // namespace

std::size_t bytesOnCpu(int n, Dtype dtype, Grid grid, int rank) {
  return kInTile * sizeOf(dtype) *
         tilesOf(tileRowsOf(n, grid.rows, grid.rowOf(rank)),
                 tileRowsOf(n, grid.columns, grid.columnOf(rank)));
}

std::unique_ptr<Part> partOnCpu(int n, Dtype dtype, Grid grid, int rank) {
  const Band rows = tileRowsOf(n, grid.rows, grid.rowOf(rank));
  const Band columns = tileRowsOf(n, grid.columns, grid.columnOf(rank));
  return withType(dtype, [&](auto zero) -> std::unique_ptr<Part> {
    return std::make_unique<CpuPart<decltype(zero)>>(n, rows, columns);
  });
}

}  // namespace engine
