// The schedule: one persistent kernel, `dataflow`, does all tile updates of a solve.
//
// apsp.cu has the algorithm. Here is the order of the tile updates, how the blocks of threads share
// them, and why every block reads what it should. D(i,j) is a tile, m × m of them make the matrix,
// p is the round, and D* is the closure of D(p,p).
//
//     kClose          D(i,i) becomes its closure; only the first pivot, before round 0
//     kPanel          D(p,j) = D* ⊗ D(p,j)
//     kRest           D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))
//     kRestAndClose   the same for the next pivot, D(p+1,p+1), which is closed at once
//
// The list and the critical path
//
//     The work list, from left to right. An atomic counter hands out its updates.
//
//     | panels(0) | round 0                              | round 1        | ... | round m−1 |
//     |           | cross | inner | panels(1) | inner    | cross | inner ..     | inner     |
//                     |       |         |
//                     |       |         +-- the row panel of round 1, ready before round 1 begins
//                     |       +-- `ahead` updates, which keep all blocks busy while pivot 1 closes
//                     +-- the row and column of pivot 1, which panels(1) and round 1 read
//
//     The critical path: each update needs the one before it. One block does them all.
//
//     close(0) --> panel(0,1) --> rest+close(1) --> panel(1,2) --> rest+close(2) --> ...
//                      ^             ^      |           ^             ^      |
//                   D(0,1)        D(1,0)    |        D(1,2)        D(2,1)    |
//                                 D(1,1)    v                      D(2,2)    v
//                                       panels(1)                        panels(2) of the list
//
//     No number of blocks can shorten the critical path, so its updates are not in the list. Its
//     block also works on the list if rounds are so long that the critical path has time to spare.
//     There is no barrier between rounds. Therefore no multiprocessor idles at the end of a round.
//
// The ring of panels
//
//     Panels are kept in buffers of their own, packed as the products read them. A block that
//     updates a tile of a coming panel also packs it. The panels of round q are in place q % kRing
//     (kRing = 4). While blocks do the updates of round 5:
//
//           place 0           place 1           place 2             place 3
//       +-----------------+-----------------+-------------------+-----------------+
//       | panels of 4:    | panels of 5:    | panels of 6: are  | panels of 3:    |
//       | slow blocks may | are read        | packed, over      | slow blocks may |
//       | still read them |                 | those of 2        | still read them |
//       +-----------------+-----------------+-------------------+-----------------+
//
//     What is packed for round q overwrites round q − kRing. Every update of that round must be
//     done first (`finished`). A tile in the matrix needs no such rule: only its own updates touch
//     it, one after the other.
//
// The blocks
//
//     A block has 8 consumer warps, which compute, and one producer warp. The producer takes
//     updates, waits until each is ready, has the operands copied into shared memory and announces
//     what is done. It is one update ahead of the consumers. Source: warp specialisation as in
//     CUTLASS's GEMM kernels for Hopper. Four kinds of mbarriers connect the two sides:
//
//         posted   producer → consumers   an update is in `updates`
//         full     copies → consumers     a slice of both panels has arrived
//         empty    consumers → producer   all consumers have read that slice
//         stored   consumers → producer   all consumers have stored the tile
//
// Memory ordering
//
//     How a tile that block A stores reaches the products of block B:
//
//     1  tile store            A's consumers write the tile, and pack it, with ordinary stores.
//     2  mbarrier `stored`     Each consumer arrives after its stores, and A's producer waits. This
//                              orders the stores of all 256 threads before what the producer does.
//     3  fence and count       A's producer executes __threadfence() and then counts (`rounds`,
//                              `finished`). Without the fence, other multiprocessors could see the
//                              count before the stores. The fence covers the consumers' stores too,
//                              because they are ordered before it by link 2.
//     4  acquire               B's producer reads the count with ld.acquire.gpu. If it sees the
//                              count, it sees the stores. Different lanes read different counts, so
//                              __syncwarp() follows: it passes on to all lanes what each has seen.
//     5  proxy fence           fence.proxy.async. Bulk copies read memory through the asynchronous
//                              proxy, which acquire does not order. The fence does.
//     6  bulk copy, `full`     The copies arrive at the mbarrier `full` with their last byte. The
//                              consumers wait for it, so they read whole slices.
//
//     B's consumers load the tile that they update themselves. For them, `posted` takes the place
//     of links 5 and 6: the producer arrives there after link 4. They load through L2, because L1
//     may hold an old copy. The other direction is `empty`: the producer copies a new slice over an
//     old one only after all consumers have read the old one. A fence goes before that arrival. An
//     arrival does not wait for reads that are still queued for shared memory, and bulk copies
//     bypass that queue. Tiles of 64 × 64 doubles keep it full: without the fence, about one solve
//     in 100 read numbers of the next slice. The fence costs no measurable time.
//
//     The critical path saves links 3 and 4 between its own updates, because one block does them
//     all: an update is posted as soon as link 2 shows the tile of the one before it.
//
// Why the schedule always advances
//
//     Insert the critical path into the list: its first two updates at the beginning, and in round
//     p, after `cross`, rest+close(p+1) and panel(p+1,p+2). In this order every update waits only
//     for earlier ones:
//       - its own tile and its operands have taken enough rounds: the updates that do this are in
//         an earlier round, in `cross` or in the panels of the same round, or earlier on the
//         critical path;
//       - all of round q − kRing is done, where q is the round that it may pack for. Even the
//         panels of round p + 1 need no more than round p − 1 for this, if kRing ≥ 3.
//     Consider the first update in this order that is not done. All that it waits for is done. A
//     block posts an update only when it is ready, so consumers never wait for another block. A
//     producer takes list updates in order and tries its critical update and its list update in
//     turn, so neither holds up the other. If a block has taken the update, it therefore does it.
//     If not, it is the next one in the list, and the blocks of the list have nothing else to
//     finish. Two running blocks are enough, one for the critical path and one for the list. On a
//     GPU with one multiprocessor one block does both (`criticalHelps`).
//
// The constants kRing and kLookAhead, and the thresholds in apsp.cu, come from measurements:
// docs/tuning.md, "Where the constants come from".
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "base/size.h"
#include "dense/tile.cuh"
#include "dense/workspace.h"
#include "device/cuda.h"

namespace engine {

namespace {

using dense::kRing;
static_assert(kRing >= 3,
              "with fewer, the panels of the next round would wait for their own round");

/// Updates of the rest that come before the next round's panels. They keep all blocks busy while
/// the next pivot is being closed.
constexpr int kLookAhead = 600;
static_assert(kLookAhead >= 0, "a number of updates");

// ---- the order of the updates -------------------------------------------------------------------

/// One tile update.
struct Update {
  enum Kind { kEnd, kClose, kPanel, kRest, kRestAndClose } kind;
  int p, i, j;   // D(i,j) takes round p; kClose: p = −1
  bool product;  // there is a product to compute: not kClose, and no operand is all infinite

  __device__ bool closes() const { return kind == kClose || kind == kRestAndClose; }
};

/// All updates of a matrix of m × m tiles: the critical path, and the list of all others. Each part
/// counts tiles from the pivot on, modulo m. In a symmetric matrix, (i, j) stands for (j, i) too.
struct Schedule {
  int m;
  bool symmetric;
  int ahead;  ///< kLookAhead

  using Index = long long;

  /// The number of updates of each part of a round, except in the last round. `cross`: the next
  /// pivot's row and column without the pivot itself.
  __host__ __device__ int panels() const { return m - 2; }
  __host__ __device__ int cross() const { return symmetric ? m - 2 : 2 * m - 3; }
  __host__ __device__ int inner() const {
    return symmetric ? (m - 2) * (m - 1) / 2 : (m - 2) * (m - 1);
  }
  __host__ __device__ Index round() const {
    return static_cast<Index>(cross()) + inner() + panels();
  }
  __host__ __device__ int last() const { return symmetric ? (m - 1) * m / 2 : (m - 1) * m; }
  __host__ __device__ Index size() const {
    return m == 1 ? 0 : panels() + (m - 1) * round() + last();
  }
  /// Updates that count for one round, those of the critical path included.
  __host__ __device__ int perRound() const { return last() + m - 1; }

  /// Update number `at` of the critical path.
  __device__ Update criticalPath(Index at) const {
    if (at == 0) return {Update::kClose, -1, 0, 0, false};
    const int p = static_cast<int>((at - 1) / 2), next = around(p, 1);
    if (m == 1 || at > 2 * m - 1)
      return {Update::kEnd, 0, 0, 0, false};  // the last pivot has no next one
    if (at % 2 == 1) return {Update::kPanel, p, p, next, true};
    return {Update::kRestAndClose, p, next, next, true};
  }

  /// Update number `at` of the list.
  __device__ Update list(Index at) const {
    if (at >= size()) return {Update::kEnd, 0, 0, 0, false};
    if (at < panels()) return panel(0, static_cast<int>(at));
    at -= panels();
    const int p = at < (m - 1) * round() ? static_cast<int>(at / round()) : m - 1;
    int rest = static_cast<int>(at - p * round());
    if (p == m - 1) return inside(p, rest, m - 1);
    const int next = p + 1;
    if (rest < cross()) {
      if (symmetric) return tile(p, next, around(next, 1 + rest));
      // Row and column of the next pivot alternate. The row has one tile more, the one at p.
      const int other = around(next, 1 + rest / 2);
      return rest % 2 == 0 ? tile(p, next, other) : tile(p, other, next);
    }
    rest -= cross();
    const int before = min(ahead, inner());
    if (rest >= before && rest < before + panels()) return panel(next, rest - before);
    return inside(p, rest < before ? rest : rest - panels(), m - 2);
  }

 private:
  /// The tile `steps` after tile x; the first one follows the last one.
  __device__ int around(int x, int steps) const {
    return x + steps < m ? x + steps : x + steps - m;
  }

  __device__ Update tile(int p, int i, int j) const {
    return symmetric ? Update{Update::kRest, p, min(i, j), max(i, j), true}
                     : Update{Update::kRest, p, i, j, true};
  }

  /// Panel tile number `at` of pivot p. The one next to the pivot is on the critical path.
  __device__ Update panel(int p, int at) const {
    return {Update::kPanel, p, p, around(p, 2 + at), true};
  }

  /// Update number `at` among the `count` rows that end just before pivot p. They have all columns
  /// except those of the rows before them, which belong to `cross`.
  __device__ Update inside(int p, int at, int count) const {
    const int first = m - count;  // steps from p to the first of the rows
    if (symmetric) {
      // Solve at = b (b + 1) / 2 + a with 0 ≤ a ≤ b. The root may be rounded either way.
      int b = static_cast<int>((sqrtf(8.0f * static_cast<float>(at) + 1.0f) - 1.0f) * 0.5f);
      while (b * (b + 1) / 2 > at) --b;
      while ((b + 1) * (b + 2) / 2 <= at) ++b;
      return tile(p, around(p, first + at - b * (b + 1) / 2), around(p, first + b));
    }
    const int columns = count + 1;  // those of the rows, and p
    return tile(p, around(p, first + at / columns), around(p, (first + at % columns) % m));
  }
};

// ---- dataflow -----------------------------------------------------------------------------------

/// What the blocks tell each other, in device memory. All of it is zero at the start.
struct Counters {
  unsigned long long* next;  ///< the next place in the list
  int* criticalOn;           ///< 1 + the multiprocessor on which the critical path's block runs
  int* exited;               ///< blocks that have left that multiprocessor to it
  int* rounds;               ///< (m, m): the rounds that each tile has taken
  int* finished;             ///< (m): the updates of each round that are done
  int* finite[2];            ///< (kRing, m): for left and right panel tiles, 1 + the last round in
                             ///< which some weight of the tile was finite
};

/// The kernel's parameters.
template <class Word>
struct KernelParams {
  MatrixOf<Word> matrix;
  Schedule schedule;
  bool skip;           ///< leave out products with panel tiles that hold no path
  bool exclusive;      ///< the critical path's block has a multiprocessor to itself
  bool criticalHelps;  ///< the critical path's block also works on the list
  int one;             ///< 1, which the compiler must not know (multiplyAdd)
  Word* left;          ///< (kRing, m) left panel tiles, each (kTile, kTile) left words
  Word* right;         ///< (kRing, m) right panel tiles, each (kTile, kWords)
  Word* before;        ///< (kRing, m) row panel tiles before their round, each (kTile, kWords)
  Counters progress;
};

/// In a test build, waits for a different time at each call. This makes rare orders of events
/// frequent (tests/support/delays.cpp).
__device__ void delay() {
#if defined(APSP_DELAYS) && __CUDA_ARCH__ >= 700  // which can sleep
  if (clock64() / 64 % 4 == 0) __nanosleep(clock64() % 20000);
#endif
}

/// Returns *count. What was written before it was counted is visible afterwards (link 4).
__device__ int loadAcquire(const int* count) {
#if __CUDA_ARCH__ >= 700
  int value;
  asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(count) : "memory");
#else
  const int value = *static_cast<const volatile int*>(count);
  __threadfence();
#endif
  return value;
}

__device__ int multiprocessor() {
  int id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// The shared memory of a block.
template <class Tier, int kTile, bool kAsyncCopies = kAsync>
struct SharedStorage {
  using Tiles = TileStorage<Tier, kTile, kAsyncCopies>;
  Tiles tiles;
  Update updates[2];               ///< the consumers' update and the next one, alternately
  Mbarrier posted[2];              ///< the update is there
  Mbarrier stored[2];              ///< its tile is stored
  Mbarrier full[Tiles::kStages];   ///< the slice has arrived
  Mbarrier empty[Tiles::kStages];  ///< the slice has been read by all consumers
};

/// The limits of the hardware that the sizes must keep. A block of wide tiles (dense::wideSide) of
/// 32 or 64 bits fits from sm_80 on, but not on sm_86 and sm_89: apsp.cu asks the GPU.
template <class Tier, int kTile>
struct Limits {
  static constexpr std::size_t kKilobyte = 1024;
  using Async = SharedStorage<Tier, kTile, true>;
  using Plain = SharedStorage<Tier, kTile, false>;
  static constexpr int kResident = Async::Tiles::kResident;
  static constexpr bool kMustFitAll = Tier::kPack == 2 || kTile == 64;
  static_assert(kResident == Plain::Tiles::kResident, "one launch configuration for both");
  static_assert(sizeof(Plain) <= 48 * kKilobyte, "more needs an opt-in, which sm_60 has not");
  static_assert(sizeof(Async) <= (kMustFitAll ? 99 : 163) * kKilobyte,
                "shared memory of a block: 99 KB on sm_86, sm_89 and sm_120, 163 KB on sm_80");
  static_assert(kResident * (sizeof(Async) + kKilobyte) <= 164 * kKilobyte,
                "shared memory of a multiprocessor on sm_80; 1 KB of each block is the system's");
  static_assert(kResident * kBlock <= 1024, "threads of a multiprocessor on sm_75");
  using Part = RegisterTile<Tier, kTile>;
  static_assert(kResident * kBlock * Async::Tiles::kRegisters *
                        (Part::kRows * Part::kColumns + 2 * (Part::kRows + Part::kColumns)) <=
                    65536,
                "registers of a multiprocessor: the tile and the operands of two pivot vertices");
};

/// A block of threads. Members are called by the producer warp or by the consumers, as the headings
/// say.
template <class Tier, int kTile>
struct Block {
  using Storage = TileStorage<Tier, kTile>;
  using Tile = RegisterTile<Tier, kTile>;
  using Word = typename Tier::Word;
  static constexpr int kWords = Storage::kWords, kSlice = Storage::kSlice,
                       kStages = Storage::kStages;
  static constexpr std::size_t kLeftTile = kTile * kTile, kRightTile = kTile * kWords;
  static_assert(kLeftTile % 64 == 0 && kRightTile % 64 == 0,
                "packed tiles begin at multiples of 256 bytes, as their arrays do");
  static_assert(sizeof(Limits<Tier, kTile>) == 1, "the limits are checked for these sizes");

  const KernelParams<Word>& params;
  SharedStorage<Tier, kTile>& shared;
  bool hasCriticalPath;  ///< this block does the critical path

  // ---- addresses

  __device__ std::size_t ring(int q, int x) const {
    return asSize(q % kRing) * params.schedule.m + x;
  }
  __device__ Word* left(int q, int x) const { return params.left + ring(q, x) * kLeftTile; }
  __device__ Word* right(int q, int x) const { return params.right + ring(q, x) * kRightTile; }
  __device__ Word* before(int q, int x) const { return params.before + ring(q, x) * kRightTile; }
  __device__ int* rounds(int i, int j) const {
    const bool swapped = params.schedule.symmetric && i > j;
    return params.progress.rounds +
           (swapped ? j * params.schedule.m + i : i * params.schedule.m + j);
  }
  /// The slices of an update's product, up to the edge of the matrix.
  __device__ int slices(const Update& u) const {
    return u.product ? ceilDiv(min(kTile, params.matrix.n - u.p * kTile), kSlice) : 0;
  }

  // ---- the producer warp

  /// Takes the next update of the list.
  __device__ Update take() const {
    unsigned long long at = 0;
    if (threadIdx.x % 32 == 0) at = atomicAdd(params.progress.next, 1ull);
    return params.schedule.list(static_cast<long long>(__shfl_sync(~0u, at, 0)));
  }

  /// Whether all that the update waits for is done. For an update of the critical path, the result
  /// of the one before it is left out: this block knows itself when that is stored. Lane 0 looks at
  /// the tile itself, lane 1 at the right operand, lane 2 at the left one, lane 3 at the ring.
  __device__ bool ready(const Update& u, bool onCriticalPath) const {
    if (u.p < 0 || u.kind == Update::kEnd) return true;
    const bool panel = u.kind == Update::kPanel, symmetric = params.schedule.symmetric;
    const int lane = threadIdx.x % 32;
    const int* count = rounds(u.i, u.j);
    int wanted = u.p;
    bool there = lane > 3;
    if (lane == 1) {
      count = rounds(u.p, panel ? u.p : u.j);
      wanted = u.p + 1;
      there = onCriticalPath;
    }
    if (lane == 2) {
      count = rounds(u.i, u.p);
      wanted = u.p + (panel || symmetric);
      there = onCriticalPath && (panel || symmetric);
    }
    if (lane == 3) {
      // What is packed for round p + 1 overwrites the panels of round p + 1 − kRing.
      there = u.p + 1 < kRing;
      count = params.progress.finished + (there ? 0 : u.p + 1 - kRing);
      wanted = params.schedule.perRound();
    }
    const bool all = __all_sync(~0u, there || loadAcquire(count) >= wanted);
    __syncwarp();  // what each lane has acquired is visible to all of them
    return all;
  }

  /// Whether the product of an update that is ready can make any weight smaller.
  __device__ bool useful(const Update& u) const {
    if (!params.skip || u.kind != Update::kRest) return u.product;
    return __ldcg(params.progress.finite[0] + ring(u.p, u.i)) == u.p + 1 &&
           __ldcg(params.progress.finite[1] + ring(u.p, u.j)) == u.p + 1;
  }

  /// Announces that an update is done (link 3).
  __device__ void count(const Update& u) const {
    if (threadIdx.x % 32 != 0) return;
    __threadfence();  // what the block stored becomes visible before the counts do
    *static_cast<volatile int*>(rounds(u.i, u.j)) = u.p + 1 + u.closes();
    if (u.p >= 0) atomicAdd(params.progress.finished + u.p, 1);
  }

  /// The loop of the producer warp: takes updates and posts each as soon as it is ready. An update
  /// of the critical path goes before one of the list.
  __device__ void produce() {
    PipelineState<2> post, store;  // of the next update to be posted, of the next to be counted
    PipelineState<kStages> slice;
    // The next update of the critical path, if this block does it, and of the list.
    Update critical{Update::kEnd, 0, 0, 0, false}, item = critical;
    if (hasCriticalPath) critical = params.schedule.criticalPath(0);
    const bool lists = !hasCriticalPath || params.criticalHelps;
    bool inHand = !lists;  // `item` was taken, or none will be
    bool criticalReady = false;
    int posted = 0, stored = 0, counted = 0;  // numbers of updates
    int criticalTaken = 0;
    int criticalPosted = 0;  // `posted` after the last update of the critical path
    const auto settle = [&] {
      if (stored == counted) {
        if (counted == posted || !__all_sync(~0u, shared.stored[store.index].isOver(store.phase)))
          return;
        ++stored;
        // The next critical update is posted before this one is counted: other blocks need the
        // count, this block does not.
        if (criticalReady && stored == criticalPosted) return;
      }
      count(shared.updates[store.index]);
      store.next();
      ++counted;
    };
    for (;;) {
      if (!inHand) item = take();
      inHand = true;
      const bool noCritical = critical.kind == Update::kEnd, noItem = item.kind == Update::kEnd;
      criticalReady = criticalReady || (!noCritical && ready(critical, true));
      settle();
      const bool takeCritical =
          criticalReady && stored >= criticalPosted;  // the one before is stored
      const bool end = noCritical && noItem;
      if (!takeCritical && !end && (noItem || !ready(item, false))) continue;
      delay();
      Update now = takeCritical ? critical : item;
      now.product = useful(now);
      if (takeCritical) {
        critical = params.schedule.criticalPath(++criticalTaken);
        criticalReady = false;
        criticalPosted = posted + 1;
      } else {
        inHand = !lists;
      }
      // An update that changes nothing and is not packed is done already.
      if (!end && !now.product && !now.closes() && now.i != now.p + 1 && now.j != now.p + 1) {
        count(now);
        continue;
      }
      while (posted - counted == 2 || (end && posted > counted)) settle();
      fenceBeforeBulkCopies();  // link 5
      if (threadIdx.x % 32 == 0) {
        shared.updates[post.index] = now;
        shared.posted[post.index].arrive();
      }
      __syncwarp();  // no lane asks for `stored` of an update that lane 0 has not posted
      if (end) return;
      post.next();
      ++posted;
      const bool panel = now.kind == Update::kPanel;
      if (!panel) params.matrix.template prefetch<kTile, kWords>(now.i * kTile, now.j * kWords);
      const Word* from = left(max(now.p, 0), panel ? now.p : now.i);
      const Word* fromRight = panel ? before(now.p, now.j) : right(max(now.p, 0), now.j);
      const int count = slices(now);
      for (int s = 0; s < count; ++s) {
        while (slice.phase > 0 &&
               !__all_sync(~0u, shared.empty[slice.index].isOver(slice.phase - 1)))
          settle();
        auto& to = shared.tiles.slices[slice.index];
        shared.full[slice.index].template copy<kSlice * kTile, kSlice * kWords>(
            &to.left[0][0], from + s * (kSlice * kTile), &to.right[0][0],
            fromRight + s * (kSlice * kWords));
        slice.next();
      }
    }
  }

  // ---- the consumers

  /// Stores the tile of an update, and packs it if a later update will read it.
  __device__ void store(const Update& u, const Tile& tile) const {
    const bool symmetric = params.schedule.symmetric, panel = u.kind == Update::kPanel;
    if (panel && symmetric && u.j < u.p) {
      tile.storeTransposed(params.matrix, u.j * kTile, u.p * kWords);
    } else {
      tile.store(params.matrix, u.i * kTile, u.j * kWords);
    }
    // A panel tile is packed for this round. For the next round are packed: the next pivot, its row
    // as it is before that round, and its column, which is a left operand without a product.
    const int later = u.p + 1, q = panel ? u.p : later;
    const bool row = u.i == later && !u.closes(), column = u.j == later && !u.closes();
    const auto packed = [](Word* words) { return MatrixOf<Word>{kTile, kWords, words}; };
    if (panel || u.closes()) tile.store(packed(right(q, u.j)), 0, 0);
    if (panel && symmetric) tile.packLeftAsItIs(left(q, u.j));
    if (u.closes() || (column && !symmetric)) tile.packLeft(left(later, u.i));
    if (row) tile.store(packed(before(later, u.j)), 0, 0);
    if (column && symmetric) tile.storeTransposed(packed(before(later, u.i)), 0, 0);
    if (params.skip && (panel || u.closes() || column) && tile.anyFinite()) {
      if (panel || u.closes()) params.progress.finite[1][ring(q, u.j)] = q + 1;
      if (panel && symmetric) params.progress.finite[0][ring(q, u.j)] = q + 1;
      if (u.closes() || (column && !symmetric))
        params.progress.finite[0][ring(later, u.i)] = later + 1;
    }
  }

  /// The loop of the consumers: they do what the producer posts.
  __device__ void consume() {
    PipelineState<2> post;
    PipelineState<kStages> slice;
    for (;;) {
      shared.posted[post.index].wait(post.phase);
      const Update& u = shared.updates[post.index];
      if (u.kind == Update::kEnd) return;
      Tile tile;
      if (u.kind == Update::kPanel) {
        tile.clear();  // D* has zeros on its diagonal, so the product is never above the old tile
      } else {
        tile.load(params.matrix, u.i * kTile, u.j * kWords);
      }
#pragma unroll 1
      for (int remaining = slices(u); remaining > 0; --remaining) {
        shared.full[slice.index].wait(slice.phase);
        tile.relax(shared.tiles.slices[slice.index], params.one);
        __threadfence_block();  // the reads are done: see above
        shared.empty[slice.index].arrive();
        slice.next();
      }
      if (u.closes()) tile.close(shared.tiles.pivots);
      store(u, tile);
      delay();
      shared.stored[post.index].arrive();
      post.next();
    }
  }

  // ---- all threads

  __device__ void run() {
    if (threadIdx.x == 0) {
      for (Mbarrier& mbarrier : shared.posted) mbarrier.init(1);
      for (Mbarrier& mbarrier : shared.stored) mbarrier.init(kThreads);
      for (Mbarrier& mbarrier : shared.full) mbarrier.init(Mbarrier::kCopyArrivals);
      for (Mbarrier& mbarrier : shared.empty) mbarrier.init(kThreads);
      fenceMbarrierInit();
    }
    __syncthreads();  // the mbarriers are initialised
    if (threadIdx.x >= kThreads) {
      produce();
    } else {
      consume();
    }
  }

  /// Packs what round 0 reads of tile x of the first row and column. The consumers only.
  __device__ void packFirst(int x) const {
    Tile tile;
    tile.load(params.matrix, 0, x * kWords);
    tile.store(MatrixOf<Word>{kTile, kWords, before(0, x)}, 0, 0);
    if (params.schedule.symmetric) return;
    tile.load(params.matrix, x * kTile, 0);
    tile.packLeft(left(0, x));
    if (params.skip && tile.anyFinite()) params.progress.finite[0][x] = 1;
  }
};

/// What a block does.
enum class Role { kCriticalPath, kList, kNone };

/// The first block that starts takes the critical path. If that one is to have its multiprocessor
/// to itself, the other blocks there exit, but never more than fit beside it at a time: on a GPU
/// that other work keeps busy, all blocks may come to run on that multiprocessor, one after the
/// other, and some must do the list.
template <class Tier, int kTile>
__device__ Role takeRole(const KernelParams<typename Tier::Word>& params) {
  const int here = 1 + multiprocessor(), there = atomicCAS(params.progress.criticalOn, 0, here);
  if (there == 0) return Role::kCriticalPath;
  const bool exits = params.exclusive && there == here &&
                     atomicAdd(params.progress.exited, 1) < TileStorage<Tier, kTile>::kResident - 1;
  return exits ? Role::kNone : Role::kList;
}

/// The whole solve, but for packFirst(). Launch it with kBlock threads a block, at least two blocks
/// unless criticalHelps, and sizeof(SharedStorage) bytes of dynamic shared memory.
template <class Tier, int kTile>
__global__ void __launch_bounds__(kBlock, TileStorage<Tier, kTile>::kResident)
    dataflow(const KernelParams<typename Tier::Word> params) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ Role role;
  if (threadIdx.x == 0) role = takeRole<Tier, kTile>(params);
  __syncthreads();  // the block has its role
  if (role == Role::kNone) return;
  Block<Tier, kTile>{params, *reinterpret_cast<SharedStorage<Tier, kTile>*>(bytes),
                     role == Role::kCriticalPath}
      .run();
}

/// Packs what round 0 reads, because no update does. Block x: tile 1 + x of the first row and,
/// unless the matrix is symmetric, of the first column.
template <class Tier, int kTile>
__global__ void __launch_bounds__(kThreads, TileStorage<Tier, kTile>::kRegisters == 2 ? 1 : 2)
    packFirst(const KernelParams<typename Tier::Word> params) {
  extern __shared__ __align__(16) unsigned char bytes[];  // not used, so none is allocated
  Block<Tier, kTile>{params, *reinterpret_cast<SharedStorage<Tier, kTile>*>(bytes), false}
      .packFirst(1 + blockIdx.x);
}

}  // namespace

}  // namespace engine
