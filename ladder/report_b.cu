// Report B: four kernels on tiles of 32×32, and what a profiler says of them.
//
// Source: course report B, Tesla P100. It gives no times, but a profile at n = 1000; rounds.cuh
// says what the phases are and why they are right.
//
//     b1  Phase 2 is two kernels, one for the row panel and one for the column panel. Grids leave
//         out the pivot's row and column: a block behind them takes the tile after its own.
//         Every tile that a block needs is in shared memory: 1, 2 and 3 of 4 KB. A side of 32
//         fills a block with threads, stays within its shared memory and has no bank conflicts: a
//         warp reads one row of a tile, or one entry.
//
// The report's profile, a mean for each kernel:
//
//     in %                          pivot    row panel    column panel    rest
//     bank conflicts (number)           0            0               0       0
//     branch efficiency               100          100             100     100
//     warp execution                98.35        98.03           98.49   98.18
//      … without predicated off     96.15        95.26           95.93   95.23
//     global load and store           100          100             100     100
//     shared memory                 67.12        67.45           67.43   67.75
//
// The last is its one finding. A relaxation reads a row of one tile, an entry of another, which is
// one word for 32 threads, and a row of the own tile: (1 + 1/32 + 1) / 3 = 68 %. Entries in
// registers (a4, d2) leave the first two.
#include "ladder/ladder.h"
#include "ladder/rounds.cuh"

namespace {

void b1(int n, int* graph);

}  // namespace

Report reportB() {
  return {"B",          "32×32 tiles in shared memory, profiled",
          "Tesla P100", "ladder/report_b.cu",
          {},           {{"b1", "panels in two kernels", nullptr, b1, {}}}};
}

namespace {

using namespace ladder;

/// c = min(c, a ⊗ b), each thread its entry, which is `own` in the matrix. c may be a or b.
__device__ void relax(Distances d, int p, Entry own, Tile& c, const Tile& a, const Tile& b) {
  const int y = threadIdx.y, x = threadIdx.x, steps = min(kSide, d.n - p * kSide);
  for (int k = 0; k < steps; ++k) {
    const int through = a[y][k] + b[k][x];
    if (d.holds(own) && through < c[y][x]) c[y][x] = through;
    __syncthreads();  // all of c has taken step k
  }
}

__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  __shared__ Tile tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const Entry own = entryOf(p, p);
  tile[y][x] = d.load(own);
  __syncthreads();  // the tile is there
  relax(d, p, own, tile, tile, tile);
  d.store(own, tile[y][x]);
}

__global__ void __launch_bounds__(kThreads) updateRowPanel(Distances d, int p) {
  __shared__ Tile pivot, tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const Entry own = entryOf(p, other(blockIdx.x, p));
  pivot[y][x] = d.load(entryOf(p, p));
  tile[y][x] = d.load(own);
  __syncthreads();  // both tiles are there
  relax(d, p, own, tile, pivot, tile);
  d.store(own, tile[y][x]);
}

__global__ void __launch_bounds__(kThreads) updateColumnPanel(Distances d, int p) {
  __shared__ Tile pivot, tile;
  const int y = threadIdx.y, x = threadIdx.x;
  const Entry own = entryOf(other(blockIdx.y, p), p);
  pivot[y][x] = d.load(entryOf(p, p));
  tile[y][x] = d.load(own);
  __syncthreads();  // both tiles are there
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
  __syncthreads();  // all three tiles are there
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
