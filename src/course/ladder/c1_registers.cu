// Report C: tiles of 64 × 64 for 32 × 32 threads, with 2 × 2 entries in the registers of a thread.
//
// Source: course report C, Tesla P100. rounds.cuh explains the three phases and why they are right.
// The report describes one step:
//
//     c1  The thread at (y, x) has the entries in rows 2y and 2y + 1 and columns 2x and 2x + 1 of a
//         tile. Four values that it reads from shared memory serve four relaxations; with tiles of
//         32 × 32, two values serve one. There are half as many rounds, and with them half as many
//         pivots to close. The loop over k is inside the kernel and unrolled. One kernel handles
//         the row panel and the column panel.
//
// The grids of phases 2 and 3 also cover the pivot and the panels, where nothing would change. Here
// such tiles are computed but not stored, because other blocks may be reading them.
#include "ladder/ladder.h"
#include "ladder/rounds.cuh"

namespace {

void c1(int n, int* graph);

}  // namespace

Report reportC() {
  return {"C",
          "64×64 tiles, 2×2 entries a thread in registers",
          "Tesla P100",
          "src/course/ladder/c1_registers.cu",
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
constexpr int kEach = 2;  // rows, and columns, of a thread

static_assert(kSide == kEach * ladder::kSide, "the threads of a block cover a tile");
static_assert(2 * sizeof(int) * kSide * kSide <= 48 * 1024, "two tiles fit in shared memory");

using Tile = int[kSide][kSide];

/// The entries of a tile that one thread has.
struct Square {
  int at[kEach][kEach];
};

/// Calls visit(y, x) for each entry of a square.
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

/// The entry of the matrix at (y, x) of the thread's square in tile (row, column).
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

/// The sums of step k of a ⊗ b for the thread's entries.
__device__ Square sums(const Tile& a, const Tile& b, int k) {
  const int left[kEach] = {a[firstRow()][k], a[firstRow() + 1][k]};
  const int up[kEach] = {b[k][firstColumn()], b[k][firstColumn() + 1]};
  return {{{left[0] + up[0], left[0] + up[1]}, {left[1] + up[0], left[1] + up[1]}}};
}

/// Phases 1 and 2: c = min(c, a ⊗ b). c is also a or b, and `own` has the thread's entries of c.
__device__ void relaxInPlace(Square& own, Tile& c, const Tile& a, const Tile& b) {
#pragma unroll 64
  for (int k = 0; k < kSide; ++k) {
    const Square through = sums(a, b, k);
    forEach([&](int y, int x) {
      if (through.at[y][x] < own.at[y][x])
        c[firstRow() + y][firstColumn() + x] = own.at[y][x] = through.at[y][x];
    });
    __syncthreads();  // step k is done in all of c
  }
}

__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  __shared__ Tile tile;
  Square own = load(d, p, p);
  put(tile, own);
  __syncthreads();  // the tile is in shared memory
  relaxInPlace(own, tile, tile, tile);
  store(d, p, p, own);
}

/// blockIdx.y: 0 is the row panel, 1 is the column panel.
__global__ void __launch_bounds__(kThreads) updatePanels(Distances d, int p) {
  __shared__ Tile pivot, tile;
  const int t = blockIdx.x;
  const bool inRow = blockIdx.y == 0;
  const int row = inRow ? p : t, column = inRow ? t : p;
  Square own = load(d, row, column);
  put(pivot, load(d, p, p));
  put(tile, own);
  __syncthreads();  // both tiles are in shared memory
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
  __syncthreads();  // the panel tiles are in shared memory
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
