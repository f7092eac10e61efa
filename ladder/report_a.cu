// Report A: from the course's hints to several tiles a block, in eight steps.
//
// Source: course report A, Tesla P100. Tiles of 32×32 entries, one a thread; rounds.cuh says what
// the three phases are and why they are right. What each step does:
//
//     a1  The course's hints as they stand. Each phase copies all of its tiles into shared memory
//         (4, 8 and 12 KB), relaxes its own there, a barrier after each k, and copies it back.
//     a2  One branch instead of nested ones, loops unrolled. The report found the unrolling
//         useless: the compiler does it anyway.
//     a3  No barriers in phase 3: nothing that it reads changes.
//     a4  A thread keeps its own entry, and sums, in registers; branches that go the same way for
//         every k are taken out of the loop.
//     a5  Phase 3 reads its own tile from global memory into registers, not into shared memory.
//     a6  The part of an offset into shared memory that does not depend on k is added up first.
//     a7  The side of a tile is a constant, where it was blockDim.x.
//     a8  A block of phase 3 updates 1×1, 2×2, 4×4 or 6×6 tiles and holds the panels' tiles for
//         them in 8, 16, 32 or 48 KB of shared memory: each of these serves a whole row or column
//         of the square. Small graphs take few tiles a block and large ones many.
//
// The report's times follow, in milliseconds.
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
          "ladder/report_a.cu",
          {15.436, 377.849, 2987.084, 10051.674, 22837.635},
          rungs};
}

namespace {

using namespace ladder;

/// What a thread works on.
struct Work {
  int n, side;  ///< of the matrix and of a tile
  int pivot;    ///< first vertex of the pivot block
  Entry own;    ///< the thread's entry of the tile that is updated

  /// Of a tile in shared memory, (side, side).
  __device__ int offset(int y, int x) const { return y * side + x; }
  __device__ int ownOffset() const { return offset(threadIdx.y, threadIdx.x); }
};

// ---- the steps -------------------------------------------------------------------------------

// Each has what the one before it has, but for what it changes. c, a, b: tiles in shared memory,
// (side, side), all of which are there. relax() makes c = min(c, a ⊗ b), each thread its entry, a
// barrier after each k where there are `barriers`: in phases 1 and 2, c is a or b as well.

/// Padding with kInf makes the branches needless; they are the report's.
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
      if (barriers) __syncthreads();  // all of c has taken step k
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
      if (barriers) __syncthreads();  // all of c has taken step k
    }
  }
};

struct A3 : A2 {
  static constexpr bool kBarriersInRest = false;
};

/// Others may have to see the entry: it is still written to c where it becomes shorter.
struct A4 : A3 {
  static __device__ void relax(const Work& w, int* c, const int* a, const int* b, bool barriers) {
    const int y = threadIdx.y, x = threadIdx.x;
    int own = c[w.offset(y, x)];
#pragma unroll
    for (int k = 0; k < w.side; ++k) {
      const int through = a[w.offset(y, k)] + b[w.offset(k, x)];
      if (through < own) c[w.offset(y, x)] = own = through;
      if (barriers) __syncthreads();  // all of c has taken step k
    }
  }
};

/// shortened(): phase 3's relaxation of an entry in a register.
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
      if (barriers) __syncthreads();  // all of c has taken step k
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

extern __shared__ int tiles[];  // a block's tiles, one after the other

template <class Step>
__global__ void __launch_bounds__(kThreads) closePivot(Distances d, int p) {
  const int side = Step::side();
  const Work w{d.n, side, p * side, entryOf(p, p, side)};
  tiles[w.ownOffset()] = d.load(w.own);
  __syncthreads();  // the tile is there
  Step::relax(w, tiles, tiles, tiles, true);
  d.store(w.own, tiles[w.ownOffset()]);
}

/// blockIdx.y: 0 for the row panel, 1 for the column panel.
template <class Step>
__global__ void __launch_bounds__(kThreads) updatePanels(Distances d, int p) {
  const int side = Step::side(), t = other(blockIdx.x, p);
  const bool row = blockIdx.y == 0;
  const Work w{d.n, side, p * side, row ? entryOf(p, t, side) : entryOf(t, p, side)};
  int *const pivot = tiles, *const c = pivot + side * side;
  pivot[w.ownOffset()] = d.load(entryOf(p, p, side));
  c[w.ownOffset()] = d.load(w.own);
  __syncthreads();  // both tiles are there
  Step::relax(w, c, row ? pivot : c, row ? c : pivot, true);
  d.store(w.own, c[w.ownOffset()]);
}

/// Phase 3 of a1 to a4: the own tile in shared memory.
template <class Step>
__global__ void __launch_bounds__(kThreads) updateRestInShared(Distances d, int p) {
  const int side = Step::side(), i = other(blockIdx.y, p), j = other(blockIdx.x, p);
  const Work w{d.n, side, p * side, entryOf(i, j, side)};
  int *const a = tiles, *const b = a + side * side, *const c = b + side * side;
  a[w.ownOffset()] = d.load(entryOf(i, p, side));
  b[w.ownOffset()] = d.load(entryOf(p, j, side));
  c[w.ownOffset()] = d.load(w.own);
  __syncthreads();  // all three tiles are there
  Step::relax(w, c, a, b, Step::kBarriersInRest);
  d.store(w.own, c[w.ownOffset()]);
}

/// Phase 3 of a5 to a7: the own tile in registers.
template <class Step>
__global__ void __launch_bounds__(kThreads) updateRest(Distances d, int p) {
  const int side = Step::side(), i = other(blockIdx.y, p), j = other(blockIdx.x, p);
  const Work w{d.n, side, p * side, entryOf(i, j, side)};
  int *const a = tiles, *const b = a + side * side;
  a[w.ownOffset()] = d.load(entryOf(i, p, side));
  b[w.ownOffset()] = d.load(entryOf(p, j, side));
  const int own = d.load(w.own);
  __syncthreads();  // the panels' tiles are there
  d.store(w.own, Step::shortened(w, own, a, b));
}

/// Phase 3 of a8: kGroup × kGroup tiles, one after the other. Past the matrix's edge they are kInf.
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
  __syncthreads();  // the panels' tiles are there
  for (int y = 0; y < kGroup; ++y) {
    for (int x = 0; x < kGroup; ++x) {
      w.own = entryOf(other(firstRow + y, p), other(firstColumn + x, p));
      d.store(w.own, A7::shortened(w, d.load(w.own), a + y * kTileSize, b + x * kTileSize));
    }
  }
}

// ---- the solvers -----------------------------------------------------------------------------

/// rest: phase 3, whose blocks have restTiles in shared memory and update group × group each.
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

/// The fastest of the report's table; it does not say where it changes from one to the next.
void a8ByN(int n, int* graph) {
  Solver* const best = n < 1000 ? a8<1> : n < 2500 ? a8<2> : n < 5000 ? a8<4> : a8<6>;
  best(n, graph);
}

}  // namespace
