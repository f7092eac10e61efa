// The min-plus product on a part of the matrix: C = min(C, L ⊗ R) for many tiles C at once.
//
// A round of the distributed solver has `depth` pivots, which is much more than the side of a tile.
// L is a column panel, R a row panel, both cut into tiles and packed as tile.cuh reads them:
//
//                  depth                          columns
//                +-----+-----+              +-----+-----+-----+
//         rows   | 0,0 | 0,1 |      depth   | 0,0 | 1,0 | 2,0 |     R(j,s): column j, pivots s
//                +-----+-----+              +-----+-----+-----+
//                | 1,0 | 1,1 |              | 0,1 | 1,1 | 2,1 |     L(i,s): row i, pivots s
//                +-----+-----+              +-----+-----+-----+
//
// A block of threads takes a few tiles C(i,j), one after the other. It keeps C(i,j) in registers
// while it runs through all s: C is read and written once for `depth` relaxations of each element.
// As in schedule.cuh, a producer warp has slices of both panels copied into shared memory, and is
// ahead of the consumers, also from one tile to the next.
//
// No block waits for another one. Therefore, unlike `dataflow`, blocks end after a millisecond or
// two. When one ends, the GPU starts the blocks of a stream with a higher priority first:
// those of the next round's pivot and panels, which other ranks wait for.
//
// Blocks that run at the same time have tiles that are close together, in strips of kStrip rows.
// They then share panel tiles in the L2 cache.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "base/size.h"
#include "dense/tile.cuh"
#include "device/cuda.h"
#include "ranks/grid.h"

namespace engine::product {

constexpr int kStrip = 8;

/// The most tiles across a panel: a lane looks at each pair of panel tiles.
constexpr int kMostSteps = 32;

/// `count` lines of tiles from `first` on, not counting those in two gaps, which are left out. The
/// gaps are in ascending order, and behind all lines if there is nothing to leave out.
struct Lines {
  int first, count;
  Band gaps[2];

  __device__ int at(int index) const {
    int line = first + index;
    for (const Band& gap : gaps) line += line >= gap.first ? gap.count : 0;
    return line;
  }
};

/// A panel: (lines, steps) packed tiles in words of 32 bits, and for each whether it holds any
/// path.
struct Panel {
  int* tiles;
  int* finite;

  /// Tile number `at`, of `count` words of a tier.
  template <class Word>
  __device__ Word* tile(std::size_t at, std::size_t count) const {
    return reinterpret_cast<Word*>(tiles) + at * count;
  }
};

struct Params {
  WordMatrix matrix;
  Lines rows, columns;  ///< of tiles C
  Panel left, right;    ///< of all rows and columns of the matrix
  int leftFirst;        ///< the row of tiles that the left panel begins with
  int steps;            ///< pivot tiles
  int pivots;           ///< pivots, at most steps tiles of them
  bool skip;            ///< leave out products with panel tiles that hold no path
  Panel packed;         ///< if not null, the results become this right panel, too
  int perBlock;         ///< tiles that a block of threads takes
  int one;              ///< 1, which the compiler must not know (multiplyAdd)
};

template <class Tier, int kTile, bool kAsyncCopies = kAsync>
struct Storage {
  using Tiles = TileStorage<Tier, kTile, kAsyncCopies>;
  typename Tiles::Slice slices[Tiles::kStages];
  Mbarrier full[Tiles::kStages];   ///< the slice has arrived
  Mbarrier empty[Tiles::kStages];  ///< the slice has been read by all consumers
};

/// A block of threads at work.
template <class Tier, int kTile>
struct Block {
  using Tiles = TileStorage<Tier, kTile>;
  using Word = typename Tier::Word;
  static constexpr int kWords = Tiles::kWords, kSlice = Tiles::kSlice, kStages = Tiles::kStages;
  static constexpr std::size_t kLeftTile = kTile * kTile, kRightTile = kTile * kWords;

  const Params& params;
  Storage<Tier, kTile>& shared;

  __device__ MatrixOf<Word> matrix() const { return inWordsOf<Word>(params.matrix); }

  /// A tile C(i,j).
  struct Place {
    int i, j;
  };
  __device__ Place place(int number) const {
    const int perStrip = kStrip * params.columns.count;
    const int strip = number / perStrip, within = number % perStrip;
    const int rows = min(kStrip, params.rows.count - strip * kStrip);
    return {params.rows.at(strip * kStrip + within % rows), params.columns.at(within / rows)};
  }

  __device__ std::size_t leftAt(Place c, int step) const {
    return asSize(c.i - params.leftFirst) * params.steps + step;
  }
  __device__ std::size_t rightAt(Place c, int step) const {
    return asSize(c.j) * params.steps + step;
  }

  /// The steps in which L ⊗ R can make any weight smaller, as bits. Called by whole warps.
  __device__ unsigned useful(Place c) const {
    const int step = threadIdx.x % 32;
    bool takes = step < params.steps && step * kTile < params.pivots;
    if (takes && params.skip)
      takes = __ldcg(params.left.finite + leftAt(c, step)) != 0 &&
              __ldcg(params.right.finite + rightAt(c, step)) != 0;
    return __ballot_sync(~0u, takes);
  }

  /// The slices of a step, up to the last pivot.
  __device__ int slices(int step) const {
    return ceilDiv(min(kTile, params.pivots - step * kTile), kSlice);
  }

  /// Calls body(step) for every bit of a mask.
  template <class Body>
  static __device__ void forEachStep(unsigned mask, Body body) {
    for (; mask != 0; mask &= mask - 1) body(__ffs(static_cast<int>(mask)) - 1);
  }

  __device__ void produce(int begin, int end) {
    PipelineState<kStages> slice;
    for (int number = begin; number < end; ++number) {
      const Place c = place(number);
      matrix().template prefetch<kTile, kWords>(c.i * kTile, c.j * kWords);
      forEachStep(useful(c), [&](int step) {
        const Word* const left = params.left.tile<Word>(leftAt(c, step), kLeftTile);
        const Word* const right = params.right.tile<Word>(rightAt(c, step), kRightTile);
        const int count = slices(step);
        for (int s = 0; s < count; ++s) {
          if (slice.phase > 0) shared.empty[slice.index].wait(slice.phase - 1);
          auto& to = shared.slices[slice.index];
          shared.full[slice.index].template copy<kSlice * kTile, kSlice * kWords>(
              &to.left[0][0], left + s * (kSlice * kTile), &to.right[0][0],
              right + s * (kSlice * kWords));
          slice.next();
        }
      });
    }
  }

  __device__ void consume(int begin, int end) {
    PipelineState<kStages> slice;
    for (int number = begin; number < end; ++number) {
      const Place c = place(number);
      const unsigned mask = useful(c);
      if (mask == 0 && params.packed.tiles == nullptr) continue;
      RegisterTile<Tier, kTile> tile;
      tile.load(matrix(), c.i * kTile, c.j * kWords);
      forEachStep(mask, [&](int step) {
#pragma unroll 1
        for (int remaining = slices(step); remaining > 0; --remaining) {
          shared.full[slice.index].wait(slice.phase);
          tile.relax(shared.slices[slice.index], params.one);
          __threadfence_block();  // the reads are done: dense/schedule.cuh, "Memory ordering"
          shared.empty[slice.index].arrive();
          slice.next();
        }
      });
      tile.store(matrix(), c.i * kTile, c.j * kWords);
      if (params.packed.tiles == nullptr) continue;
      const std::size_t to = rightAt(c, c.i - params.rows.first);
      tile.store(MatrixOf<Word>{kTile, kWords, params.packed.tile<Word>(to, kRightTile)}, 0, 0);
      if (tile.anyFinite()) params.packed.finite[to] = 1;
    }
  }
};

/// Launch it with kBlock threads a block, a block for each perBlock tiles, and sizeof(Storage)
/// bytes of dynamic shared memory.
template <class Tier, int kTile>
__global__ void __launch_bounds__(kBlock, TileStorage<Tier, kTile>::kResident)
    multiply(const Params params) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& shared = *reinterpret_cast<Storage<Tier, kTile>*>(bytes);
  if (threadIdx.x == 0) {
    for (Mbarrier& mbarrier : shared.full) mbarrier.init(Mbarrier::kCopyArrivals);
    for (Mbarrier& mbarrier : shared.empty) mbarrier.init(kThreads);
    fenceMbarrierInit();
  }
  __syncthreads();  // the mbarriers are initialised
  const int begin = blockIdx.x * params.perBlock;
  const int end = min(begin + params.perBlock, params.rows.count * params.columns.count);
  Block<Tier, kTile> block{params, shared};
  if (threadIdx.x >= kThreads) {
    block.produce(begin, end);
  } else {
    block.consume(begin, end);
  }
}

/// Packs the matrix from row i0 and word w0 of the tier on as a left panel: block (step, i) packs
/// tile L(i,s). The flags of the panel are 0 before.
template <class Tier, int kTile>
__global__ void __launch_bounds__(kThreads, 2)
    packLeft(WordMatrix matrix, int i0, int w0, Panel panel) {
  using Word = typename Tier::Word;
  constexpr int kWords = TileStorage<Tier, kTile>::kWords;
  const std::size_t at = asSize(blockIdx.y) * gridDim.x + blockIdx.x;
  RegisterTile<Tier, kTile> tile;
  tile.load(inWordsOf<Word>(matrix), i0 + blockIdx.y * kTile, w0 + blockIdx.x * kWords);
  tile.packLeft(panel.tile<Word>(at, kTile * kTile));
  if (tile.anyFinite()) panel.finite[at] = 1;
}

/// The same of a right panel: block (step, j) packs tile R(j,s).
template <class Tier, int kTile>
__global__ void __launch_bounds__(kThreads, 2)
    packRight(WordMatrix matrix, int i0, int w0, Panel panel) {
  using Word = typename Tier::Word;
  constexpr int kWords = TileStorage<Tier, kTile>::kWords;
  const std::size_t at = asSize(blockIdx.y) * gridDim.x + blockIdx.x;
  RegisterTile<Tier, kTile> tile;
  tile.load(inWordsOf<Word>(matrix), i0 + blockIdx.x * kTile, w0 + blockIdx.y * kWords);
  tile.store(MatrixOf<Word>{kTile, kWords, panel.tile<Word>(at, kTile * kWords)}, 0, 0);
  if (tile.anyFinite()) panel.finite[at] = 1;
}

}  // namespace engine::product
