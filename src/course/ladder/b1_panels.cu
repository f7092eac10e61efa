// Report B: four kernels on tiles of 32 × 32, and their profile.
//
// Source: course report B, Tesla P100. It gives a profile at n = 1000 but no times. rounds.cuh
// explains the phases and why they are right.
//
//     b1  Phase 2 has two kernels, one for the row panel and one for the column panel. The grids
//         leave out the pivot's row and column, so from there on a block takes the tile with the
//         next number. Every tile that a block needs is in shared memory: 1, 2 or 3 tiles of
//         4 KB. A side of 32 gives the most threads that a block may have, fits in shared memory
//         and has no bank conflicts, because a warp reads one row of a tile or one entry.
//
// The profile in the report, the mean of each kernel:
//
//     in percent                    pivot    row panel    column panel    rest
//     bank conflicts (number)           0            0               0       0
//     branch efficiency               100          100             100     100
//     warp execution                98.35        98.03           98.49   98.18
//      … without predicated off     96.15        95.26           95.93   95.23
//     global load and store           100          100             100     100
//     shared memory                 67.12        67.45           67.43   67.75
//
// The last row is the one finding. A relaxation reads a row of one tile, an entry of another tile
// (one element for 32 threads) and a row of its own tile: (1 + 1/32 + 1) / 3 = 68 %. If the own
// entry is in a register (a4, d2), only the first two reads remain.
#include "ladder/ladder.h"
#include "ladder/rounds.cuh"

namespace {

void b1(int n, int* graph);

}  // namespace

Report reportB() {
  return {"B",          "32×32 tiles in shared memory, profiled",
          "Tesla P100", "src/course/ladder/b1_panels.cu",
          {},           {{"b1", "panels in two kernels", nullptr, b1, {}}}};
}

namespace {

using namespace ladder;

/// c = min(c, a ⊗ b), one entry per thread, which is entry `own` of the matrix. c may be a or b.
__device__ void relax(Distances d, int p, Entry own, Tile& c, const Tile& a, const Tile& b) {
  const int y = threadIdx.y, x = threadIdx.x, steps = min(kSide, d.n - p * kSide);
  for (int k = 0; k < steps; ++k) {
    const int through = a[y][k] + b[k][x];
    if (d.holds(own) && through < c[y][x]) c[y][x] = through;
    __syncthreads();  // step k is done in all of c
  }
}

__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  __shared__ Tile tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const Entry own = entryOf(p, p);
  tile[y][x] = d.load(own);
  __syncthreads();  // the tile is in shared memory
  relax(d, p, own, tile, tile, tile);
  d.store(own, tile[y][x]);
}

__global__ void __launch_bounds__(kThreads) updateRowPanel(Distances d, int p) {
  __shared__ Tile pivot, tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const Entry own = entryOf(p, other(blockIdx.x, p));
  pivot[y][x] = d.load(entryOf(p, p));
  tile[y][x] = d.load(own);
  __syncthreads();  // both tiles are in shared memory
  relax(d, p, own, tile, pivot, tile);
  d.store(own, tile[y][x]);
}

__global__ void __launch_bounds__(kThreads) updateColumnPanel(Distances d, int p) {
  __shared__ Tile pivot, tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const Entry own = entryOf(other(blockIdx.y, p), p);
  pivot[y][x] = d.load(entryOf(p, p));
  tile[y][x] = d.load(own);
  __syncthreads();  // both tiles are in shared memory
  relax(d, p, own, tile, tile, pivot);
  d.store(own, tile[y][x]);
}

__global__ void __launch_bounds__(kThreads) updateRest(Distances d, int p) {
  __shared__ Tile left, up, tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const int i = other(blockIdx.y, p), j = other(blockIdx.x, p);
  const Entry own = entryOf(i, j);
  left[y][x] = d.load(entryOf(i, p));
  up[y][x] = d.load(entryOf(p, j));
  tile[y][x] = d.load(own);
  __syncthreads();  // all three tiles are in shared memory
  relax(d, p, own, tile, left, up);
  d.store(own, tile[y][x]);
}

void b1(int n, int* graph) {
  const int others = ceilDiv(n, kSide) - 1;
  solveInRounds(n, graph, kSide,
                {{closePivot, 1},
                 {updateRowPanel, dim3(others, 1)},
                 {updateColumnPanel, dim3(1, others)},
                 {updateRest, dim3(others, others)}});
}

}  // namespace
