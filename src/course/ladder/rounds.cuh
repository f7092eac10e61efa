// What the rungs of reports A to D share: the loop over pivot blocks, and the entries of a tile
// that a thread works on.
//
// Every rung is blocked Floyd–Warshall (apsp.cu explains the algorithm). The matrix D is cut into
// m × m tiles. A round handles pivot block p in three phases:
//
//     1  pivot    D(p,p) becomes its closure, in one step for each vertex k of the block
//     2  panels   D(p,j) = D(p,p) ⊗ D(p,j) and D(i,p) = D(i,p) ⊗ D(p,p), in such steps as well
//     3  rest     D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))
//
// Each phase is one kernel. A block of 32 × 32 threads has one tile or several, and a thread has
// one entry of each. Every rung is right on every legal graph, for these reasons:
//
//     Phases 1 and 2 work in place in shared memory. Step k reads row k and column k. It writes an
//     entry only if this makes it smaller, and that never happens in row k or column k, because
//     d(k,k) = 0 in the pivot. Therefore no thread writes what others read in the same step, and
//     one barrier per step is enough. Without it, or with one product instead of steps, paths
//     through the block would be lost.
//
//     Everything outside the matrix is kInf. A sum with kInf fits in an int and is not less than
//     kInf, so it makes nothing smaller. Nothing outside the matrix is stored.
//
//     Phase 3 reads the panels and writes none of their tiles. Therefore its blocks need no order.
//
// Source: Venkataraman, Sahni and Mukhopadhyaya 2003 (blocks); Katz and Kider 2008 (on GPUs).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <initializer_list>

#include "apsp.h"
#include "base/size.h"
#include "device/cuda.h"

using namespace engine;

namespace ladder {

constexpr int kSide = 32;  // a block is a square of kSide × kSide threads
constexpr int kThreads = kSide * kSide;
static_assert(kThreads <= 1024, "threads of a block");

using Tile = int[kSide][kSide];

/// An entry of the matrix.
struct Entry {
  int i, j;
};

/// This thread's entry of tile (row, column). side: the side of a tile.
__device__ inline Entry entryOf(int row, int column, int side = kSide) {
  return {row * side + static_cast<int>(threadIdx.y),
          column * side + static_cast<int>(threadIdx.x)};
}

/// The matrix in device memory. Entries outside it are kInf and are not stored.
struct Distances {
  int n;
  int* graph;  ///< (n, n)

  __device__ int& at(Entry e) const { return graph[asSize(e.i) * n + e.j]; }
  __device__ bool holds(Entry e) const { return e.i < n && e.j < n; }
  __device__ int load(Entry e) const { return holds(e) ? at(e) : kInf; }
  __device__ void store(Entry e, int distance) const {
    if (holds(e)) at(e) = distance;
  }
};

/// Number t of the tiles other than tile p. Beyond the last one, it is outside the matrix.
__device__ inline int other(int t, int p) {
  return t < p ? t : t + 1;
}

/// One kernel of a round.
struct Phase {
  void (*kernel)(Distances d, int p);
  dim3 blocks;             ///< of kSide × kSide threads
  std::size_t shared = 0;  ///< bytes of dynamic shared memory per block
};

/// Launches the phases in order for each pivot block of `side` vertices. graph: (n, n).
inline void solveInRounds(int n, int* graph, int side, std::initializer_list<Phase> phases) {
  for (int p = 0; p < ceilDiv(n, side); ++p) {
    for (const Phase& phase : phases) {
      if (phase.blocks.x == 0 || phase.blocks.y == 0) continue;  // there is only one tile
      phase.kernel<<<phase.blocks, dim3(kSide, kSide), phase.shared>>>({n, graph}, p);
    }
  }
}

}  // namespace ladder
