// How much device memory the optimised solver says it needs (dense/workspace.h): the
// numbers by which a run is refused before anything is read.
#include "dense/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/graph.h"

namespace {

constexpr int kLuxembourg = 76595;  // vertices; not a multiple of 4
constexpr std::size_t kGigabyte = 1000 * 1000 * 1000;

Options with(Precision precision, int tile = 0) {
  Options options;
  options.precision = precision;
  options.tile = tile;
  return options;
}

std::size_t leastOf(int n, Precision precision) {
  return dense::workspaceOf(n, Dtype::kInt32, with(precision)).least;
}

TEST(Workspace, RowsOfAMultipleOfFourAreSolvedInPlace) {
  const int n = kLuxembourg + 1;
  EXPECT_LT(leastOf(n, Precision::k32), matrixBytes(n) / 40);
  EXPECT_EQ(leastOf(n, Precision::k32), dense::solverLayout(n, 128, 1).bytes);
}

TEST(Workspace, OtherRowsAreSolvedInACopyWithPaddedRows) {
  const std::size_t copy = sizeof(int) * std::size_t{kLuxembourg} * (kLuxembourg + 1);
  EXPECT_GE(leastOf(kLuxembourg, Precision::k32), copy);
  EXPECT_LT(leastOf(kLuxembourg, Precision::k32), copy + kGigabyte);
  const Dtype floats = Dtype::kFloat32;
  EXPECT_EQ(leastOf(kLuxembourg, Precision::k32),
            dense::workspaceOf(kLuxembourg, floats, {}).least);
}

TEST(Workspace, AGraphAtAnOddAddressIsCopiedToo) {
  const dense::Workspace aligned = dense::workspaceOf(4000, Dtype::kInt32, with(Precision::k32));
  const dense::Workspace odd = dense::workspaceOf(4000, Dtype::kInt32, with(Precision::k32), false);
  EXPECT_EQ(odd.least, aligned.least + dense::copyLayout(4000, 1).bytes);
}

TEST(Workspace, SixteenBitsNeedOneCopyOfTheirOwnAndNoOther) {
  for (const int n : {kLuxembourg, kLuxembourg + 1}) {
    EXPECT_GE(leastOf(n, Precision::k16), matrixBytes(n) / 2);
    EXPECT_LT(leastOf(n, Precision::k16), matrixBytes(n) / 2 + kGigabyte);
  }
}

TEST(Workspace, AutomaticPrecisionNeedsTheLessAtLeastAndTheMoreAtBest) {
  for (const int n : {1, 5, 1000, 1999, 2000, kLuxembourg, kLuxembourg + 1}) {
    const dense::Workspace any = dense::workspaceOf(n, Dtype::kInt32, with(Precision::kAuto));
    const dense::Workspace wide = dense::workspaceOf(n, Dtype::kInt32, with(Precision::k32));
    const dense::Workspace narrow = dense::workspaceOf(n, Dtype::kInt32, with(Precision::k16));
    EXPECT_EQ(any.least, std::min(wide.least, narrow.least)) << n;
    EXPECT_EQ(any.best, std::max(wide.best, narrow.best)) << n;
    EXPECT_LE(any.least, any.best) << n;
    EXPECT_LE(wide.least, wide.best) << n;
  }
}

TEST(Workspace, LuxembourgFitsOnAGpuOf80GB) {
  const dense::Workspace need = dense::workspaceOf(kLuxembourg, Dtype::kInt32, {});
  EXPECT_LT(matrixBytes(kLuxembourg) + need.best, 78 * kGigabyte);
}

TEST(Workspace, NothingIsNeededForAnEmptyGraph) {
  EXPECT_EQ(dense::workspaceOf(0, Dtype::kInt32, {}).best, 0u);
  EXPECT_EQ(dense::workspaceOf(-1, Dtype::kInt32, {}).least, 0u);
}

TEST(Workspace, TheTilesSideIsThatOfTheOptions) {
  EXPECT_EQ(dense::tileSide(1000, {}, 1), 64);
  EXPECT_EQ(dense::tileSide(dense::kWideFrom, {}, 1), 128);
  EXPECT_EQ(dense::tileSide(1000, with(Precision::k32, 128), 1), 128);
  EXPECT_EQ(dense::tileSide(5000, with(Precision::k32, 64), 1), 64);
  EXPECT_EQ(dense::tileSide(1000, with(Precision::k16, 64), 2), 128);
}

TEST(Workspace, RowsOfACopyAreWholeVectors) {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 129, kLuxembourg}) {
    for (const int pack : {1, 2}) {
      const dense::CopyLayout copy = dense::copyLayout(n, pack);
      EXPECT_EQ(copy.rowWords % 4, 0) << n;
      EXPECT_GE(copy.rowWords * pack, n) << n;
      EXPECT_LT(copy.rowWords * pack, n + 4 * pack) << n;
      EXPECT_GE(copy.tooFar, sizeof(int) * static_cast<std::size_t>(n) * copy.rowWords) << n;
      EXPECT_EQ(copy.bytes, copy.tooFar + 256) << n;
    }
  }
}

/// The arrays of the solver come one after the other, and each has room for what it holds.
TEST(Workspace, TheSolversArraysDoNotOverlap) {
  for (const int n : {1, 64, 65, 1000, 5001}) {
    for (const int tile : {64, 128}) {
      for (const int pack : {1, 2}) {
        const dense::SolverLayout at = dense::solverLayout(n, tile, pack);
        const auto m = static_cast<std::size_t>((n + tile - 1) / tile);
        const auto side = static_cast<std::size_t>(tile), panels = dense::kRing * m;
        const std::size_t left = panels * side * side, right = left / pack;
        const std::vector<std::size_t> offsets = {
            at.next,      at.criticalOn, at.exited, at.rounds, at.finished, at.finite[0],
            at.finite[1], at.left,       at.right,  at.before, at.bytes};
        const std::vector<std::size_t> ints = {2,      1,      1,    m * m, m,
                                               panels, panels, left, right, right};
        for (std::size_t i = 0; i < ints.size(); ++i) {
          EXPECT_GE(offsets[i + 1], offsets[i] + sizeof(int) * ints[i]) << n << " " << i;
          EXPECT_EQ(offsets[i] % 256, 0u) << n << " " << i;
        }
        EXPECT_EQ(at.counters, at.left);
      }
    }
  }
}

}  // namespace
