// Report A: from the hints of the course to several tiles per block, in eight steps.
//
// Source: course report A, Tesla P100. A tile has 32 × 32 entries, one for each thread. rounds.cuh
// explains the three phases and why they are right. The steps:
//
//     a1  The hints of the course, unchanged. Each phase copies all its tiles into shared memory
//         (4, 8 and 12 KB), relaxes its own tile there with a barrier after each k, and copies it
//         back.
//     a2  One branch replaces nested ones, and loops are unrolled. The report found the unrolling
//         useless, because the compiler does it anyway.
//     a3  Phase 3 has no barriers, because nothing that it reads changes.
//     a4  A thread keeps its own entry and the sums in registers. Branches that go the same way for
//         every k are moved out of the loop.
//     a5  Phase 3 reads its own tile from global memory into registers, not into shared memory.
//     a6  The part of an offset into shared memory that does not depend on k is computed first.
//     a7  The side of a tile is a constant. It was blockDim.x before.
//     a8  A block of phase 3 updates 1×1, 2×2, 4×4 or 6×6 tiles. It holds their panel tiles in 8,
//         16, 32 or 48 KB of shared memory, and each of these serves a whole row or column of the
//         square. Small graphs have few tiles per block, large graphs have many.
//
// The table has the times of the report in milliseconds.
#include "apsp.h"
#include "ladder/ladder.h"
#include "ladder/rounds.cuh"

namespace {

using Solver = void(int n, int* graph);
Solver a1, a2, a3, a4, a5, a6, a7, a8ByN;
template <int kGroup>
Solver a8;

}  // namespace

Report reportA() {
  const std::vector<Rung> rungs = {
      {"a1", "all in shared memory", nullptr, a1, {4.564, 64.727, 468.741, 1571.627, 3712.620}},
      {"a2", "branches merged, unrolled", "a1", a2, {5.254, 60.114, 457.706, 1528.729, 3606.880}},
      {"a3", "no barriers in phase 3", "a2", a3, {3.197, 36.036, 241.38, 800.905, 1883.782}},
      {"a4", "own entry in a register", "a3", a4, {2.385, 30.124, 205.887, 685.204, 1615.857}},
      {"a5", "own tile never in shared", "a4", a5, {2.225, 27.292, 189.095, 629.174, 1483.424}},
      {"a6", "offsets hoisted", "a5", a6, {2.116, 25.755, 179.221, 593.207, 1397.727}},
      {"a7", "constant tile side", "a6", a7, {1.778, 19.347, 150.525, 490.784, 1155.117}},
      {"a8-1x1", "1×1 tiles a block", "a7", a8<1>, {1.581, 19.307, 149.748, 490.719, 1154.779}},
      {"a8-2x2", "2×2 tiles a block", "a7", a8<2>, {1.566, 22.354, 161.878, 542.113, 1180.886}},
      {"a8-4x4", "4×4 tiles a block", "a7", a8<4>, {1.603, 14.833, 112.775, 373.727, 873.888}},
      {"a8-6x6", "6×6 tiles a block", "a7", a8<6>, {2.013, 17.853, 108.956, 348.857, 816.500}},
      {"a8", "tiles a block by n", "a7", a8ByN, {1.397, 14.818, 107.435, 346.922, 814.095}},
  };
  return {"A",
          "32×32 tiles, in the end several a block",
          "Tesla P100",
          "src/course/ladder/a1_to_a8_groups.cu",
          {15.436, 377.849, 2987.084, 10051.674, 22837.635},
          rungs};
}

namespace {

using namespace ladder;

/// The work of a thread.
struct Work {
  int n, side;  ///< the side of the matrix, and of a tile
  int pivot;    ///< the first vertex of the pivot block
  Entry own;    ///< the thread's entry of the tile that the block updates

  /// The offset of an entry of a tile in shared memory, (side, side).
  __device__ int offset(int y, int x) const { return y * side + x; }
  __device__ int ownOffset() const { return offset(threadIdx.y, threadIdx.x); }
};

// ---- the steps -------------------------------------------------------------------------------

// Each step inherits from the one before it and replaces what it changes. c, a and b are tiles in
// shared memory, (side, side) each. relax() computes c = min(c, a ⊗ b), one entry per thread. If
// `barriers` is set, there is a barrier after each k: in phases 1 and 2, c is also a or b.

/// The padding with kInf makes the branches unnecessary. They are kept as the report has them.
struct A1 {
  static constexpr bool kBarriersInRest = true;
  static __device__ int side() { return blockDim.x; }
  static __device__ void relax(const Work& w, int* c, const int* a, const int* b, bool barriers) {
    const int y = threadIdx.y, x = threadIdx.x;
    for (int k = 0; k < w.side; ++k) {
      if (w.own.i < w.n) {
        if (w.own.j < w.n) {
          if (w.pivot + k < w.n) {
            if (a[w.offset(y, k)] + b[w.offset(k, x)] < c[w.offset(y, x)])
              c[w.offset(y, x)] = a[w.offset(y, k)] + b[w.offset(k, x)];
          }
        }
      }
      if (barriers) __syncthreads();  // step k is done in all of c
    }
  }
};

struct A2 : A1 {
  static __device__ void relax(const Work& w, int* c, const int* a, const int* b, bool barriers) {
    const int y = threadIdx.y, x = threadIdx.x;
#pragma unroll
    for (int k = 0; k < w.side; ++k) {
      if (w.own.i < w.n && w.own.j < w.n && w.pivot + k < w.n &&
          a[w.offset(y, k)] + b[w.offset(k, x)] < c[w.offset(y, x)])
        c[w.offset(y, x)] = a[w.offset(y, k)] + b[w.offset(k, x)];
      if (barriers) __syncthreads();  // step k is done in all of c
    }
  }
};

struct A3 : A2 {
  static constexpr bool kBarriersInRest = false;
};

/// Other threads may read the entry. Therefore it is still written to c when it becomes smaller.
struct A4 : A3 {
  static __device__ void relax(const Work& w, int* c, const int* a, const int* b, bool barriers) {
    const int y = threadIdx.y, x = threadIdx.x;
    int own = c[w.offset(y, x)];
#pragma unroll
    for (int k = 0; k < w.side; ++k) {
      const int through = a[w.offset(y, k)] + b[w.offset(k, x)];
      if (through < own) c[w.offset(y, x)] = own = through;
      if (barriers) __syncthreads();  // step k is done in all of c
    }
  }
};

/// shortened() is the relaxation of phase 3, for an entry in a register.
struct A5 : A4 {
  static __device__ int shortened(const Work& w, int own, const int* a, const int* b) {
#pragma unroll
    for (int k = 0; k < w.side; ++k)
      own = min(own, a[w.offset(threadIdx.y, k)] + b[w.offset(k, threadIdx.x)]);
    return own;
  }
};

struct A6 : A5 {
  static __device__ void relax(const Work& w, int* c, const int* a, const int* b, bool barriers) {
    int* const there = c + w.ownOffset();
    const int* const row = a + w.offset(threadIdx.y, 0);
    const int* column = b + threadIdx.x;
    int own = *there;
#pragma unroll
    for (int k = 0; k < w.side; ++k, column += w.side) {
      const int through = row[k] + *column;
      if (through < own) *there = own = through;
      if (barriers) __syncthreads();  // step k is done in all of c
    }
  }
  static __device__ int shortened(const Work& w, int own, const int* a, const int* b) {
    const int* const row = a + w.offset(threadIdx.y, 0);
    const int* column = b + threadIdx.x;
#pragma unroll
    for (int k = 0; k < w.side; ++k, column += w.side) own = min(own, row[k] + *column);
    return own;
  }
};

struct A7 : A6 {
  static __device__ constexpr int side() { return kSide; }
};

// ---- the phases ------------------------------------------------------------------------------

extern __shared__ int tiles[];  // the tiles of a block, one after the other

template <class Step>
__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  const int side = Step::side();
  const Work w{d.n, side, p * side, entryOf(p, p, side)};
  tiles[w.ownOffset()] = d.load(w.own);
  __syncthreads();  // the tile is in shared memory
  Step::relax(w, tiles, tiles, tiles, true);
  d.store(w.own, tiles[w.ownOffset()]);
}

/// blockIdx.y: 0 is the row panel, 1 is the column panel.
template <class Step>
__global__ void __launch_bounds__(kThreads) updatePanels(Distances d, int p) {
  const int side = Step::side(), t = other(blockIdx.x, p);
  const bool row = blockIdx.y == 0;
  const Work w{d.n, side, p * side, row ? entryOf(p, t, side) : entryOf(t, p, side)};
  int *const pivot = tiles, *const c = pivot + side * side;
  pivot[w.ownOffset()] = d.load(entryOf(p, p, side));
  c[w.ownOffset()] = d.load(w.own);
  __syncthreads();  // both tiles are in shared memory
  Step::relax(w, c, row ? pivot : c, row ? c : pivot, true);
  d.store(w.own, c[w.ownOffset()]);
}

/// Phase 3 of a1 to a4: the block's own tile is in shared memory.
template <class Step>
__global__ void __launch_bounds__(kThreads) updateRestInShared(Distances d, int p) {
  const int side = Step::side(), i = other(blockIdx.y, p), j = other(blockIdx.x, p);
  const Work w{d.n, side, p * side, entryOf(i, j, side)};
  int *const a = tiles, *const b = a + side * side, *const c = b + side * side;
  a[w.ownOffset()] = d.load(entryOf(i, p, side));
  b[w.ownOffset()] = d.load(entryOf(p, j, side));
  c[w.ownOffset()] = d.load(w.own);
  __syncthreads();  // all three tiles are in shared memory
  Step::relax(w, c, a, b, Step::kBarriersInRest);
  d.store(w.own, c[w.ownOffset()]);
}

/// Phase 3 of a5 to a7: the block's own tile is in registers.
template <class Step>
__global__ void __launch_bounds__(kThreads) updateRest(Distances d, int p) {
  const int side = Step::side(), i = other(blockIdx.y, p), j = other(blockIdx.x, p);
  const Work w{d.n, side, p * side, entryOf(i, j, side)};
  int *const a = tiles, *const b = a + side * side;
  a[w.ownOffset()] = d.load(entryOf(i, p, side));
  b[w.ownOffset()] = d.load(entryOf(p, j, side));
  const int own = d.load(w.own);
  __syncthreads();  // the panel tiles are in shared memory
  d.store(w.own, Step::shortened(w, own, a, b));
}

/// Phase 3 of a8: kGroup × kGroup tiles, one after the other. Outside the matrix they are kInf.
template <int kGroup>
__global__ void __launch_bounds__(kThreads) updateRestInGroups(Distances d, int p) {
  constexpr int kTileSize = kSide * kSide;
  const int firstRow = blockIdx.y * kGroup, firstColumn = blockIdx.x * kGroup;
  Work w{d.n, kSide, p * kSide, {}};
  int *const a = tiles, *const b = a + kGroup * kTileSize;
  for (int t = 0; t < kGroup; ++t) {
    a[t * kTileSize + w.ownOffset()] = d.load(entryOf(other(firstRow + t, p), p));
    b[t * kTileSize + w.ownOffset()] = d.load(entryOf(p, other(firstColumn + t, p)));
  }
  __syncthreads();  // the panel tiles are in shared memory
  for (int y = 0; y < kGroup; ++y) {
    for (int x = 0; x < kGroup; ++x) {
      w.own = entryOf(other(firstRow + y, p), other(firstColumn + x, p));
      d.store(w.own, A7::shortened(w, d.load(w.own), a + y * kTileSize, b + x * kTileSize));
    }
  }
}

// ---- the solvers -----------------------------------------------------------------------------

/// rest: the kernel of phase 3. Each of its blocks keeps restTiles tiles in shared memory and
/// updates group × group tiles.
template <class Step>
void solveWith(int n, int* graph, void (*rest)(Distances, int), int restTiles, int group = 1) {
  constexpr std::size_t kTileBytes = sizeof(int) * kSide * kSide;
  const int others = ceilDiv(n, kSide) - 1, groups = ceilDiv(others, group);
  solveInRounds(n, graph, kSide,
                {{closePivot<Step>, 1, kTileBytes},
                 {updatePanels<Step>, dim3(others, 2), 2 * kTileBytes},
                 {rest, dim3(groups, groups), restTiles * kTileBytes}});
}

void a1(int n, int* graph) {
  solveWith<A1>(n, graph, updateRestInShared<A1>, 3);
}

void a2(int n, int* graph) {
  solveWith<A2>(n, graph, updateRestInShared<A2>, 3);
}

void a3(int n, int* graph) {
  solveWith<A3>(n, graph, updateRestInShared<A3>, 3);
}

void a4(int n, int* graph) {
  solveWith<A4>(n, graph, updateRestInShared<A4>, 3);
}

void a5(int n, int* graph) {
  solveWith<A5>(n, graph, updateRest<A5>, 2);
}

void a6(int n, int* graph) {
  solveWith<A6>(n, graph, updateRest<A6>, 2);
}

void a7(int n, int* graph) {
  solveWith<A7>(n, graph, updateRest<A7>, 2);
}

template <int kGroup>
void a8(int n, int* graph) {
  solveWith<A7>(n, graph, updateRestInGroups<kGroup>, 2 * kGroup, kGroup);
}

/// The fastest variant in the report's table. The report does not say at which n it changes over.
void a8ByN(int n, int* graph) {
  Solver* const best = n < 1000 ? a8<1> : n < 2500 ? a8<2> : n < 5000 ? a8<4> : a8<6>;
  best(n, graph);
}

}  // namespace
