// Report D: tiles of 32 × 32 in batches of six, in four steps.
//
// Source: course report D, Tesla P100. rounds.cuh explains the three phases and why they are right.
// The steps:
//
//     d1  The hints of the course. Each tile that a block needs is in shared memory, and phase 3
//     has
//         no barriers (its time is that of a3).
//     d2  A thread keeps its own entry in a register.
//     d3  A block of phase 2 updates a strip of 6 tiles and loads the pivot tile once for all of
//         them. A block of phase 3 updates a square of 6 × 6 tiles and keeps their panel tiles in
//         48 KB of shared memory.
//     d4  A block of phase 3 whose tiles are all inside the matrix does not test bounds, neither
//     for
//         an entry nor in the loop over k. The loop is unrolled, because its length is a constant.
//
// The grids also cover the pivot and the panels, where nothing would change. Other blocks may be
// reading these tiles. Therefore phase 2 computes the pivot tile as a part of its strip but does
// not store it, and phase 3 tests for such tiles and leaves them out.
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
          "src/course/ladder/d1_to_d4_batches.cu",
          {15.442393, 377.835219, 2986.590461, 10050.433585, 22837.625252},
          rungs};
}

namespace {

using namespace ladder;

/// The number of steps in round p: the vertices of its pivot block.
__device__ int stepsOf(Distances d, int p) {
  return min(kSide, d.n - p * kSide);
}

// ---- phases 1 and 2 --------------------------------------------------------------------------

// relax() replaces each tile of c, in shared memory, by pivot ⊗ c in the row panel and by c ⊗ pivot
// in the column panel. In phase 1, c is the pivot.

struct InShared {  // d1
  template <bool kRow, int kBatch>
  static __device__ void relax(int steps, const Tile& pivot, Tile (&c)[kBatch]) {
    const int y = threadIdx.y, x = threadIdx.x;
    for (int k = 0; k < steps; ++k) {
      for (int t = 0; t < kBatch; ++t) {
        const int through = kRow ? pivot[y][k] + c[t][k][x] : c[t][y][k] + pivot[k][x];
        if (through < c[t][y][x]) c[t][y][x] = through;
      }
      __syncthreads();  // step k is done in all of c
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
      __syncthreads();  // step k is done in all of c
    }
  }
};

template <class Entries>
__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  __shared__ Tile tile[1];
  const Entry own = entryOf(p, p);
  int& there = tile[0][threadIdx.y][threadIdx.x];
  there = d.load(own);
  __syncthreads();  // the tile is in shared memory
  Entries::template relax<true>(stepsOf(d, p), tile[0], tile);
  d.store(own, there);
}

/// Updates a strip of kBatch tiles. blockIdx.y: 0 is the row panel, 1 is the column panel.
template <class Entries, int kBatch>
__global__ void __launch_bounds__(kThreads) updatePanels(Distances d, int p) {
  __shared__ Tile pivot, strip[kBatch];
  const int y = threadIdx.y, x = threadIdx.x, first = blockIdx.x * kBatch;
  const bool row = blockIdx.y == 0;
  const auto own = [&](int t) { return row ? entryOf(p, first + t) : entryOf(first + t, p); };
  pivot[y][x] = d.load(entryOf(p, p));
  for (int t = 0; t < kBatch; ++t) strip[t][y][x] = d.load(own(t));
  __syncthreads();  // all tiles are in shared memory
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

/// d1: the block's own tile is in shared memory.
__global__ void __launch_bounds__(kThreads) updateRestInShared(Distances d, int p) {
  __shared__ Tile left, up, tile;
  const int y = threadIdx.y, x = threadIdx.x, i = blockIdx.y, j = blockIdx.x;
  if (i == p || j == p) return;
  const int steps = stepsOf(d, p);
  left[y][x] = d.load(entryOf(i, p));
  up[y][x] = d.load(entryOf(p, j));
  tile[y][x] = d.load(entryOf(i, j));
  __syncthreads();  // all three tiles are in shared memory
  for (int k = 0; k < steps; ++k) {
    const int through = left[y][k] + up[k][x];
    if (through < tile[y][x]) tile[y][x] = through;
  }
  d.store(entryOf(i, j), tile[y][x]);
}

/// Updates kBatch × kBatch tiles from tile (row, column) on, one after the other. left and up hold
/// their panel tiles. kInside: all of these tiles are inside the matrix.
template <bool kInside, int kBatch>
__device__ void updateSquare(Distances d, int p, int row, int column, Tile (&left)[kBatch],
                             Tile (&up)[kBatch]) {
  const int y = threadIdx.y, x = threadIdx.x, steps = kInside ? kSide : stepsOf(d, p);
  const auto load = [&](Entry e) { return kInside ? d.at(e) : d.load(e); };
  for (int t = 0; t < kBatch; ++t) {
    left[t][y][x] = load(entryOf(row + t, p));
    up[t][y][x] = load(entryOf(p, column + t));
  }
  __syncthreads();  // the panel tiles are in shared memory
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

/// rest: the kernel of phase 3, whose blocks update kBatch × kBatch tiles.
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
