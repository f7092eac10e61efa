// The optimised solver: blocked Floyd–Warshall, every step of it one min-plus product of tiles.
//
// Floyd–Warshall allows paths through vertex k, for k = 0 … n−1, one k at a time. Blocked
// (Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and Kider 2008 on GPUs), it allows a whole
// pivot block p of vertices at a time. With D(i,j) a tile and ⊗ the min-plus product, round p is
//
//     pivot      D(p,p) becomes its closure D*: Floyd–Warshall inside the tile
//     row panel  D(p,j) = D* ⊗ D(p,j)                                for all j ≠ p
//     rest       D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))               for all i ≠ p and all j
//
// A path from i to j through block p is a path to its first vertex in p, one within what D* has
// closed, and one from its last: D(i,p) ⊗ D* ⊗ D(p,j). The row panel holds the last two of them, so
// that the column panel D(i,p) is used as it was; it is a tile of the rest itself, with D* as its
// D(p,j). Closing the pivot needs the sequential loop over k: a product D(p,p) ⊗ D(p,p) joins two
// edges, no more.
//
// Three tiers of one code (tile.cuh has the arithmetic):
//
//     int32    Any legal graph. What lies outside the matrix is kInf; kInf + kInf fits in an int
//              and is never below kInf, so that padding changes nothing.
//     float32  The same on the bits of non-negative floats.
//     uint16   Pairs of 16-bit weights: twice as fast. Every weight is clamped to S = 32767 first;
//              S + S fits in 16 bits.
//
// Why uint16 is exact, where it is used. Let d be the true distances and e the result. Each entry
// is at all times the length of a walk whose edges, and whose parts, may have been clamped to S.
// Clamping only takes away what is beyond S: e(i,j) is never less than min(d(i,j), S). Now let
// d(i,j) < S and take a shortest path from i to j. Weights are not negative, so that each of its
// parts is shorter than S as well and was never clamped: the solver finds the path as it does in
// int32, e(i,j) = d(i,j). So all of e is exact if every d is less than S. That is known before the
// run where max d(i,s) + max d(s,j) < S for some vertex s, as d(i,j) ≤ d(i,s) + d(s,j); paths of at
// most two edges bound both in O(n²) (survey.cuh). Where that fails, it can be seen after the run:
// no entry is S. `auto` takes uint16 only where it is known before, and int32 otherwise.
//
// The schedule: dataflow, one persistent kernel. Blocks of threads take tile updates from one list,
// in order. Each tile counts the rounds it has taken, and an update waits until its operands have
// taken enough. All that an update waits for stands before it in the list, or in the chain, so that
// the oldest one in progress can always go on: no deadlock, however few blocks run at once. There
// is no barrier between rounds, so no tail of idle multiprocessors and no launch.
//
//     The chain is what no parallelism shortens: a pivot is closed, the panel tile after it and
//     then the next pivot tile are updated, the next pivot is closed. One block does these, and
//     works on the list only where rounds are so long that the chain has time. The list looks
//     ahead for it: a round begins with the next pivot's row and column, and the next round's
//     panels come long before this round is over.
//
//     Panels lie in buffers of their own, as the products read them, kRing rounds by turns: a block
//     that updates a tile that will be read packs it on the way. What is packed for round q takes
//     the place of round q − kRing, all of whose updates must be done by then. Nothing else waits
//     for readers: a tile in the matrix is touched by nobody but those who update it, in turn.
//
// A symmetric matrix is solved in half: only tiles on and above the diagonal, a tile of column p
// being the transposed one of row p. The panel is then D* ⊗ D(p,j) on both sides, and serves as
// left operand too; one pass copies what is above the diagonal below it at the end. Products with
// a panel tile that holds no path at all change nothing and are left out.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "apsp.h"
#include "src/gpu.h"
#include "survey.cuh"
#include "tile.cuh"

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
    const int p = static_cast<int>(min(at / round(), static_cast<Index>(m - 1)));
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
#ifdef APSP_DELAYS
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

  /// The first block does the chain.
  static __device__ bool chain() { return blockIdx.x == 0; }

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
    return __all_sync(~0u, there || load(count) >= wanted);
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

  __device__ void lead() {
    Turn<2> post, store;  // of the next update to be posted, of the next one to be counted
    Turn<kStages> slice;
    int posted = 0, counted = 0;
    const auto settle = [&] {
      if (counted == posted || !__all_sync(~0u, room.stored[store.index].passed(store.phase)))
        return;
      count(room.updates[store.index]);
      store.next();
      ++counted;
    };

    // The chain's next update, if this is its block, and the list's, if this block works on it.
    Update link{Update::kEnd, 0, 0, 0, false}, item = link;
    if (chain()) link = job.schedule.chain(0);
    const bool lists = !chain() || job.chainHelps;
    bool inHand = !lists;  // the item was taken, or none will be
    bool linkReady = false;
    int links = 0, linked = 0;  // taken of the chain; `posted` after the last one
    for (;;) {
      if (!inHand) item = take();
      inHand = true;
      settle();
      const bool noLink = link.kind == Update::kEnd, noItem = item.kind == Update::kEnd;
      linkReady = linkReady || (!noLink && ready(link, true));
      const bool takeLink = linkReady && counted >= linked;  // the link before it is done
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
      job.matrix.template prefetch<kTile, kWords>(now.i * kTile, now.j * kWords);
      const bool panel = now.kind == Update::kPanel;
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

  __device__ void work() {
    Turn<2> post;
    Turn<kStages> slice;
    const bool first = threadIdx.x % 32 == 0;  // of its warp
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
        __syncwarp();  // all lanes have read the slice
        if (first) room.empty[slice.index].arrive();
        slice.next();
      }
      if (u.closes()) part.close(room.tiles.pivots);
      store(u, part);
      delay();
      __syncwarp();  // all lanes have stored
      if (first) room.stored[post.index].arrive();
      post.next();
    }
  }

  __device__ void run() {
    constexpr int kWarps = kThreads / 32;
    if (threadIdx.x == 0) {
      for (Gate& gate : room.posted) gate.init(1);
      for (Gate& gate : room.stored) gate.init(kWarps);
      for (Gate& gate : room.full) gate.init(Gate::kCopyArrivals);
      for (Gate& gate : room.empty) gate.init(kWarps);
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

template <class Tier, int kTile>
__global__ void __launch_bounds__(kBlock, Shared<Tier, kTile>::kResident) dataflow(const Job job) {
  extern __shared__ __align__(16) unsigned char bytes[];
  if (job.exclusive) {  // leave the chain alone on its multiprocessor
    if (blockIdx.x == 0) {
      if (threadIdx.x == 0)
        *static_cast<volatile int*>(job.progress.chainOn) = 1 + multiprocessor();
    } else {
      while (load(job.progress.chainOn) == 0) continue;
      if (load(job.progress.chainOn) == 1 + multiprocessor()) return;
    }
  }
  Block<Tier, kTile>{job, *reinterpret_cast<Room<Tier, kTile>*>(bytes)}.run();
}

/// What round 0 reads, as no update packs it: tile 1 + blockIdx.x of the first row and, unless the
/// matrix is symmetric, of the first column.
template <class Tier, int kTile>
__global__ void __launch_bounds__(kThreads, 2) packFirst(const Job job) {
  extern __shared__ __align__(16) unsigned char bytes[];  // none of it
  Block<Tier, kTile>{job, *reinterpret_cast<Room<Tier, kTile>*>(bytes)}.packFirst(1 + blockIdx.x);
}

// ---- on the host
// ----------------------------------------------------------------------------------

/// Stream-ordered device memory from the default pool; null where there is none left.
class Workspace {
 public:
  Workspace(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    if (cudaMallocAsync(&memory_, bytes, stream) == cudaSuccess) return;
    cudaGetLastError();  // a failed allocation is no sticky error: clear it
    memory_ = nullptr;
  }
  ~Workspace() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  explicit operator bool() const { return memory_ != nullptr; }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

/// What the present GPU is.
struct Gpu {
  int device = 0, major = 0, processors = 0, shared = 0;
  Gpu() {
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  }
  /// The default pool keeps what it has between calls: mapping a workspace anew costs more than a
  /// small solve.
  void keepPool() const {
    cudaMemPool_t pool;
    std::uint64_t all = ~std::uint64_t{0};
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&pool, device));
    CHECK_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  }
};

/// Hands out parts of one allocation, each aligned to 256 bytes; without an allocation it adds up
/// what one would need.
class Carver {
 public:
  explicit Carver(char* memory = nullptr) : memory_(memory) {}
  template <class T>
  T* take(std::size_t count) {
    T* const here = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + used_);
    used_ += ceilDiv(count * sizeof(T), std::size_t{256}) * 256;
    return here;
  }
  std::size_t used() const { return used_; }

 private:
  char* memory_;
  std::size_t used_ = 0;
};

/// How a graph is to be solved.
struct Plan {
  int tile;        ///< side of the tiles
  bool symmetric;  ///< above the diagonal only
  bool skip;
};

[[noreturn]] void noRoom(int n, const char* what, std::size_t bytes) {
  std::size_t free = 0, total = 0;
  CHECK_CUDA(cudaMemGetInfo(&free, &total));
  throw Error(Exit::kMemory, "n = " + std::to_string(n) + ": " + std::to_string(bytes) +
                                 " bytes of GPU memory needed for " + what + ", " +
                                 std::to_string(free) + " bytes free: solve a smaller graph");
}

/// Updates of a round for each block from which the chain is far from being the slowest part of it.
constexpr int kLongRound = 8;

/// Solves the words of a matrix in place. Throws Error(kMemory) without room for the panels.
template <class Tier, int kTile>
void solveTiles(const Gpu& gpu, const Words& matrix, const Plan& plan, cudaStream_t stream) {
  using Work = Block<Tier, kTile>;
  const int m = ceilDiv(matrix.n, kTile);
  const std::size_t squares = static_cast<std::size_t>(m) * m, panels = std::size_t{kRing} * m;
  Job job{};
  std::size_t counters = 0;
  const auto carve = [&](Carver space) {
    job.progress.next = space.take<unsigned long long>(1);
    job.progress.chainOn = space.take<int>(1);
    job.progress.rounds = space.take<int>(squares);
    job.progress.finished = space.take<int>(m);
    for (int*& finite : job.progress.finite) finite = space.take<int>(panels);
    counters = space.used();
    job.left = space.take<int>(panels * Work::kLeftTile);
    job.right = space.take<int>(panels * Work::kRightTile);
    job.before = space.take<int>(panels * Work::kRightTile);
    return space.used();
  };
  const std::size_t bytes = carve(Carver());
  const Workspace space(bytes, stream);
  if (!space) noRoom(matrix.n, "panels", bytes);
  carve(Carver(space.as<char>()));
  CHECK_CUDA(cudaMemsetAsync(space.as<void>(), 0, counters, stream));
  job.matrix = matrix;
  job.schedule = {m, plan.symmetric, 600};
  job.skip = plan.skip;
  const int blocks = Work::Memory::kResident * gpu.processors;
  job.chainHelps = job.schedule.perRound() >= kLongRound * blocks;
  job.exclusive = Work::Memory::kResident > 1 && !job.chainHelps;
  job.one = 1;

  const int shared = static_cast<int>(gpu.major >= 8 ? sizeof(Room<Tier, kTile, true>)
                                                     : sizeof(Room<Tier, kTile, false>));
  if (gpu.major >= 7)
    CHECK_CUDA(cudaFuncSetAttribute(dataflow<Tier, kTile>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  if (m > 1) packFirst<Tier, kTile><<<m - 1, kThreads, 0, stream>>>(job);
  dataflow<Tier, kTile><<<blocks, kBlock, shared, stream>>>(job);
}

/// Solves the words of a matrix by tiles of the planned side, where such fit this GPU.
template <class Tier>
void solveWords(const Gpu& gpu, const Words& matrix, const Plan& plan, cudaStream_t stream) {
  if constexpr (Tier::kPack == 1) {
    const bool fits = gpu.major < 8 || sizeof(Room<Tier, 128>) <= static_cast<unsigned>(gpu.shared);
    if (plan.tile == 64 || !fits) return solveTiles<Tier, 64>(gpu, matrix, plan, stream);
  }
  solveTiles<Tier, 128>(gpu, matrix, plan, stream);
}

/// Looks at the graph; without room for it, as if nothing could be told.
Survey lookAt(int n, const int* graph, int infinity, bool bounds, cudaStream_t stream) {
  Survey result{1, 1, 2 * kInf};
  const std::size_t vectors = static_cast<std::size_t>(kSources) * n;
  const Workspace space(sizeof(Survey) + 2 * sizeof(int) * vectors, stream);
  if (!space) return result;
  SurveySpace there{space.as<Survey>(), reinterpret_cast<int*>(space.as<Survey>() + 1), nullptr};
  there.from = there.to + vectors;
  CHECK_CUDA(cudaMemsetAsync(there.result, 0, sizeof(Survey), stream));
  CHECK_CUDA(cudaMemsetAsync(there.to, 0x3f, 2 * sizeof(int) * vectors, stream));  // < kInf + kInf
  const dim3 tiles(ceilDiv(n, survey::kTile), ceilDiv(n, survey::kTile));
  survey::surveyTiles<<<tiles, kThreads, 0, stream>>>(n, graph, infinity, bounds, there);
  if (bounds) survey::reduceBounds<<<1, kThreads, 0, stream>>>(n, there);
  CHECK_CUDA(cudaMemcpyAsync(&result, there.result, sizeof result, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  if (!bounds) result.bound = 2 * kInf;
  return result;
}

/// matrix(j,i) = matrix(i,j) for i < j. Weight: of the tier, `stride` of them a row.
template <class Weight>
void mirrorUpper(int n, int stride, Weight* matrix, cudaStream_t stream) {
  const dim3 tiles(ceilDiv(n, survey::kTile), ceilDiv(n, survey::kTile));
  survey::mirror<<<tiles, kThreads, 0, stream>>>(n, stride, matrix);
}

/// Whether some distance is too far for 16 bits.
bool anyTooFar(int n, const Words& matrix, cudaStream_t stream) {
  const Workspace space(sizeof(int), stream);
  if (!space) noRoom(n, "a flag", sizeof(int));
  int found = 0;
  CHECK_CUDA(cudaMemsetAsync(space.as<void>(), 0, sizeof found, stream));
  survey::findTooFar<<<n, kThreads, 0, stream>>>(n, matrix, space.as<int>());
  CHECK_CUDA(
      cudaMemcpyAsync(&found, space.as<void>(), sizeof found, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return found != 0;
}

enum class Copied { kSolved, kNoRoom, kTooFar };

/// Solves a copy of the graph in words of a tier, and puts the distances into its place unless some
/// are too far. certified: none can be.
template <class Tier>
Copied solveCopy(const Gpu& gpu, int n, int* graph, const Plan& plan, bool certified,
                 cudaStream_t stream) {
  const int words = ceilDiv(ceilDiv(n, Tier::kPack), kVector) * kVector;
  const Workspace copy(sizeof(int) * static_cast<std::size_t>(n) * words, stream);
  if (!copy) return Copied::kNoRoom;
  const Words matrix{n, words, copy.as<int>()};
  survey::copyIn<Tier><<<n, kThreads, 0, stream>>>(n, graph, matrix);
  solveWords<Tier>(gpu, matrix, plan, stream);
  if (plan.symmetric) {
    using Weight = std::conditional_t<Tier::kPack == 2, std::uint16_t, int>;
    mirrorUpper(n, words * Tier::kPack, copy.as<Weight>(), stream);
  }
  if (!certified && anyTooFar(n, matrix, stream)) return Copied::kTooFar;
  survey::copyOut<Tier><<<n, kThreads, 0, stream>>>(n, graph, matrix);
  return Copied::kSolved;
}

/// Solves words that are weights: in place where its rows start at 16 bytes, else as a copy.
template <class Tier>
void solve32(const Gpu& gpu, int n, int* graph, const Plan& plan, cudaStream_t stream) {
  if (n % kVector == 0 && reinterpret_cast<std::uintptr_t>(graph) % sizeof(int4) == 0) {
    solveWords<Tier>(gpu, Words{n, n, graph}, plan, stream);
    if (plan.symmetric) mirrorUpper(n, n, graph, stream);
  } else if (solveCopy<Tier>(gpu, n, graph, plan, true, stream) == Copied::kNoRoom) {
    noRoom(n, "a copy with aligned rows (none is needed where n is a multiple of 4)",
           sizeof(int) * n * static_cast<std::size_t>(n));
  }
}

constexpr int kWideFrom = 2000;    // n from which tiles of 128 are faster
constexpr int kSurveyFrom = 1700;  // n from which what a survey finds is worth its time

template <class Tier>
Outcome solveAny(int n, int* graph, const Options& options) {
  constexpr bool kIntegers = std::is_same_v<Tier, Int32>;
  Outcome outcome;
  outcome.tier = kIntegers ? ::Tier::kInt32 : ::Tier::kFloat32;
  if (n <= 0) return outcome;
  const Gpu gpu;
  gpu.keepPool();
  const bool only16 = kIntegers && options.precision == Precision::k16;
  const bool try16 =
      only16 || (kIntegers && options.precision == Precision::kAuto && gpu.major >= 9);
  Survey survey{1, 0, 2 * kInf};
  const bool look = n >= kSurveyFrom || options.tile != 0 || only16;
  if (look) survey = lookAt(n, graph, Tier::kInfinity, try16, options.stream);

  Plan plan{};
  plan.tile = options.tile != 0 ? options.tile : n < kWideFrom ? 64 : 128;
  plan.symmetric = options.symmetry && !survey.asymmetric;
  plan.skip = options.skip && look && survey.missing;
  outcome.symmetric = plan.symmetric;
  outcome.skipped = plan.skip;
  const bool certified = survey.bound < Uint16::kTooFar;
  if (only16 || (try16 && certified)) {
    const Copied copied = solveCopy<Uint16>(gpu, n, graph, plan, certified, options.stream);
    if (copied == Copied::kNoRoom && only16)
      noRoom(n, "a 16-bit copy", 2 * static_cast<std::size_t>(n) * n);
    if (copied != Copied::kNoRoom) {
      outcome.tier = copied == Copied::kSolved ? ::Tier::kUint16 : ::Tier::kNone;
      return outcome;
    }
  }
  solve32<Tier>(gpu, n, graph, plan, options.stream);
  return outcome;
}

}  // namespace

Outcome solve(int n, int* graph, const Options& options) {
  return solveAny<Int32>(n, graph, options);
}

Outcome solve(int n, float* graph, const Options& options) {
  return solveAny<Float32>(n, reinterpret_cast<int*>(graph), options);
}

void apsp(int n, int* graph) {
  solve(n, graph, {});
}
