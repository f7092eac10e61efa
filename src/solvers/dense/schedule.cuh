// The dataflow schedule (apsp.cu says how it works): the list of tile updates, and the blocks of
// threads that do them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/cuda.h"
#include "solvers/dense/tile.cuh"

namespace {

constexpr int kRing = 4;  // rounds whose panels are kept

// ---- the schedule -----------------------------------------------------------------------------

/// One tile update.
struct Update {
  enum Kind { kEnd, kClose, kPanel, kRest, kRestAndClose } kind;
  int p, i, j;   // D(i,j) takes round p; kClose: nothing but the closure of D(i,j)
  bool product;  // can lower something: it is not kClose and no operand is infinite

  __device__ bool closes() const { return kind == kClose || kind == kRestAndClose; }
};

/// All updates of a matrix of m × m tiles: the chain, and the list of all others in an order in
/// which each comes after all that it depends on. Tiles are counted from the pivot on, modulo m; of
/// a symmetric matrix, (i, j) stands for (j, i) too.
struct Schedule {
  int m;
  bool symmetric;
  int ahead;  ///< updates of the rest before the next round's panels: enough to keep all blocks
              ///< busy while the next pivot is being closed

  using Index = long long;

  /// Updates of each part of a round that is not the last one. `cross`: the next pivot's row and
  /// column without the pivot itself.
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
  /// Updates that count for a round, the chain's too.
  __host__ __device__ int perRound() const { return last() + m - 1; }

  /// The chain: close, then the panel tile after the pivot and the next pivot by turns.
  __device__ Update chain(Index at) const {
    if (at == 0) return {Update::kClose, -1, 0, 0, false};
    const int p = static_cast<int>((at - 1) / 2), next = around(p, 1);
    if (m == 1 || at > 2 * m - 1)
      return {Update::kEnd, 0, 0, 0, false};  // the last pivot has no next one
    if (at % 2 == 1) return {Update::kPanel, p, p, next, true};
    return {Update::kRestAndClose, p, next, next, true};
  }

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
      // Row and column of the next pivot by turns; the row has one tile more, the one at p.
      const int other = around(next, 1 + rest / 2);
      return rest % 2 == 0 ? tile(p, next, other) : tile(p, other, next);
    }
    rest -= cross();
    const int before = min(ahead, inner());
    if (rest >= before && rest < before + panels()) return panel(next, rest - before);
    return inside(p, rest < before ? rest : rest - panels(), m - 2);
  }

 private:
  /// Tile `steps` after tile x, the last one being followed by the first.
  __device__ int around(int x, int steps) const {
    return x + steps < m ? x + steps : x + steps - m;
  }

  __device__ Update tile(int p, int i, int j) const {
    return symmetric ? Update{Update::kRest, p, min(i, j), max(i, j), true}
                     : Update{Update::kRest, p, i, j, true};
  }

  /// Panel tile number `at` of pivot p; the chain has the one after the pivot.
  __device__ Update panel(int p, int at) const {
    return {Update::kPanel, p, p, around(p, 2 + at), true};
  }

  /// Update number `at` among the `count` rows that end just before pivot p: all columns but the
  /// ones before these, which the next pivot has.
  __device__ Update inside(int p, int at, int count) const {
    const int first = m - count;  // steps from p to the first of the rows
    if (symmetric) {
      // at = b (b + 1) / 2 + a with 0 ≤ a ≤ b
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

/// What the blocks share, in device memory. All zero at the start.
struct Progress {
  unsigned long long* next;  ///< place in the list
  int* chainOn;              ///< 1 + the multiprocessor that the chain's block runs on
  int* leavers;              ///< blocks that have left it to the chain
  int* rounds;               ///< (m, m): how many each tile has taken
  int* finished;             ///< (m): updates done of each round
  int* finite[2];  ///< (kRing, m): 1 + the last round of whose left, right panel tile some
                   ///< weight is finite
};

/// A solve, as the kernel sees it.
struct Job {
  Words matrix;
  Schedule schedule;
  bool skip;        ///< leave out products with panel tiles that hold no path
  bool exclusive;   ///< the chain has a multiprocessor for itself
  bool chainHelps;  ///< its block works on the list while it waits
  int one;          ///< 1 (tile.cuh)
  int* left;        ///< (kRing, m) panel tiles of left words
  int* right;       ///< (kRing, m) panel tiles
  int* before;      ///< (kRing, m) panel tiles as they are before their round
  Progress progress;
};

/// In a test build, waits for a while that is different each time, to bring about orders of events
/// that are rare otherwise.
__device__ void delay() {
#if defined(APSP_DELAYS) && __CUDA_ARCH__ >= 700  // which can sleep
  if (clock64() / 64 % 4 == 0) __nanosleep(clock64() % 20000);
#endif
}

/// *count; what was written before it was counted is then visible.
__device__ int load(const int* count) {
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

/// A block's shared memory.
template <class Tier, int kTile, bool kAsyncCopies = kAsync>
struct Room {
  using Tiles = Shared<Tier, kTile, kAsyncCopies>;
  Tiles tiles;
  Update updates[2];           ///< the one being worked on and the one after, by turns
  Gate posted[2];              ///< an update is there
  Gate stored[2];              ///< its tile is stored
  Gate full[Tiles::kStages];   ///< a slice has arrived
  Gate empty[Tiles::kStages];  ///< it has been read by all
};

/// A number that counts up, and which of kCount things it is the turn of.
template <int kCount>
struct Turn {
  int index = 0, phase = 0;
  __device__ void next() {
    if (++index < kCount) return;
    index = 0;
    ++phase;
  }
};

/// A block of threads at work: kThreads workers, who compute, and one warp more, the foreman, who
/// takes updates, waits for what they need, has their operands copied and says when they are done.
/// It is one update ahead of the workers.
template <class Tier, int kTile>
struct Block {
  using Memory = Shared<Tier, kTile>;
  using Tile = Part<Tier, kTile>;
  static constexpr int kWords = Memory::kWords, kSlice = Memory::kSlice, kStages = Memory::kStages;
  static constexpr std::size_t kLeftTile = kTile * kTile, kRightTile = kTile * kWords;

  const Job& job;
  Room<Tier, kTile>& room;
  bool chain;  ///< this block does the chain

  // ---- where things are

  __device__ std::size_t ring(int q, int x) const {
    return static_cast<std::size_t>(q % kRing) * job.schedule.m + x;
  }
  __device__ int* left(int q, int x) const { return job.left + ring(q, x) * kLeftTile; }
  __device__ int* right(int q, int x) const { return job.right + ring(q, x) * kRightTile; }
  __device__ int* before(int q, int x) const { return job.before + ring(q, x) * kRightTile; }
  __device__ int* rounds(int i, int j) const {
    const bool swapped = job.schedule.symmetric && i > j;
    return job.progress.rounds + (swapped ? j * job.schedule.m + i : i * job.schedule.m + j);
  }
  /// Slices of the pivot of the update, up to the edge of the matrix.
  __device__ int slices(const Update& u) const {
    return u.product ? ceilDiv(min(kTile, job.matrix.n - u.p * kTile), kSlice) : 0;
  }

  // ---- the foreman

  /// The next update of the list.
  __device__ Update take() const {
    unsigned long long at = 0;
    if (threadIdx.x % 32 == 0) at = atomicAdd(job.progress.next, 1ull);
    return job.schedule.list(static_cast<long long>(__shfl_sync(~0u, at, 0)));
  }

  /// Whether all that the update waits for is there. An update of the chain: all but what the one
  /// before it makes, which this block knows itself.
  __device__ bool ready(const Update& u, bool ofChain) const {
    if (u.p < 0 || u.kind == Update::kEnd) return true;
    const bool panel = u.kind == Update::kPanel, symmetric = job.schedule.symmetric;
    const int lane = threadIdx.x % 32;
    const int* count = rounds(u.i, u.j);
    int wanted = u.p;
    bool there = lane > 3;
    if (lane == 1) {
      count = rounds(u.p, panel ? u.p : u.j);
      wanted = u.p + 1;
      there = ofChain;
    }
    if (lane == 2) {
      count = rounds(u.i, u.p);
      wanted = u.p + (panel || symmetric);
      there = ofChain && (panel || symmetric);
    }
    if (lane == 3) {
      // What is packed for the next round takes the place of an older one's.
      there = u.p + 1 < kRing;
      count = job.progress.finished + (there ? 0 : u.p + 1 - kRing);
      wanted = job.schedule.perRound();
    }
    const bool all = __all_sync(~0u, there || load(count) >= wanted);
    __syncwarp();  // what each lane has seen is visible to all
    return all;
  }

  /// Whether the product of an update that is ready can lower anything.
  __device__ bool useful(const Update& u) const {
    if (!job.skip || u.kind != Update::kRest) return u.product;
    return __ldcg(job.progress.finite[0] + ring(u.p, u.i)) == u.p + 1 &&
           __ldcg(job.progress.finite[1] + ring(u.p, u.j)) == u.p + 1;
  }

  /// Says that an update is done.
  __device__ void count(const Update& u) const {
    if (threadIdx.x % 32 != 0) return;
    __threadfence();  // what the block stored is visible before the counts are
    *static_cast<volatile int*>(rounds(u.i, u.j)) = u.p + 1 + u.closes();
    if (u.p >= 0) atomicAdd(job.progress.finished + u.p, 1);
  }

  /// The foreman: takes updates, of the chain before those of the list, and has each done as soon
  /// as all that it waits for is there.
  __device__ void lead() {
    Turn<2> post, store;  // of the next update to be posted, of the next one to be counted
    Turn<kStages> slice;
    // The chain's next update, if this is its block, and the list's, if this block works on it.
    Update link{Update::kEnd, 0, 0, 0, false}, item = link;
    if (chain) link = job.schedule.chain(0);
    const bool lists = !chain || job.chainHelps;
    bool inHand = !lists;  // the item was taken, or none will be
    bool linkReady = false;
    int posted = 0, stored = 0, counted = 0;  // updates
    int links = 0, linked = 0;                // taken of the chain; `posted` after the last one
    const auto settle = [&] {
      if (stored == counted) {
        if (counted == posted || !__all_sync(~0u, room.stored[store.index].passed(store.phase)))
          return;
        ++stored;
        if (linkReady && stored == linked) return;  // the chain goes on before this is counted
      }
      count(room.updates[store.index]);
      store.next();
      ++counted;
    };
    for (;;) {
      if (!inHand) item = take();
      inHand = true;
      const bool noLink = link.kind == Update::kEnd, noItem = item.kind == Update::kEnd;
      linkReady = linkReady || (!noLink && ready(link, true));
      settle();
      const bool takeLink = linkReady && stored >= linked;  // the link before it is stored
      const bool end = noLink && noItem;
      if (!takeLink && !end && (noItem || !ready(item, false))) continue;
      delay();
      Update now = takeLink ? link : item;
      now.product = useful(now);
      if (takeLink) {
        link = job.schedule.chain(++links);
        linkReady = false;
        linked = posted + 1;
      } else {
        inHand = !lists;
      }
      // An update that changes nothing and is not packed is done already.
      if (!end && !now.product && !now.closes() && now.i != now.p + 1 && now.j != now.p + 1) {
        count(now);
        continue;
      }
      while (posted - counted == 2 || (end && posted > counted)) settle();
      fenceBeforeCopies();
      if (threadIdx.x % 32 == 0) {
        room.updates[post.index] = now;
        room.posted[post.index].arrive();
      }
      __syncwarp();
      if (end) return;
      post.next();
      ++posted;
      const bool panel = now.kind == Update::kPanel;
      if (!panel) job.matrix.template prefetch<kTile, kWords>(now.i * kTile, now.j * kWords);
      const int* from = left(max(now.p, 0), panel ? now.p : now.i);
      const int* fromRight = panel ? before(now.p, now.j) : right(max(now.p, 0), now.j);
      const int count = slices(now);
      for (int s = 0; s < count; ++s) {
        while (slice.phase > 0 && !__all_sync(~0u, room.empty[slice.index].passed(slice.phase - 1)))
          settle();
        auto& to = room.tiles.slices[slice.index];
        room.full[slice.index].template copy<kSlice * kTile, kSlice * kWords>(
            &to.left[0][0], from + s * (kSlice * kTile), &to.right[0][0],
            fromRight + s * (kSlice * kWords));
        slice.next();
      }
    }
  }

  // ---- the workers

  /// Stores the tile of an update, and packs what will be read.
  __device__ void store(const Update& u, const Tile& part) const {
    const bool symmetric = job.schedule.symmetric, panel = u.kind == Update::kPanel;
    if (panel && symmetric && u.j < u.p) {
      part.storeTransposed(job.matrix, u.j * kTile, u.p * kWords);
    } else {
      part.store(job.matrix, u.i * kTile, u.j * kWords);
    }
    // A panel tile is packed for this round, a pivot for the next one; so is the next pivot's row,
    // as it is before its round, and its column, a left operand as it is.
    const int later = u.p + 1, q = panel ? u.p : later;
    const bool row = u.i == later && !u.closes(), column = u.j == later && !u.closes();
    const auto tile = [](int* words) { return Words{kTile, kWords, words}; };
    if (panel || u.closes()) part.store(tile(right(q, u.j)), 0, 0);
    if (panel && symmetric) part.packLeftAsItIs(left(q, u.j));
    if (u.closes() || (column && !symmetric)) part.packLeft(left(later, u.i));
    if (row) part.store(tile(before(later, u.j)), 0, 0);
    if (column && symmetric) part.storeTransposed(tile(before(later, u.i)), 0, 0);
    if (job.skip && (panel || u.closes() || column) && part.anyFinite()) {
      if (panel || u.closes()) job.progress.finite[1][ring(q, u.j)] = q + 1;
      if (panel && symmetric) job.progress.finite[0][ring(q, u.j)] = q + 1;
      if (u.closes() || (column && !symmetric))
        job.progress.finite[0][ring(later, u.i)] = later + 1;
    }
  }

  /// The workers: do what the foreman posts.
  __device__ void work() {
    Turn<2> post;
    Turn<kStages> slice;
    for (;;) {
      room.posted[post.index].await(post.phase);
      const Update& u = room.updates[post.index];
      if (u.kind == Update::kEnd) return;
      Tile part;
      if (u.kind == Update::kPanel) {
        part.clear();  // D* has zeros on its diagonal: the product is no larger than the tile
      } else {
        part.load(job.matrix, u.i * kTile, u.j * kWords);
      }
#pragma unroll 1
      for (int remaining = slices(u); remaining > 0; --remaining) {
        room.full[slice.index].await(slice.phase);
        part.relax(room.tiles.slices[slice.index], job.one);
        room.empty[slice.index].arrive();
        slice.next();
      }
      if (u.closes()) part.close(room.tiles.pivots);
      store(u, part);
      delay();
      room.stored[post.index].arrive();
      post.next();
    }
  }

  __device__ void run() {
    if (threadIdx.x == 0) {
      for (Gate& gate : room.posted) gate.init(1);
      for (Gate& gate : room.stored) gate.init(kThreads);
      for (Gate& gate : room.full) gate.init(Gate::kCopyArrivals);
      for (Gate& gate : room.empty) gate.init(kThreads);
      gatesAreReady();
    }
    __syncthreads();  // the gates are there
    if (threadIdx.x >= kThreads) {
      lead();
    } else {
      work();
    }
  }

  /// What round 0 reads of tile x of the first row and column; the workers.
  __device__ void packFirst(int x) const {
    Tile part;
    part.load(job.matrix, 0, x * kWords);
    part.store(Words{kTile, kWords, before(0, x)}, 0, 0);
    if (job.schedule.symmetric) return;
    part.load(job.matrix, x * kTile, 0);
    part.packLeft(left(0, x));
    if (job.skip && part.anyFinite()) job.progress.finite[0][x] = 1;
  }
};

constexpr int kBlock = kThreads + 32;

/// What a block is to do. The first one to start does the chain. Where that is to be alone on its
/// multiprocessor, the others there leave, but never more than have room on one beside it: on a GPU
/// that other work keeps busy, all blocks may come to run there one after the other.
enum class Role { kChain, kList, kNone };

template <class Tier, int kTile>
__device__ Role takeRole(const Job& job) {
  const int here = 1 + multiprocessor(), there = atomicCAS(job.progress.chainOn, 0, here);
  if (there == 0) return Role::kChain;
  const bool leave = job.exclusive && there == here &&
                     atomicAdd(job.progress.leavers, 1) < Shared<Tier, kTile>::kResident - 1;
  return leave ? Role::kNone : Role::kList;
}

template <class Tier, int kTile>
__global__ void __launch_bounds__(kBlock, Shared<Tier, kTile>::kResident) dataflow(const Job job) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ Role role;
  if (threadIdx.x == 0) role = takeRole<Tier, kTile>(job);
  __syncthreads();  // the block has its role
  if (role == Role::kNone) return;
  Block<Tier, kTile>{job, *reinterpret_cast<Room<Tier, kTile>*>(bytes), role == Role::kChain}.run();
}

/// What round 0 reads, as no update packs it: tile 1 + blockIdx.x of the first row and, unless the
/// matrix is symmetric, of the first column.
template <class Tier, int kTile>
__global__ void __launch_bounds__(kThreads, 2) packFirst(const Job job) {
  extern __shared__ __align__(16) unsigned char bytes[];  // none of it
  Block<Tier, kTile>{job, *reinterpret_cast<Room<Tier, kTile>*>(bytes), false}.packFirst(
      1 + blockIdx.x);
}

}  // namespace
