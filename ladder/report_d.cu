// Report D: tiles of 32×32 in batches of six, in four states.
//
// Source: course report D, Tesla P100; rounds.cuh says what the three phases are and why they are
// right. What each state adds:
//
//     d1  The course's hints: each tile that a block needs is in shared memory, and phase 3 has no
//         barriers (the time is that of a3).
//     d2  A thread keeps its own entry in a register.
//     d3  A block of phase 2 updates a strip of 6 tiles, which read the pivot's tile once; a block
//         of phase 3 a square of 6×6, with the panels' tiles for it in 48 KB of shared memory.
//     d4  Blocks of phase 3 whose tiles are all inside the matrix test no bounds: neither those of
//         an entry, nor in the loop over k, which is unrolled as its length is a constant.
//
// The grids cover the pivot and the panels too, where nothing would change; other blocks may be
// reading these tiles. Phase 2 computes the pivot's tile in a strip but does not store it; phase 3
// leaves them out, a test for each tile.
#include "ladder/ladder.h"
#include "ladder/rounds.cuh"

namespace {

void d1(int n, int* graph);
void d2(int n, int* graph);
void d3(int n, int* graph);
void d4(int n, int* graph);

}  // namespace

Report reportD() {
  const std::vector<Rung> rungs = {
      {"d1",
       "all in shared memory",
       nullptr,
       d1,
       {3.744969, 34.254069, 244.743859, 808.646755, 1893.072071}},
      {"d2",
       "own entry in a register",
       "d1",
       d2,
       {2.679856, 22.591037, 156.343829, 513.028327, 1192.183992}},
      {"d3",
       "strips of 6 and squares of 6×6 tiles",
       "d2",
       d3,
       {2.638259, 18.822631, 122.125867, 398.027312, 928.647928}},
      {"d4",
       "interior and edge tiles apart",
       "d3",
       d4,
       {1.930875, 14.339964, 88.366294, 285.393124, 660.559218}},
  };
  return {"D",
          "32×32 tiles, in the end six a batch",
          "Tesla P100",
          "ladder/report_d.cu",
          {15.442393, 377.835219, 2986.590461, 10050.433585, 22837.625252},
          rungs};
}

namespace {

using namespace ladder;

/// The steps of round p: the vertices of its pivot block.
__device__ int stepsOf(Distances d, int p) {
  return min(kSide, d.n - p * kSide);
}

// ---- phases 1 and 2 --------------------------------------------------------------------------

// relax() makes every tile of c in shared memory, in place, pivot ⊗ c in the row panel and c ⊗
// pivot in the column panel; in phase 1, c is the pivot.

struct InShared {  // d1
  template <bool kRow, int kBatch>
  static __device__ void relax(int steps, const Tile& pivot, Tile (&c)[kBatch]) {
    const int y = threadIdx.y, x = threadIdx.x;
    for (int k = 0; k < steps; ++k) {
      for (int t = 0; t < kBatch; ++t) {
        const int through = kRow ? pivot[y][k] + c[t][k][x] : c[t][y][k] + pivot[k][x];
        if (through < c[t][y][x]) c[t][y][x] = through;
      }
      __syncthreads();  // all of c has taken step k
    }
  }
};

struct InRegisters {  // d2 to d4
  template <bool kRow, int kBatch>
  static __device__ void relax(int steps, const Tile& pivot, Tile (&c)[kBatch]) {
    const int y = threadIdx.y, x = threadIdx.x;
    int own[kBatch];
    for (int t = 0; t < kBatch; ++t) own[t] = c[t][y][x];
    for (int k = 0; k < steps; ++k) {
      for (int t = 0; t < kBatch; ++t) {
        const int through = kRow ? pivot[y][k] + c[t][k][x] : c[t][y][k] + pivot[k][x];
        if (through < own[t]) c[t][y][x] = own[t] = through;
      }
      __syncthreads();  // all of c has taken step k
    }
  }
};

template <class Entries>
__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  __shared__ Tile tile[1];
  const Entry own = entryOf(p, p);
  int& there = tile[0][threadIdx.y][threadIdx.x];
  there = d.load(own);
  __syncthreads();  // the tile is there
  Entries::template relax<true>(stepsOf(d, p), tile[0], tile);
  d.store(own, there);
}

/// A strip of kBatch tiles. blockIdx.y: 0 in the row panel, 1 in the column panel.
template <class Entries, int kBatch>
__global__ void __launch_bounds__(kThreads) updatePanels(Distances d, int p) {
  __shared__ Tile pivot, strip[kBatch];
  const int y = threadIdx.y, x = threadIdx.x, first = blockIdx.x * kBatch;
  const bool row = blockIdx.y == 0;
  const auto own = [&](int t) { return row ? entryOf(p, first + t) : entryOf(first + t, p); };
  pivot[y][x] = d.load(entryOf(p, p));
  for (int t = 0; t < kBatch; ++t) strip[t][y][x] = d.load(own(t));
  __syncthreads();  // all tiles are there
  if (row) {
    Entries::template relax<true>(stepsOf(d, p), pivot, strip);
  } else {
    Entries::template relax<false>(stepsOf(d, p), pivot, strip);
  }
  for (int t = 0; t < kBatch; ++t) {
    if (first + t != p) d.store(own(t), strip[t][y][x]);
  }
}

// ---- phase 3 ---------------------------------------------------------------------------------

/// d1: the own tile in shared memory.
__global__ void __launch_bounds__(kThreads) updateRestInShared(Distances d, int p) {
  __shared__ Tile left, up, tile;
  const int y = threadIdx.y, x = threadIdx.x, i = blockIdx.y, j = blockIdx.x;
  if (i == p || j == p) return;
  const int steps = stepsOf(d, p);
  left[y][x] = d.load(entryOf(i, p));
  up[y][x] = d.load(entryOf(p, j));
  tile[y][x] = d.load(entryOf(i, j));
  __syncthreads();  // all three tiles are there
  for (int k = 0; k < steps; ++k) {
    const int through = left[y][k] + up[k][x];
    if (through < tile[y][x]) tile[y][x] = through;
  }
  d.store(entryOf(i, j), tile[y][x]);
}

/// kBatch × kBatch tiles from tile (row, column) on, one after the other, and the panels' tiles for
/// them. kInside: all of these are inside the matrix.
template <bool kInside, int kBatch>
__device__ void updateSquare(Distances d, int p, int row, int column, Tile (&left)[kBatch],
                             Tile (&up)[kBatch]) {
  const int y = threadIdx.y, x = threadIdx.x, steps = kInside ? kSide : stepsOf(d, p);
  const auto load = [&](Entry e) { return kInside ? d.at(e) : d.load(e); };
  for (int t = 0; t < kBatch; ++t) {
    left[t][y][x] = load(entryOf(row + t, p));
    up[t][y][x] = load(entryOf(p, column + t));
  }
  __syncthreads();  // the panels' tiles are there
  for (int i = 0; i < kBatch; ++i) {
    for (int j = 0; j < kBatch; ++j) {
      if (row + i == p || column + j == p) continue;
      const Entry own = entryOf(row + i, column + j);
      int shortest = load(own);
      for (int k = 0; k < steps; ++k) shortest = min(shortest, left[i][y][k] + up[j][k][x]);
      if (kInside) {
        d.at(own) = shortest;
      } else {
        d.store(own, shortest);
      }
    }
  }
}

/// d2 and d3.
template <int kBatch>
__global__ void __launch_bounds__(kThreads) updateRest(Distances d, int p) {
  __shared__ Tile left[kBatch], up[kBatch];
  updateSquare<false>(d, p, blockIdx.y * kBatch, blockIdx.x * kBatch, left, up);
}

/// d4.
template <int kBatch>
__global__ void __launch_bounds__(kThreads) updateRestApart(Distances d, int p) {
  __shared__ Tile left[kBatch], up[kBatch];
  const int row = blockIdx.y * kBatch, column = blockIdx.x * kBatch;
  const int last = max(p, max(row, column) + kBatch - 1);
  if ((last + 1) * kSide <= d.n) {
    updateSquare<true>(d, p, row, column, left, up);
  } else {
    updateSquare<false>(d, p, row, column, left, up);
  }
}

// ---- the solvers -----------------------------------------------------------------------------

/// rest: phase 3, with kBatch tiles along a square.
template <class Entries, int kBatch>
void solveWith(int n, int* graph, void (*rest)(Distances, int)) {
  const int batches = ceilDiv(n, kSide * kBatch);
  solveInRounds(n, graph, kSide,
                {{closePivot<Entries>, 1},
                 {updatePanels<Entries, kBatch>, dim3(batches, 2)},
                 {rest, dim3(batches, batches)}});
}

void d1(int n, int* graph) {
  solveWith<InShared, 1>(n, graph, updateRestInShared);
}

void d2(int n, int* graph) {
  solveWith<InRegisters, 1>(n, graph, updateRest<1>);
}

void d3(int n, int* graph) {
  solveWith<InRegisters, 6>(n, graph, updateRest<6>);
}

void d4(int n, int* graph) {
  solveWith<InRegisters, 6>(n, graph, updateRestApart<6>);
}

}  // namespace
