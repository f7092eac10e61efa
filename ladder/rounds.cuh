// What the rungs of reports A to D share: the loop over pivot blocks, and a thread's way to the
// entries of a tile.
//
// Every rung is blocked Floyd–Warshall (apsp.cu's essay has the algorithm). The matrix D is cut
// into m×m tiles; a round takes pivot block p in three phases:
//
//     1  pivot    D(p,p) becomes its closure, step by step for each vertex k of the block
//     2  panels   D(p,j) = D(p,p) ⊗ D(p,j) and D(i,p) = D(i,p) ⊗ D(p,p), step by step as well
//     3  rest     D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))
//
// A phase is a kernel, a block of 32×32 threads has a tile (or several), a thread an entry of each.
// Why every rung is right on every legal graph, whatever else a report does:
//
//     Phases 1 and 2 work in place, in shared memory. Step k reads row k and column k, and writes
//     an entry only where that makes it shorter: never in row or column k, for the pivot's d(k,k)
//     is 0. So nothing is written that others read in the same step, and one barrier a step will
//     do; without it, or with one product instead of steps, paths through the block get lost.
//
//     What lies outside the matrix is kInf. A sum with kInf in it fits in an int and is never below
//     kInf, so that it shortens nothing; and nothing outside is stored.
//
//     Phase 3 reads the panels and writes none of their tiles, so that its blocks need no order.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <initializer_list>

#include "apsp.h"
#include "device/cuda.h"

namespace ladder {

constexpr int kSide = 32;  // threads a side of a block
constexpr int kThreads = kSide * kSide;

using Tile = int[kSide][kSide];

/// An entry of the matrix.
struct Entry {
  int i, j;
};

/// The entry of tile (row, column) that is this thread's. side: of a tile.
__device__ inline Entry entryOf(int row, int column, int side = kSide) {
  return {row * side + static_cast<int>(threadIdx.y),
          column * side + static_cast<int>(threadIdx.x)};
}

/// The matrix, in device memory.
struct Distances {
  int n;
  int* graph;  // (n, n)

  __device__ int& at(Entry e) const { return graph[static_cast<std::size_t>(e.i) * n + e.j]; }
  __device__ bool holds(Entry e) const { return e.i < n && e.j < n; }
  __device__ int load(Entry e) const { return holds(e) ? at(e) : kInf; }
  __device__ void store(Entry e, int distance) const {
    if (holds(e)) at(e) = distance;
  }
};

/// Number t of the blocks other than p. From the last one on, outside the matrix.
__device__ inline int other(int t, int p) {
  return t < p ? t : t + 1;
}

/// One kernel of a round.
struct Phase {
  void (*kernel)(Distances d, int p);
  dim3 blocks;             ///< of kSide × kSide threads
  std::size_t shared = 0;  ///< bytes of dynamic shared memory a block
};

/// Launches the phases in their order for each pivot block, of `side` vertices each.
inline void solveInRounds(int n, int* graph, int side, std::initializer_list<Phase> phases) {
  for (int p = 0; p < ceilDiv(n, side); ++p) {
    for (const Phase& phase : phases) {
      if (phase.blocks.x == 0 || phase.blocks.y == 0) continue;  // there is one tile only
      phase.kernel<<<phase.blocks, dim3(kSide, kSide), phase.shared>>>({n, graph}, p);
    }
  }
}

}  // namespace ladder
