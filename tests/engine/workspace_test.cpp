// How much device memory the optimised solver says it needs (dense/workspace.h): the
// numbers by which a run is refused before anything is read.
#include "dense/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/graph.h"

using namespace engine;

namespace {

constexpr int kLuxembourg = 76595;  // vertices; not a multiple of 4
constexpr std::size_t kGigabyte = 1000 * 1000 * 1000;
constexpr Dtype kInt = Dtype::kInt32;
constexpr Tier kTiers[] = {Tier::kInt32, Tier::kUint16, Tier::kFloat32, Tier::kInt64,
                           Tier::kFloat64};

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
  EXPECT_LT(leastOf(n, Precision::k32), matrixBytes(n, kInt) / 40);
  EXPECT_EQ(leastOf(n, Precision::k32), dense::solverLayout(n, 128, Tier::kInt32).bytes);
}

TEST(Workspace, OtherRowsAreSolvedInACopyWithPaddedRows) {
  const std::size_t copy = sizeof(int) * std::size_t{kLuxembourg} * (kLuxembourg + 1);
  EXPECT_GE(leastOf(kLuxembourg, Precision::k32), copy);
  EXPECT_LT(leastOf(kLuxembourg, Precision::k32), copy + kGigabyte);
  const Dtype floats = Dtype::kFloat32;
  EXPECT_EQ(leastOf(kLuxembourg, Precision::k32),
            dense::workspaceOf(kLuxembourg, floats, {}).least);
}

/// Two numbers of 64 bits are a vector, so rows of an even number of them are aligned.
TEST(Workspace, RowsOf64BitsAreSolvedInPlaceIfTheirNumberIsEven) {
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64}) {
    for (const int n : {2, 6, 1000, 30002}) {
      const int tile = dense::tileSide(n, {}, tierOf(dtype));
      const std::size_t solver = dense::solverLayout(n, tile, tierOf(dtype)).bytes;
      EXPECT_EQ(dense::workspaceOf(n, dtype, {}).least, solver) << n;
      EXPECT_GE(dense::workspaceOf(n + 1, dtype, {}).least,
                matrixBytes(n + 1, dtype) + dense::solverLayout(n + 1, tile, tierOf(dtype)).bytes);
    }
    // They are never solved in fewer bits here: solver/narrowing.h comes before.
    for (const Precision precision : {Precision::k16, Precision::k32, Precision::k64})
      EXPECT_EQ(dense::workspaceOf(999, dtype, with(precision)).best,
                dense::workspaceOf(999, dtype, {}).best);
  }
}

TEST(Workspace, AGraphAtAnOddAddressIsCopiedToo) {
  const dense::Workspace aligned = dense::workspaceOf(4000, Dtype::kInt32, with(Precision::k32));
  const dense::Workspace odd = dense::workspaceOf(4000, Dtype::kInt32, with(Precision::k32), false);
  EXPECT_EQ(odd.least, aligned.least + dense::copyLayout(4000, Tier::kInt32).bytes);
}

TEST(Workspace, SixteenBitsNeedOneCopyOfTheirOwnAndNoOther) {
  for (const int n : {kLuxembourg, kLuxembourg + 1}) {
    EXPECT_GE(leastOf(n, Precision::k16), matrixBytes(n, kInt) / 2);
    EXPECT_LT(leastOf(n, Precision::k16), matrixBytes(n, kInt) / 2 + kGigabyte);
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
  EXPECT_LT(matrixBytes(kLuxembourg, kInt) + need.best, 78 * kGigabyte);
}

TEST(Workspace, NothingIsNeededForAnEmptyGraph) {
  EXPECT_EQ(dense::workspaceOf(0, Dtype::kInt32, {}).best, 0u);
  EXPECT_EQ(dense::workspaceOf(-1, Dtype::kInt32, {}).least, 0u);
}

TEST(Workspace, TheTilesSideIsThatOfTheOptions) {
  EXPECT_EQ(dense::tileSide(1000, {}, Tier::kInt32), 64);
  EXPECT_EQ(dense::tileSide(dense::kWideFrom, {}, Tier::kFloat32), 128);
  EXPECT_EQ(dense::tileSide(1000, with(Precision::k32, 128), Tier::kInt32), 128);
  EXPECT_EQ(dense::tileSide(5000, with(Precision::k32, 64), Tier::kInt32), 64);
  EXPECT_EQ(dense::tileSide(1000, with(Precision::k16, 64), Tier::kUint16), 128);
  EXPECT_EQ(dense::tileSide(1000, with(Precision::kAuto, 96), Tier::kInt64), 96);
  EXPECT_EQ(dense::tileSide(1000, {}, Tier::kInt64), 64);
  EXPECT_EQ(dense::tileSide(5000, {}, Tier::kFloat64), 96);
}

TEST(Workspace, RowsOfACopyAreWholeVectors) {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 129, kLuxembourg}) {
    for (const Tier tier : kTiers) {
      const dense::CopyLayout copy = dense::copyLayout(n, tier);
      const std::size_t row = sizeof(int) * copy.rowWords, weights = n * dense::weightBytes(tier);
      EXPECT_EQ(copy.rowWords % 4, 0) << n;
      EXPECT_GE(row, weights) << n;
      EXPECT_LT(row, weights + 16) << n;
      EXPECT_GE(copy.tooFar, sizeof(int) * static_cast<std::size_t>(n) * copy.rowWords) << n;
      EXPECT_EQ(copy.bytes, copy.tooFar + 256) << n;
    }
  }
}

/// The arrays of the solver come one after the other, and each has room for what it holds.
TEST(Workspace, TheSolversArraysDoNotOverlap) {
  for (const int n : {1, 64, 65, 1000, 5001}) {
    for (const int tile : {64, 128}) {
      for (const Tier tier : kTiers) {
        const dense::SolverLayout at = dense::solverLayout(n, tile, tier);
        const auto m = static_cast<std::size_t>((n + tile - 1) / tile);
        const auto side = static_cast<std::size_t>(tile), panels = dense::kRing * m;
        const std::size_t ints = sizeof(int), weights = panels * side * side;
        const std::size_t right = weights * dense::weightBytes(tier);
        const std::size_t left = std::max(right, weights * ints);
        const std::vector<std::size_t> offsets = {
            at.next,      at.criticalOn, at.exited, at.rounds, at.finished, at.finite[0],
            at.finite[1], at.left,       at.right,  at.before, at.bytes};
        const std::vector<std::size_t> bytes = {
            8,    ints,  ints, ints * m * m, ints * m, ints * panels, ints * panels,
            left, right, right};
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          EXPECT_GE(offsets[i + 1], offsets[i] + bytes[i]) << n << " " << i;
          EXPECT_EQ(offsets[i] % 256, 0u) << n << " " << i;
        }
        EXPECT_EQ(at.counters, at.left);
      }
    }
  }
}

}  // namespace
