// Report C: tiles of 64×64 by 32×32 threads, 2×2 entries of each in a thread's registers.
//
// Source: course report C, Tesla P100; rounds.cuh says what the three phases are and why they are
// right. It describes one state:
//
//     c1  The thread at (y, x) has the entries in rows 2y and 2y + 1 and columns 2x and 2x + 1 of a
//         tile. Four values read from shared memory serve four relaxations, where a tile of 32 has
//         two for one, and the pivot's chain is half as many rounds. The loop over k is inside the
//         kernel and unrolled; one kernel has the row panel and the column panel.
//
// The grids of phases 2 and 3 cover the pivot and the panels too, where they change nothing. Here
// such tiles are computed as well but not stored, as other blocks may be reading them.
#include "ladder/ladder.h"
#include "ladder/rounds.cuh"

namespace {

void c1(int n, int* graph);

}  // namespace

Report reportC() {
  return {"C",
          "64×64 tiles, 2×2 entries a thread in registers",
          "Tesla P100",
          "ladder/report_c.cu",
          {14.805482, 377.098447, 2971.935243, 10015.080836, 22626.396011},
          {{"c1",
            "64×64 tiles, 2×2 entries a thread",
            nullptr,
            c1,
            {1.191226, 12.449682, 76.350631, 261.490285, 599.162586}}}};
}

namespace {

using ladder::Distances;
using ladder::kThreads;

constexpr int kSide = 64;
constexpr int kEach = 2;  // rows, and columns, a thread

static_assert(kSide == kEach * ladder::kSide);

using Tile = int[kSide][kSide];

/// A thread's entries of a tile.
struct Square {
  int at[kEach][kEach];
};

/// Calls visit(y, x) for each place in a square.
template <class Visit>
__device__ void forEach(Visit visit) {
  for (int y = 0; y < kEach; ++y) {
    for (int x = 0; x < kEach; ++x) visit(y, x);
  }
}

__device__ int firstRow() {
  return kEach * threadIdx.y;
}
__device__ int firstColumn() {
  return kEach * threadIdx.x;
}

/// The thread's entry of tile (row, column) that is at (y, x) of its square.
__device__ ladder::Entry entryOf(int row, int column, int y, int x) {
  return {row * kSide + firstRow() + y, column * kSide + firstColumn() + x};
}

__device__ Square load(Distances d, int row, int column) {
  Square square;
  forEach([&](int y, int x) { square.at[y][x] = d.load(entryOf(row, column, y, x)); });
  return square;
}

__device__ void store(Distances d, int row, int column, const Square& square) {
  forEach([&](int y, int x) { d.store(entryOf(row, column, y, x), square.at[y][x]); });
}

__device__ void put(Tile& tile, const Square& square) {
  forEach([&](int y, int x) { tile[firstRow() + y][firstColumn() + x] = square.at[y][x]; });
}

/// The sums of step k for a thread's entries of a ⊗ b.
__device__ Square sums(const Tile& a, const Tile& b, int k) {
  const int left[kEach] = {a[firstRow()][k], a[firstRow() + 1][k]};
  const int up[kEach] = {b[k][firstColumn()], b[k][firstColumn() + 1]};
  return {{{left[0] + up[0], left[0] + up[1]}, {left[1] + up[0], left[1] + up[1]}}};
}

/// Phases 1 and 2: c = min(c, a ⊗ b), c being a or b as well and `own` the thread's entries of it.
__device__ void relaxInPlace(Square& own, Tile& c, const Tile& a, const Tile& b) {
#pragma unroll 64
  for (int k = 0; k < kSide; ++k) {
    const Square through = sums(a, b, k);
    forEach([&](int y, int x) {
      if (through.at[y][x] < own.at[y][x])
        c[firstRow() + y][firstColumn() + x] = own.at[y][x] = through.at[y][x];
    });
    __syncthreads();  // all of c has taken step k
  }
}

__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  __shared__ Tile tile;
  Square own = load(d, p, p);
  put(tile, own);
  __syncthreads();  // the tile is there
  relaxInPlace(own, tile, tile, tile);
  store(d, p, p, own);
}

/// blockIdx.y: 0 for the row panel, 1 for the column panel.
__global__ void __launch_bounds__(kThreads) updatePanels(Distances d, int p) {
  __shared__ Tile pivot, tile;
  const int t = blockIdx.x;
  const bool inRow = blockIdx.y == 0;
  const int row = inRow ? p : t, column = inRow ? t : p;
  Square own = load(d, row, column);
  put(pivot, load(d, p, p));
  put(tile, own);
  __syncthreads();  // both tiles are there
  if (inRow) {
    relaxInPlace(own, tile, pivot, tile);
  } else {
    relaxInPlace(own, tile, tile, pivot);
  }
  if (t != p) store(d, row, column, own);
}

__global__ void __launch_bounds__(kThreads) updateRest(Distances d, int p) {
  __shared__ Tile left, up;
  const int row = blockIdx.y, column = blockIdx.x;
  Square own = load(d, row, column);
  put(left, load(d, row, p));
  put(up, load(d, p, column));
  __syncthreads();  // the panels' tiles are there
#pragma unroll 64
  for (int k = 0; k < kSide; ++k) {
    const Square through = sums(left, up, k);
    forEach([&](int y, int x) { own.at[y][x] = min(own.at[y][x], through.at[y][x]); });
  }
  if (row != p && column != p) store(d, row, column, own);
}

void c1(int n, int* graph) {
  const int m = ceilDiv(n, kSide);
  ladder::solveInRounds(n, graph, kSide,
                        {{closePivot, 1}, {updatePanels, dim3(m, 2)}, {updateRest, dim3(m, m)}});
}

}  // namespace
