// All distances of an unweighted graph on the GPU, by breadth-first searches, a bit for each.
//
// The graph is prepared from its edges on the GPU. Vertices without arcs out and leaves hang on the
// others, the interior, as on the CPU (shape.h). Searches begin in the interior and stay there. A
// slot is a place in the order of the vertices here: the interior comes first.
//
//   searches   A line is 1024, 2048 or 4096 searches: up to four words of 32 bits for each lane of
//              a warp. A batch is some lines, as many as the L2 cache has room for. One launch
//              explores a batch. At each level a warp pulls for a vertex v: it takes the bits of
//              the vertices with an arc to v which the last level was the first to set,
//
//                  next[v] = (now[u₁] | now[u₂] | …) & ~seen[v].
//
//              A bit for each vertex and line says whether now[u] has any bit, and another whether
//              seen[v] has all. Most arcs are passed over by looking at these.
//   planes     A level is a number, and its binary digits are kept in bit planes: where next[v] has
//              a bit at level 5 = 101b, planes 0 and 2 get it. So the cache keeps 3 maps, and a
//              search that reaches v costs a few bits of writing.
//   widening   A block has 256 columns and 256 searches. A vertex that hangs takes the least of the
//              levels of the vertices with an arc to it, and one more: this is computed digit by
//              digit, for 32 searches at the same time. Then squares of 8 × 8 bits are turned, so
//              that the digits of a level are together, as a byte in shared memory. Rows of bytes
//              are looked up in a table of distances and written.
//
// Nothing but the distances is large, and each is written once: that is the bound. A vertex with
// more than kChunk arcs is shared out among several warps. They gather its bits, and the last one
// to arrive takes the step for v.
//
// Deterministic: the order of a vertex's arcs is not, but an OR does not depend on it.
#include "bfs/levels_gpu.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/size.h"
#include "dense/workspace.h"
#include "device/infinity.cuh"
#include "device/parcel.h"
#include "device/scan.cuh"

namespace engine::bfs {

namespace {

/// Words of a lane, of which a line has 32 times as many, and searches 1024 times as many.
constexpr int kMostWords = 4;
/// Arcs that one warp looks at for a vertex.
constexpr int kChunk = 256;
/// The most lines of a batch: a vertex has a mark for each line, and these marks are the bits of one
/// word. And the most bytes of the three maps of a batch, because they should stay in the L2 cache.
constexpr int kMostLines = 32;
constexpr std::size_t kCacheBytes = std::size_t{36} << 20;
/// Planes for levels of a byte, and for all others.
constexpr int kFewPlanes = 8, kManyPlanes = 24;
/// The level of a vertex that a search does not reach, if levels are bytes.
constexpr int kUnreached = 255;
/// Threads of a block that explores.
constexpr int kExplorers = 512;
/// Columns and searches of a block that widens, and its threads: each has four columns of a word.
constexpr int kColumns = 256, kRowsOfTile = 256, kWideners = 512;
/// About the cycles of a millisecond.
constexpr double kCyclesOfMs = 1.7e6;
/// Milliseconds: for a level of a batch, and a word of a map in it; for an edge; for a byte that is
/// written; and for all launches and copies.
constexpr double kLevelMs = 4e-3, kWordMs = 9e-9, kEdgeMs = 3e-6, kByteMs = 0.4e-9, kLaunchesMs = 0.3;

// ---- preparing ----------------------------------------------------------------------------------

struct Ends {
  int from, to;
};

/// What is known of a vertex before slots are given: its arcs out and in, and the other end of one
/// of each.
struct Ending {
  int out, in, head, tail;
};

/// The interior: n + 1 numbers, how many vertices of it come before a vertex.
struct Slots {
  int n;
  const int* before;
  __device__ int interior() const { return before[n]; }
  __device__ bool isInterior(int v) const { return before[v] < before[v + 1]; }
  __device__ int of(int v) const {
    return isInterior(v) ? before[v] : interior() + v - before[v];
  }
};

__device__ int threadOfGrid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

/// A thread for each edge. of: (n), 0 at first.
__global__ void findEndings(const Ends* edges, int count, Ending* of) {
  const int e = threadOfGrid();
  if (e >= count) return;
  const Ends edge = edges[e];
  atomicAdd(&of[edge.from].out, 1);
  atomicAdd(&of[edge.to].in, 1);
  of[edge.from].head = edge.to;  // any of them: it is read where there is one only
  of[edge.to].tail = edge.from;
}

/// Whether all arcs of v lead to one vertex and back, or only there.
__device__ bool mayBeLeaf(const Ending& v) {
  return v.out == 1 && (v.in == 0 || (v.in == 1 && v.tail == v.head));
}

/// Whether v is in the interior, for each of n vertices; 0 for vertex n. Of two leaves that are
/// joined, the second one is.
__global__ void findInterior(const Ending* endings, int n, int* isInterior) {
  const int v = threadOfGrid();
  if (v > n) return;
  bool inside = v < n && endings[v].out > 0;
  if (inside && mayBeLeaf(endings[v])) {
    const int head = endings[v].head;
    const bool headIsLeaf = head < v && mayBeLeaf(endings[head]);
    inside = endings[head].out == 0 || headIsLeaf;
  }
  isInterior[v] = inside ? 1 : 0;
}

/// For each vertex: its slot, the slot at which its search begins (−1: none), and its arcs out.
struct Places {
  int *slot, *root, *degree;
};

__global__ void findPlaces(const Ending* endings, Slots slots, Places places) {
  const int v = threadOfGrid();
  if (v >= slots.n) return;
  places.slot[v] = slots.of(v);
  places.degree[v] = endings[v].out;
  places.root[v] = slots.isInterior(v)      ? slots.of(v)
                   : endings[v].out > 0 ? slots.of(endings[v].head)
                                        : -1;
}

/// Counts the arcs that lead from the interior to each slot. arcs: (n + 1), all 0 before.
__global__ void countArcs(const Ends* edges, int count, Slots slots, std::uint32_t* arcs) {
  const int e = threadOfGrid();
  if (e >= count || !slots.isInterior(edges[e].from)) return;
  atomicAdd(&arcs[slots.of(edges[e].to)], 1u);
}

/// Lists them. at: where the list of a slot goes on.
__global__ void listArcs(const Ends* edges, int count, Slots slots, std::uint32_t* at,
                         std::uint32_t* tails) {
  const int e = threadOfGrid();
  if (e >= count || !slots.isInterior(edges[e].from)) return;
  tails[atomicAdd(&at[slots.of(edges[e].to)], 1u)] =
      static_cast<std::uint32_t>(slots.of(edges[e].from));
}

/// The arcs into each slot.
struct Lists {
  const std::uint32_t *first, *tails;
};

/// Some arcs into a vertex of the interior.
struct alignas(16) Chunk {
  std::uint32_t slot, begin, count;
  int split;  ///< of a vertex with several chunks: 1 + its number among those; 0: it has one
};

/// How many chunks the arcs of a slot are; 0 after the interior.
__global__ void countChunks(Lists lists, int interior, std::uint32_t* chunks) {
  const int v = threadOfGrid();
  if (v > interior) return;
  const std::uint32_t arcs = v < interior ? lists.first[v + 1] - lists.first[v] : 0;
  chunks[v] = v < interior ? max(1u, ceilDiv(arcs, std::uint32_t{kChunk})) : 0;
}

/// first: (interior + 1): the first chunk of each slot. Of a vertex with several chunks, its number
/// among those comes of how many chunks too many are before it.
__global__ void listChunks(Lists lists, int interior, const std::uint32_t* first, Chunk* chunks) {
  const int v = threadOfGrid();
  if (v >= interior) return;
  const std::uint32_t count = first[v + 1] - first[v], end = lists.first[v + 1];
  for (std::uint32_t c = 0; c < count; ++c) {
    const std::uint32_t begin = lists.first[v] + c * kChunk;
    chunks[first[v] + c] = {static_cast<std::uint32_t>(v), begin, min(end - begin, kChunk + 0u),
                            count == 1 ? 0 : static_cast<int>(1 + first[v] - v)};
  }
}

// ---- which rows belong to which search ----------------------------------------------------------

/// Rows are those of `count` vertices, from `first` on. rows: (interior + 1) of each root, 0 at
/// first.
__global__ void countRows(const int* root, int first, int count, int* rows) {
  const int i = threadOfGrid();
  if (i < count && root[first + i] >= 0) atomicAdd(&rows[root[first + i]], 1);
}

/// Whether a root has a row; 0 for the end.
__global__ void findSearches(const int* rows, int interior, int* isSearch) {
  const int r = threadOfGrid();
  if (r <= interior) isSearch[r] = r < interior && rows[r] > 0 ? 1 : 0;
}

/// searches: their roots, in ascending order.
__global__ void listSearches(const int* before, int interior, int* roots) {
  const int r = threadOfGrid();
  if (r < interior && before[r] < before[r + 1]) roots[before[r]] = r;
}

/// A row of the result, and its search.
struct Row {
  int index, search;
};

/// Rows in the order of their searches. before: (interior + 1): searches before that of a root.
__global__ void listRows(const int* root, int first, int count, const int* before, int* at,
                         Row* rows) {
  const int i = threadOfGrid();
  if (i >= count || root[first + i] < 0) return;
  rows[atomicAdd(&at[root[first + i]], 1)] = {i, before[root[first + i]]};
}

// ---- exploring ----------------------------------------------------------------------------------

/// Why a batch is stopped before all its searches end.
enum Limit : int { kNoLimit, kTooManyLevels, kTooMuchTime };

/// What a launch finds out.
struct Explored {
  int levels;               ///< the highest of all batches
  int stopped;              ///< the Limit of a batch that was stopped
  unsigned long long arcs;  ///< that the rows of sources passed
};

/// The words of a lane: what one load takes.
template <int kCount>
struct alignas(4 * kCount) Words {
  std::uint32_t at[kCount];

  __device__ bool any() const {
    std::uint32_t all = 0;
    for (int i = 0; i < kCount; ++i) all |= at[i];
    return all != 0;
  }
};
template <int kCount>
__device__ Words<kCount> operator|(Words<kCount> a, const Words<kCount>& b) {
  for (int i = 0; i < kCount; ++i) a.at[i] |= b.at[i];
  return a;
}
template <int kCount>
__device__ Words<kCount> without(Words<kCount> a, const Words<kCount>& b) {
  for (int i = 0; i < kCount; ++i) a.at[i] &= ~b.at[i];
  return a;
}

/// What other multiprocessors have written, past the L1 cache.
__device__ Words<1> load(const Words<1>* from) {
  return {__ldcg(&from->at[0])};
}
__device__ Words<2> load(const Words<2>* from) {
  const uint2 two = __ldcg(reinterpret_cast<const uint2*>(from));
  return {two.x, two.y};
}
__device__ Words<4> load(const Words<4>* from) {
  const uint4 four = __ldcg(reinterpret_cast<const uint4*>(from));
  return {four.x, four.y, four.z, four.w};
}

/// A batch of searches. Maps are (lines, interior, 32) Words<width>.
struct Batch {
  int interior, width, lines, searches;
  Lists lists;
  const Chunk* chunks;
  const std::uint32_t* chunkCount;
  std::uint32_t *seen, *now, *next;
  std::uint32_t *active, *nextActive, *full;  ///< (interior): a bit for each line
  std::uint32_t* planes;                      ///< (kFewPlanes or kManyPlanes) maps
  std::uint32_t *gathered, *arrived;          ///< of vertices with several chunks; 0 between levels
  // (3), of a level, the next and the last one: whether it found anything, and the Limit that was
  // reached by then.
  int *found, *limits;
  int mostLevels;
  long long mostCycles;
  int* levels;  ///< of this batch
  Explored* explored;

  __device__ int wordsOfLine() const { return kWarp * width; }
  __device__ std::size_t words() const { return asSize(lines) * interior * wordsOfLine(); }
  __device__ std::size_t word(int line, std::uint32_t v) const {
    return (asSize(line) * interior + v) * wordsOfLine();
  }
};

/// A warp for each search writes the words of its root. Those of the other roots stay as they are,
/// because their marks say that nobody reads them.
__global__ void begin(Batch batch, const int* roots) {
  const int search = threadOfGrid() / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  if (search >= batch.searches) return;
  const int ofLine = kWarp * batch.wordsOfLine(), line = search / ofLine;
  const std::size_t words = batch.word(line, static_cast<std::uint32_t>(roots[search]));
  for (int i = lane; i < batch.wordsOfLine(); i += kWarp)
    batch.seen[words + i] = batch.now[words + i] =
        search % ofLine / kWarp == i ? 1u << (search % kWarp) : 0;
  if (lane == 0) atomicOr(&batch.active[roots[search]], 1u << line);
}

/// The OR of all lanes.
__device__ std::uint32_t orOfWarp(std::uint32_t word) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kAllLanes, word);
#else
  for (int by = kWarp / 2; by > 0; by /= 2) word |= __shfl_xor_sync(kAllLanes, word, by);
  return word;
#endif
}

/// Up to 32 arcs, one for each lane: a tail, and its active lines.
struct Look {
  std::uint32_t tail, active;
};

/// A warp that explores, with so many words in each lane.
template <int kWidth>
class Explorer {
 public:
  using Some = Words<kWidth>;

  __device__ Explorer(const Batch& batch, int lane) : batch_(batch), lane_(lane) {}

  /// Takes a step along some arcs. Returns whether a search came to their vertex.
  __device__ bool take(const Chunk& chunk, std::uint32_t firstTail, int level) {
    const std::uint32_t v = chunk.slot, end = chunk.begin + chunk.count;
    const std::uint32_t lines = batch_.lines == 32 ? ~0u : (1u << batch_.lines) - 1;
    const std::uint32_t open = lines & ~__ldcg(&batch_.full[v]);
    const bool mine = lane_ < static_cast<int>(chunk.count);
    const Look first = {firstTail, mine ? __ldcg(&batch_.active[firstTail]) : 0};
    std::uint32_t active = first.active;
    for (std::uint32_t at = chunk.begin + kWarp; at < end; at += kWarp)
      active |= lookAt(at + lane_, end).active;
    found_ = full_ = 0;
    std::uint32_t* const gathered = batch_.gathered + asSize(chunk.split) * batch_.lines *
                                                          batch_.wordsOfLine();
    for (std::uint32_t left = orOfWarp(active) & open; left != 0; left &= left - 1) {
      const int line = __ffs(left) - 1;
      const Some seen = chunk.split == 0 ? load(ofVertex(batch_.seen, line, v)) : Some{};
      Some words = pull(first, line);
      for (std::uint32_t at = chunk.begin + kWarp; at < end; at += kWarp)
        words = words | pull(lookAt(at + lane_, end), line);
      if (chunk.split == 0)
        arrive(v, line, level, words, seen);
      else
        for (int i = 0; i < kWidth; ++i)
          if (words.at[i] != 0)
            atomicOr(gathered + line * batch_.wordsOfLine() + lane_ * kWidth + i, words.at[i]);
    }
    if (chunk.split != 0 && !isLast(chunk)) return false;
    for (std::uint32_t left = chunk.split != 0 ? open : 0; left != 0; left &= left - 1) {
      const int line = __ffs(left) - 1;
      Some* const there = reinterpret_cast<Some*>(gathered + line * batch_.wordsOfLine()) + lane_;
      const Some words = load(there);
      if (words.any()) *there = Some{};
      arrive(v, line, level, words, load(ofVertex(batch_.seen, line, v)));
    }
    if (lane_ == 0) {
      batch_.nextActive[v] = found_;
      if (full_ != 0) batch_.full[v] = ~open | full_;
    }
    return found_ != 0;
  }

 private:
  __device__ Some* ofVertex(std::uint32_t* map, int line, std::uint32_t v) const {
    return reinterpret_cast<Some*>(map + batch_.word(line, v)) + lane_;
  }

  __device__ Look lookAt(std::uint32_t at, std::uint32_t end) const {
    if (at >= end) return {0, 0};
    const std::uint32_t tail = batch_.lists.tails[at];
    return {tail, __ldcg(&batch_.active[tail])};
  }

  /// The OR of now[] over the arcs that are active on a line. Loads are on their way four at a
  /// time; the last one may be repeated.
  __device__ Some pull(const Look& look, int line) const {
    Some words = {};
    for (unsigned arcs = __ballot_sync(kAllLanes, look.active >> line & 1); arcs != 0;) {
      Some some[4];
      int from = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (arcs != 0) from = __ffs(arcs) - 1;
        arcs &= arcs - 1;
        some[k] = load(ofVertex(batch_.now, line, __shfl_sync(kAllLanes, look.tail, from)));
      }
      words = words | some[0] | some[1] | some[2] | some[3];
    }
    return words;
  }

  /// The searches of a line that come to v, of which `words` has a lane's part.
  __device__ void arrive(std::uint32_t v, int line, int level, const Some& words,
                         const Some& seen) {
    const Some fresh = without(words, seen), all = seen | fresh;
    if (!__any_sync(kAllLanes, fresh.any())) return;
    if (fresh.any()) {
      *ofVertex(batch_.seen, line, v) = all;
      for (int digits = level; digits != 0;) {  // two planes at a time
        Some* const one = plane(__ffs(digits) - 1, line, v);
        digits &= digits - 1;
        Some* const two = digits == 0 ? one : plane(__ffs(digits) - 1, line, v);
        digits &= digits - 1;
        const Some first = load(one), second = load(two);
        *one = first | fresh;
        if (two != one) *two = second | fresh;
      }
    }
    *ofVertex(batch_.next, line, v) = fresh;
    found_ |= 1u << line;
    bool isFull = true;
    for (int i = 0; i < kWidth; ++i) isFull &= all.at[i] == searches(line, lane_ * kWidth + i);
    if (__all_sync(kAllLanes, isFull)) full_ |= 1u << line;
  }

  __device__ Some* plane(int digit, int line, std::uint32_t v) const {
    return ofVertex(batch_.planes + digit * batch_.words(), line, v);
  }

  /// Those that there are, of a word.
  __device__ std::uint32_t searches(int line, int word) const {
    const int some = batch_.searches - (line * batch_.wordsOfLine() + word) * kWarp;
    return some >= kWarp ? kAllLanes : some <= 0 ? 0 : (1u << some) - 1;
  }

  /// Whether all other chunks of the vertex have been looked at.
  __device__ bool isLast(const Chunk& chunk) const {
    const std::uint32_t arcs = batch_.lists.first[chunk.slot + 1] - batch_.lists.first[chunk.slot];
    __threadfence();  // what this warp gathered is there before it counts as arrived
    std::uint32_t before = 0;
    if (lane_ == 0) before = atomicAdd(&batch_.arrived[chunk.split], 1u);
    const bool last = __shfl_sync(kAllLanes, before, 0) + 1 == ceilDiv(arcs, kChunk + 0u);
    __threadfence();  // all warps of the vertex have arrived: their bits are read after that
    if (last && lane_ == 0) batch_.arrived[chunk.split] = 0;
    return last;
  }

  const Batch& batch_;
  const int lane_;
  std::uint32_t found_ = 0, full_ = 0;  // lines that came to a vertex, and that are full by that
};

/// Explores a batch, which begin() began. All blocks run at the same time. A chunk's head and the
/// tails of its first arcs are read while the one before it is looked at.
template <int kWidth>
__global__ void __launch_bounds__(kExplorers) explore(Batch batch) {
  const auto grid = cooperative_groups::this_grid();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::uint32_t warps = gridDim.x * blockDim.x / kWarp;
  const auto firstChunk = static_cast<std::uint32_t>(threadOfGrid()) / kWarp;
  const std::uint32_t chunks = *batch.chunkCount;
  const std::size_t words = batch.words();
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  Explorer<kWidth> explorer(batch, lane);
  const auto tailOf = [&](const Chunk& chunk) {
    return lane < static_cast<int>(chunk.count) ? batch.lists.tails[chunk.begin + lane] : 0;
  };
  const long long start = clock64();
  bool goesOn = true;
  int level = 1;
  for (; goesOn; ++level) {
    if (threadOfGrid() == 0) {
      batch.found[(level + 1) % 3] = 0;
      const bool isLate = clock64() - start > batch.mostCycles;
      batch.limits[level % 3] = isLate                      ? kTooMuchTime
                                : level == batch.mostLevels ? kTooManyLevels
                                                            : kNoLimit;
    }
    // The next level may be the first with one more digit: its plane must be empty by then.
    if (((level + 1) & level) == 0) {
      std::uint32_t* const plane = batch.planes + asSize(__popc(level)) * words;
      for (auto i = static_cast<std::size_t>(threadOfGrid()); i < words; i += threads) plane[i] = 0;
    }
    bool found = false;
    Chunk next = firstChunk < chunks ? batch.chunks[firstChunk] : Chunk{};
    std::uint32_t nextTail = tailOf(next);
    for (std::uint32_t c = firstChunk; c < chunks; c += warps) {
      const Chunk chunk = next;
      const std::uint32_t tail = nextTail;
      if (c + warps < chunks) {
        next = batch.chunks[c + warps];
        nextTail = tailOf(next);
      }
      found |= explorer.take(chunk, tail, level);
    }
    if (__syncthreads_or(found) != 0 && threadIdx.x == 0) batch.found[level % 3] = 1;
    // This level is complete. Its flags stay until the level after the next one begins, so all
    // blocks see the same ones.
    grid.sync();
    goesOn = __ldcg(&batch.found[level % 3]) != 0;
    const int limit = __ldcg(&batch.limits[level % 3]);
    if (goesOn && limit != kNoLimit) {
      if (threadOfGrid() == 0) *batch.levels = 0, batch.explored->stopped = limit;
      return;
    }
    const auto old = batch.now;
    batch.now = batch.next;
    batch.next = old;
    const auto wasActive = batch.active;
    batch.active = batch.nextActive;
    batch.nextActive = wasActive;
  }
  if (threadOfGrid() != 0) return;
  *batch.levels = level - 2;
  atomicMax(&batch.explored->levels, level - 2);
}

// ---- widening -----------------------------------------------------------------------------------

/// What widen() reads of a batch, and where it writes.
template <class T>
struct Rows {
  int n;
  const std::uint32_t* seen;
  const std::uint32_t* planes;
  const int* levels;        ///< the highest of the batch
  const int* roots;         ///< of its searches
  const int* firstRow;      ///< (interior + 1): of each root
  const Row* rows;          ///< in the order of the roots
  int batchSearch;          ///< the search with which the batch begins
  const int *slot, *degree;  ///< of each vertex
  int firstSource;           ///< that of row 0
  T weight;
  long long farthest;  ///< levels above lie at infinity
  T* out;              ///< (rows, n)
  Explored* explored;

  __device__ T distance(long long level) const {
    return level > farthest ? infinityOnGpu<T>() : static_cast<T>(level) * weight;
  }
};

/// Levels of 32 searches at a vertex: their binary digits, from the lowest on.
template <int kDigits>
struct Levels {
  std::uint32_t digit[kDigits];
  std::uint32_t unseen;  ///< a digit above all others
};

/// The lesser one of two, for each search. The highest digit in which they differ decides.
template <int kDigits>
__device__ Levels<kDigits> least(const Levels<kDigits>& a, const Levels<kDigits>& b) {
  std::uint32_t less = ~a.unseen & b.unseen, same = ~(a.unseen ^ b.unseen);
#pragma unroll
  for (int d = kDigits - 1; d >= 0; --d) {
    less |= same & ~a.digit[d] & b.digit[d];
    same &= ~(a.digit[d] ^ b.digit[d]);
  }
  Levels<kDigits> both;
#pragma unroll
  for (int d = 0; d < kDigits; ++d) both.digit[d] = (a.digit[d] & less) | (b.digit[d] & ~less);
  both.unseen = a.unseen & b.unseen;
  return both;
}

template <int kDigits>
__device__ void addOne(Levels<kDigits>& levels) {
  std::uint32_t carry = ~0u;
#pragma unroll
  for (int d = 0; d < kDigits; ++d) {
    const std::uint32_t digit = levels.digit[d];
    levels.digit[d] = digit ^ carry;
    carry &= digit;
  }
}

/// Those at a vertex of the interior. at: a word of a map.
template <int kDigits, class T>
__device__ Levels<kDigits> levelsAt(const Batch& batch, const Rows<T>& rows, int digits,
                                    std::size_t at) {
  Levels<kDigits> levels;
  const std::size_t words = batch.words();
  levels.unseen = ~rows.seen[at];
#pragma unroll
  for (int d = 0; d < kDigits; ++d)
    levels.digit[d] = d < digits ? rows.planes[d * words + at] : 0;
  return levels;
}

/// Those at any slot, of a word of the batch. [begin, end): the arcs into it, if it hangs.
template <int kDigits, class T>
__device__ Levels<kDigits> levelsOf(const Batch& batch, const Rows<T>& rows, int digits, int slot,
                                    std::uint32_t begin, std::uint32_t end, int word) {
  const int line = word / batch.wordsOfLine();
  const auto at = [&](std::uint32_t v) {
    return levelsAt<kDigits>(batch, rows, digits,
                             batch.word(line, v) + word - line * batch.wordsOfLine());
  };
  if (slot < batch.interior) return at(static_cast<std::uint32_t>(slot));
  Levels<kDigits> levels = {};
  levels.unseen = ~0u;
  for (std::uint32_t arc = begin; arc < end; ++arc)
    levels = least(levels, at(batch.lists.tails[arc]));
  addOne(levels);
  return levels;
}

/// Turns squares of 4 × 4 bytes: byte j of word i becomes byte i of word j.
__device__ void turn(std::uint32_t (&words)[4]) {
  const std::uint32_t a = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t b = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t c = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t d = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(a, b, 0x5410);
  words[1] = __byte_perm(a, b, 0x7632);
  words[2] = __byte_perm(c, d, 0x5410);
  words[3] = __byte_perm(c, d, 0x7632);
}

/// Turns squares of 8 × 8 bits in two words: bit j of byte i becomes bit i of byte j (Knuth, The
/// Art of Computer Programming 4A, section 7.1.3).
__device__ void turnBits(std::uint32_t& low, std::uint32_t& high) {
  for (std::uint32_t* const half : {&low, &high}) {
    std::uint32_t swap = (*half ^ *half >> 7) & 0x00AA00AA;
    *half ^= swap ^ swap << 7;
    swap = (*half ^ *half >> 14) & 0x0000CCCC;
    *half ^= swap ^ swap << 14;
  }
  const std::uint32_t swap = (low ^ high << 4) & 0xF0F0F0F0;
  low ^= swap;
  high ^= swap >> 4;
}

/// The levels of 32 searches as bytes, in the order of the searches.
__device__ void toBytes(const Levels<kFewPlanes>& levels, std::uint32_t (&bytes)[8]) {
  std::uint32_t low[4], high[4];
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    low[d] = levels.digit[d] | levels.unseen;
    high[d] = levels.digit[d + 4] | levels.unseen;
  }
  turn(low);
  turn(high);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    turnBits(low[i], high[i]);
    bytes[2 * i] = low[i];
    bytes[2 * i + 1] = high[i];
  }
}

/// What a block has in shared memory.
template <class T>
struct Tile {
  // A row holds the levels of one search. When the tile is filled, the 32 threads of a warp write to
  // eight words and four neighbouring columns at the same time. The padding puts these writes into
  // 32 different banks of shared memory.
  static constexpr int kPitch = kColumns + 4, kOfWord = kWarp * kPitch + 16;
  static constexpr int kWords = kRowsOfTile / kWarp;
  std::uint8_t levels[kWords * kOfWord];
  T distances[kUnreached + 2];  ///< of each level, and of one more
  int degrees[kColumns];
  /// Of each word: how many rows its searches have, as binary digits, and how many digits.
  std::uint32_t rows[kWords][kWarp];
  int digits[kWords];

  __device__ std::uint8_t* row(int search) {
    return levels + search / kWarp * kOfWord + search % kWarp * kPitch;
  }
};

/// Where the rows of a search of the batch begin and end, in the order of the roots.
struct RowsOfSearch {
  int begin = 0, end = 0;

  template <class T>
  __device__ RowsOfSearch(const Batch& batch, const Rows<T>& rows, int search) {
    if (search >= batch.searches) return;
    begin = rows.firstRow[rows.roots[search]];
    end = rows.firstRow[rows.roots[search] + 1];
  }
};

/// What a block widens: the rows of some searches, in some columns.
struct Part {
  int firstSearch, firstColumn, columns;
};

/// Fills the tables of the tile.
template <class T>
__device__ void fillTables(Tile<T>& tile, const Batch& batch, const Rows<T>& rows, Part part) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  for (int i = thread; i < kUnreached + 2; i += kWideners)
    tile.distances[i] = i < kUnreached ? rows.distance(i) : infinityOnGpu<T>();
  for (int c = thread; c < part.columns; c += kWideners)
    tile.degrees[c] = rows.degree[part.firstColumn + c];
  if (warp < Tile<T>::kWords) {
    const RowsOfSearch own(batch, rows, part.firstSearch + thread);
    const int count = own.end - own.begin;
    const int most = kWarp - __clz(static_cast<int>(orOfWarp(static_cast<unsigned>(count))));
    for (int d = 0; d < most; ++d) {
      const unsigned digit = __ballot_sync(kAllLanes, count >> d & 1);
      if (lane == 0) tile.rows[warp][d] = digit;
    }
    if (lane == 0) tile.digits[warp] = most;
  }
}

/// Fills the levels of the tile, whose tables are full. A thread has 32 searches in four columns.
/// Returns how many edges leave the columns that its searches reach, once for each row.
template <class T>
__device__ unsigned long long fillLevels(Tile<T>& tile, const Batch& batch, const Rows<T>& rows,
                                         Part part) {
  constexpr int kWords = Tile<T>::kWords;
  const int thread = static_cast<int>(threadIdx.x);
  const int digits = 32 - __clz(*rows.levels);
  const int word = thread % kWords, first = thread / kWords * 4;
  unsigned long long passed = 0;
  int slots[4];
  std::uint32_t begins[4], ends[4], bytes[4][8];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    slots[i] = rows.slot[part.firstColumn + min(first + i, part.columns - 1)];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    begins[i] = slots[i] < batch.interior ? 0 : batch.lists.first[slots[i]];
    ends[i] = slots[i] < batch.interior ? 0 : batch.lists.first[slots[i] + 1];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const auto levels = levelsOf<kFewPlanes>(batch, rows, digits, slots[i], begins[i], ends[i],
                                             part.firstSearch / kWarp + word);
    toBytes(levels, bytes[i]);
    unsigned long long times = 0;  // rows that reach this column
    for (int d = 0; d < tile.digits[word]; ++d)
      times += static_cast<unsigned long long>(__popc(tile.rows[word][d] & ~levels.unseen)) << d;
    if (first + i < part.columns) passed += times * static_cast<unsigned>(tile.degrees[first + i]);
  }
  std::uint8_t* const to = tile.row(word * kWarp) + first;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    std::uint32_t four[4] = {bytes[0][k], bytes[1][k], bytes[2][k], bytes[3][k]};
    turn(four);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      *reinterpret_cast<std::uint32_t*>(to + (4 * k + i) * Tile<T>::kPitch) = four[i];
  }
  return passed;
}

/// Writes the rows of the tile, which is full. The rows of the block's searches follow each other,
/// and warps take them in turns. A lane looks up every 32nd one of its warp. Returns the edges that
/// leave sources which no search reached: they are passed, too.
template <class T>
__device__ unsigned long long writeRows(Tile<T>& tile, const Batch& batch, const Rows<T>& rows,
                                        Part part) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  const auto [firstSearch, firstColumn, columns] = part;
  constexpr int kWarps = kWideners / kWarp;
  const int begin = RowsOfSearch(batch, rows, firstSearch).begin;
  const int lastSearch = min(firstSearch + kRowsOfTile, batch.searches) - 1;
  const int end = RowsOfSearch(batch, rows, lastSearch).end;
  unsigned long long passed = 0;
  for (int some = begin + warp; some < end; some += kWarps * kWarp) {
    Row mine = {};
    int extra = 0;
    if (some + kWarps * lane < end) {
      mine = rows.rows[some + kWarps * lane];
      extra = rows.slot[rows.firstSource + mine.index] >= batch.interior ? 1 : 0;
    }
    for (int i = 0; i < kWarp && some + kWarps * i < end; ++i) {
      const int row = __shfl_sync(kAllLanes, mine.index, i);
      const int search = __shfl_sync(kAllLanes, mine.search, i) - rows.batchSearch - firstSearch;
      const std::uint8_t* const from = tile.row(search) + lane;
      T* const to = rows.out + asSize(row) * rows.n + firstColumn + lane;
      const T* const distances = tile.distances + __shfl_sync(kAllLanes, extra, i);
      if (columns == kColumns) {
#pragma unroll
        for (int c = 0; c < kColumns; c += kWarp) to[c] = distances[from[c]];
      } else {
        for (int c = 0; c + lane < columns; c += kWarp) to[c] = distances[from[c]];
      }
      const int source = rows.firstSource + row - firstColumn - lane;
      if (source < 0 || source + lane >= columns || source % kWarp != 0) continue;
      to[source] = 0;  // a leaf would have the way there and back
      if (from[source] == kUnreached) passed += static_cast<unsigned>(tile.degrees[source + lane]);
    }
  }
  return passed;
}

/// Writes the rows of some searches, in some columns.
template <class T>
__global__ void __launch_bounds__(kWideners, 2) widen(Batch batch, Rows<T> rows) {
  extern __shared__ char memoryOfBlock[];
  Tile<T>& tile = *reinterpret_cast<Tile<T>*>(memoryOfBlock);
  const int firstColumn = static_cast<int>(blockIdx.x) * kColumns;
  const Part part = {static_cast<int>(blockIdx.y) * kRowsOfTile, firstColumn,
                     min(kColumns, rows.n - firstColumn)};
  fillTables(tile, batch, rows, part);
  __syncthreads();  // the tables are full
  unsigned long long passed = fillLevels(tile, batch, rows, part);
  __syncthreads();  // the tile is full
  passed += writeRows(tile, batch, rows, part);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int by = kWarp / 2; by > 0; by /= 2) passed += __shfl_down_sync(kAllLanes, passed, by);
  if (lane == 0 && passed != 0) atomicAdd(&rows.explored->arcs, passed);
}

/// The same for levels of any number of digits. A thread has a column, and 32 searches.
template <class T>
__global__ void __launch_bounds__(kColumns) widenDeep(Batch batch, Rows<T> rows) {
  const int column = threadOfGrid();
  if (column >= rows.n) return;
  const int firstSearch = static_cast<int>(blockIdx.y) * kWarp, slot = rows.slot[column];
  const bool hangs = slot >= batch.interior;
  const auto levels = levelsOf<kManyPlanes>(
      batch, rows, 32 - __clz(*rows.levels), slot, hangs ? batch.lists.first[slot] : 0,
      hangs ? batch.lists.first[slot + 1] : 0, firstSearch / kWarp);
  unsigned long long passed = 0;
  for (int i = 0; i < kWarp; ++i) {
    const RowsOfSearch own(batch, rows, firstSearch + i);
    const bool reached = (levels.unseen >> i & 1) == 0;
    long long level = 0;
#pragma unroll
    for (int d = 0; d < kManyPlanes; ++d) level |= (levels.digit[d] >> i & 1u) << d;
    for (int at = own.begin; at < own.end; ++at) {
      const int row = rows.rows[at].index, source = rows.firstSource + row;
      const int extra = rows.slot[source] >= batch.interior ? 1 : 0;
      const T distance = reached ? rows.distance(level + extra) : infinityOnGpu<T>();
      rows.out[asSize(row) * rows.n + column] = source == column ? T(0) : distance;
      if (reached || source == column) passed += static_cast<unsigned>(rows.degree[column]);
    }
  }
  if (passed != 0) atomicAdd(&rows.explored->arcs, passed);
}

/// Rows of vertices without arcs out: a block for each of `count` vertices, from `first` on. 16
/// bytes are written at a time, between the parts of a row that are not aligned.
template <class T>
__global__ void writeRowsWithout(const int* root, int n, int first, T* out) {
  constexpr int kSome = 16 / sizeof(T);
  struct alignas(16) Vector {
    T at[kSome];
  };
  const int source = first + static_cast<int>(blockIdx.x);
  if (root[source] >= 0) return;
  const T far = infinityOnGpu<T>();
  Vector vector;
  for (T& each : vector.at) each = far;
  T* const row = out + asSize(blockIdx.x) * n;
  const int past = static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % kSome);
  const int head = min(n, (kSome - past) % kSome), vectors = (n - head) / kSome;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if (thread < head) row[thread] = far;
  for (int i = thread; i < vectors; i += threads)
    reinterpret_cast<Vector*>(row + head)[i] = vector;
  for (int j = head + vectors * kSome + thread; j < n; j += threads) row[j] = far;
  __syncthreads();  // the row is written, and the source lies at 0
  if (thread == 0) row[source] = 0;
}

// ---- the host's side ----------------------------------------------------------------------------

template <class Value>
Value fetch(const Value* from) {
  Value value;
  CHECK_CUDA(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

template <class Value>
void clear(Value* words, std::size_t count) {
  CHECK_CUDA(cudaMemsetAsync(words, 0, count * sizeof(Value)));
}

/// How searches are shared out to batches.
struct Shares {
  int searches, width, lines, batches;  ///< width, lines: of a batch

  Shares(int count, int interior) : searches(count), width(kMostWords) {
    const std::size_t narrow = 3 * sizeof(std::uint32_t) * kWarp * asSize(std::max(1, interior));
    const auto tooWide = [&] {
      return searches <= ofLine() / 2 || narrow * asSize(width) > kCacheBytes;
    };
    while (width > 1 && tooWide()) width /= 2;
    const std::size_t line = narrow * asSize(width);
    const int most = static_cast<int>(std::clamp<std::size_t>(kCacheBytes / line, 1, kMostLines));
    const int all = ceilDiv(std::max(1, searches), ofLine());
    batches = ceilDiv(all, most);
    lines = ceilDiv(all, batches);
  }
  int ofLine() const { return kWarp * kWarp * width; }
  int ofBatch() const { return lines * ofLine(); }
  int wordsOfVertex() const { return lines * kWarp * width; }
};

template <class T>
class Searches : public GpuLevels {
 public:
  Searches(const Graph& graph, const Edges<T>& edges, int by)
      : n_(graph.n),
        weight_(edges.empty() ? T(1) : edges.front().weight),
        edges_(edges.size()),
        at_(n_, edges.size()),
        memory_(at_.bytes) {
    prepare(edges, by);
  }

  void all(Elements out) override { rows(0, n_, out); }

  void rows(int first, int count, Elements out) override {
    if (n_ == 0 || count == 0) return;
    const bool isSampled = std::exchange(sampled_, false) && count == n_;
    if (!isSampled) sort(first, count);
    writeRowsWithout<T><<<static_cast<unsigned>(count), 256>>>(root(), n_, first, out.as<T>());
    CHECK_CUDA(cudaGetLastError());
    if (shares_.searches == 0) return;
    for (bool begun = isSampled; !tryWith(first, out.as<T>(), begun); begun = false)
      planes_ = kManyPlanes;
    const Explored explored = fetch(at<Explored>(at_.explored));
    done_.levels = std::max(done_.levels, explored.levels);
    done_.passed += static_cast<double>(explored.arcs);
  }

  std::optional<double> expect(double most, double trial) override {
    const double least = gpuLevelMilliseconds(n_, edges_, kDtype<T>, 0);
    if (n_ == 0 || least > most) return std::nullopt;
    sort(0, n_);
    if (shares_.searches == 0) return least;
    place();
    clearExplored();
    const StreamEvent before(true), after(true);
    before.record();
    const double room = (most - least) / shares_.batches;  // for a batch
    search(0, std::min(trial, room));
    after.record();
    after.wait();
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, before.event, after.event));
    const int stopped = fetch(at<Explored>(at_.explored)).stopped;
    sampled_ = stopped == kNoLimit;
    sampled = static_cast<double>(milliseconds);
    const double all = least + sampled * shares_.batches;
    slow = all > most || (stopped == kTooMuchTime && room <= trial);
    return sampled_ && !slow ? std::optional(all) : std::nullopt;
  }

  Levelling done() override { return std::exchange(done_, {}); }

 private:
  /// Where the arrays of a graph are.
  struct Layout {
    std::size_t slot, root, degree, first, tails, chunkCount, chunks, rows, firstRow, roots,
        explored, flags, levels, bytes;

    Layout(int n, std::size_t edges) {
      const std::size_t all = asSize(n) + 1, chunksAtMost = all + edges / kChunk;
      dense::Layout layout;
      slot = layout.place(all, sizeof(int));
      root = layout.place(all, sizeof(int));
      degree = layout.place(all, sizeof(int));
      first = layout.place(all, sizeof(std::uint32_t));
      tails = layout.place(edges, sizeof(std::uint32_t));
      chunkCount = layout.place(all, sizeof(std::uint32_t));
      chunks = layout.place(chunksAtMost, sizeof(Chunk));
      rows = layout.place(all, sizeof(Row));
      firstRow = layout.place(all, sizeof(int));
      roots = layout.place(all, sizeof(int));
      explored = layout.place(1, sizeof(Explored));
      flags = layout.place(6, sizeof(int));
      levels = layout.place(1, sizeof(int));
      bytes = layout.bytes();
    }
  };

  template <class Value>
  Value* at(std::size_t offset) const {
    return memory_.at<Value>(offset);
  }
  int* root() const { return at<int>(at_.root); }

  /// The lists of all slots, from the edges.
  void prepare(const Edges<T>& edges, int by) {
    const int count = static_cast<int>(edges.size());
    const std::size_t all = asSize(n_) + 1;
    dense::Layout layout;
    const std::size_t endings = layout.place(all, sizeof(Ending));
    const std::size_t before = layout.place(all, sizeof(int));
    const std::size_t goesOn = layout.place(all, sizeof(std::uint32_t));
    Parcel parcel(edges.size() * sizeof(Ends));
    Ends* const there = parcel.template host<Ends>(0);
    const auto turned = [&](int v) { return v + by < n_ ? v + by : v + by - n_; };
    for (std::size_t e = 0; e < edges.size(); ++e)
      there[e] = {turned(edges[e].from), turned(edges[e].to)};
    parcel.send();
    const GpuMemory memory(layout.bytes());
    const Ends* const list = parcel.template device<Ends>(0);
    Ending* const endingOf = memory.at<Ending>(endings);
    int* const numbers = memory.at<int>(before);
    clear(endingOf, all);
    findEndings<<<blocksFor(count), 256>>>(list, count, endingOf);
    findInterior<<<blocksFor(n_ + 1), 256>>>(endingOf, n_, numbers);
    sumBefore(numbers, n_ + 1);
    const Slots slots{n_, numbers};
    findPlaces<<<blocksFor(n_), 256>>>(endingOf, slots,
                                       {at<int>(at_.slot), root(), at<int>(at_.degree)});
    auto* const first = at<std::uint32_t>(at_.first);
    clear(first, all);
    countArcs<<<blocksFor(count), 256>>>(list, count, slots, first);
    sumBefore(first, n_ + 1);
    auto* const next = memory.at<std::uint32_t>(goesOn);
    CHECK_CUDA(cudaMemcpyAsync(next, first, all * sizeof *first, cudaMemcpyDeviceToDevice));
    listArcs<<<blocksFor(count), 256>>>(list, count, slots, next, at<std::uint32_t>(at_.tails));
    CHECK_CUDA(cudaGetLastError());
    interior_ = fetch(numbers + n_);
    auto* const chunks = at<std::uint32_t>(at_.chunkCount);
    countChunks<<<blocksFor(interior_ + 1), 256>>>(lists(), interior_, chunks);
    sumBefore(chunks, interior_ + 1);
    listChunks<<<blocksFor(interior_), 256>>>(lists(), interior_, chunks, at<Chunk>(at_.chunks));
    CHECK_CUDA(cudaGetLastError());
  }

  Lists lists() const { return {at<std::uint32_t>(at_.first), at<std::uint32_t>(at_.tails)}; }

  /// Finds the searches of these rows.
  void sort(int first, int count) {
    const auto all = asSize(interior_) + 1;
    int* const firstRow = at<int>(at_.firstRow);
    const GpuMemory before(2 * all * sizeof(int));
    int* const isSearch = before.at<int>(0);
    int* const goesOn = isSearch + all;
    clear(firstRow, all);
    countRows<<<blocksFor(count), 256>>>(root(), first, count, firstRow);
    findSearches<<<blocksFor(interior_ + 1), 256>>>(firstRow, interior_, isSearch);
    sumBefore(isSearch, interior_ + 1);
    listSearches<<<blocksFor(interior_), 256>>>(isSearch, interior_, at<int>(at_.roots));
    sumBefore(firstRow, interior_ + 1);
    CHECK_CUDA(cudaMemcpyAsync(goesOn, firstRow, all * sizeof(int), cudaMemcpyDeviceToDevice));
    listRows<<<blocksFor(count), 256>>>(root(), first, count, isSearch, goesOn, at<Row>(at_.rows));
    CHECK_CUDA(cudaGetLastError());
    shares_ = Shares(fetch(isSearch + interior_), interior_);
  }

  /// Takes the memory of a batch, unless there is enough.
  void place() {
    const std::size_t map = mapWords(), splits = splitWords();
    dense::Layout layout;
    maps_.seen = layout.place(map, sizeof(std::uint32_t));
    maps_.now = layout.place(map, sizeof(std::uint32_t));
    maps_.next = layout.place(map, sizeof(std::uint32_t));
    maps_.marks = layout.place(3 * asSize(interior_), sizeof(std::uint32_t));
    maps_.gathered = layout.place(splits + mostSplits(), sizeof(std::uint32_t));
    maps_.planes = layout.place(map * asSize(planes_), sizeof(std::uint32_t));
    if (layout.bytes() > mapBytes_) {
      mapMemory_.reset();
      mapMemory_.emplace(layout.bytes());
      mapBytes_ = layout.bytes();
    }
    clear(mapMemory_->template at<std::uint32_t>(maps_.gathered), splits + mostSplits());
  }

  void clearExplored() { clear(at<Explored>(at_.explored), 1); }

  int searchesOf(int batch) const {
    return std::min(shares_.ofBatch(), shares_.searches - batch * shares_.ofBatch());
  }
  std::size_t mapWords() const { return asSize(shares_.wordsOfVertex()) * asSize(interior_); }
  /// Vertices that may have several chunks, and one that does not count.
  std::size_t mostSplits() const { return edges_ / kChunk + 2; }
  std::size_t splitWords() const { return mostSplits() * asSize(shares_.wordsOfVertex()); }

  Batch batchOf(int number) const {
    const auto words = [&](std::size_t offset) {
      return mapMemory_->template at<std::uint32_t>(offset);
    };
    std::uint32_t* const marks = words(maps_.marks);
    Batch batch{};
    batch.interior = interior_;
    batch.width = shares_.width;
    batch.lines = shares_.lines;
    batch.searches = searchesOf(number);
    batch.lists = lists();
    batch.chunks = at<Chunk>(at_.chunks);
    batch.chunkCount = at<std::uint32_t>(at_.chunkCount) + interior_;
    batch.seen = words(maps_.seen);
    batch.now = words(maps_.now);
    batch.next = words(maps_.next);
    batch.active = marks;
    batch.nextActive = marks + interior_;
    batch.full = marks + 2 * interior_;
    batch.planes = words(maps_.planes);
    batch.gathered = words(maps_.gathered);
    batch.arrived = batch.gathered + splitWords();
    batch.found = at<int>(at_.flags);
    batch.limits = batch.found + 3;
    batch.levels = at<int>(at_.levels);
    batch.explored = at<Explored>(at_.explored);
    return batch;
  }

  const int* rootsOf(int batch) const {
    return at<int>(at_.roots) + asSize(batch) * asSize(shares_.ofBatch());
  }

  /// Levels that the planes hold. Two more steps may follow, to and from vertices that hang.
  int mostLevels() const { return planes_ == kFewPlanes ? 252 : (1 << kManyPlanes) - 2; }

  /// most: milliseconds.
  void search(int number, double most = 1e9) {
    Batch batch = batchOf(number);
    batch.mostLevels = mostLevels();
    batch.mostCycles = static_cast<long long>(most * kCyclesOfMs);
    clear(batch.found, 6);
    clear(batch.seen, mapWords());
    clear(batch.planes, mapWords());
    clear(batch.active, 3 * asSize(interior_));
    begin<<<blocksFor(batch.searches * kWarp), 256>>>(batch, rootsOf(number));
    CHECK_CUDA(cudaGetLastError());
    void* arguments[] = {&batch};
    const auto kernel = shares_.width == 1   ? explore<1>
                        : shares_.width == 2 ? explore<2>
                                             : explore<kMostWords>;
    CHECK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                           dim3(blocksAtOnce(kernel, kExplorers)), dim3(kExplorers),
                                           arguments));
  }

  /// Writes the rows of all searches. Returns false if there are more levels than planes hold.
  bool tryWith(int firstSource, T* out, bool isFirstBegun) {
    if (!isFirstBegun) {
      place();
      clearExplored();
    }
    for (int number = 0; number < shares_.batches; ++number) {
      if (number > 0 || !isFirstBegun) search(number);
      const Batch batch = batchOf(number);
      Rows<T> rows{};
      rows.n = n_;
      rows.seen = batch.seen;
      rows.planes = batch.planes;
      rows.levels = batch.levels;
      rows.roots = rootsOf(number);
      rows.firstRow = at<int>(at_.firstRow);
      rows.rows = at<Row>(at_.rows);
      rows.batchSearch = number * shares_.ofBatch();
      rows.slot = at<int>(at_.slot);
      rows.degree = at<int>(at_.degree);
      rows.firstSource = firstSource;
      rows.weight = weight_;
      rows.farthest = farthest();
      rows.out = out;
      rows.explored = batch.explored;
      const auto blocks = [&](int searches) {
        return dim3(blocksFor(n_, kColumns), blocksFor(batch.searches, searches));
      };
      if (planes_ == kFewPlanes) {
        constexpr int kShared = sizeof(Tile<T>);
        CHECK_CUDA(
            cudaFuncSetAttribute(widen<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
        widen<T><<<blocks(kRowsOfTile), kWideners, kShared>>>(batch, rows);
      } else {
        widenDeep<T><<<blocks(kWarp), kColumns>>>(batch, rows);
      }
      CHECK_CUDA(cudaGetLastError());
    }
    return planes_ != kFewPlanes || fetch(at<Explored>(at_.explored)).stopped == kNoLimit;
  }

  /// The most levels of a distance below infinity.
  long long farthest() const {
    if constexpr (std::is_integral_v<T>)
      if (weight_ > 0) return (kInfinity<T> - 1) / weight_;
    return (1ll << 62);
  }

  struct Maps {
    std::size_t seen, now, next, marks, gathered, planes;
  };

  const int n_;
  const T weight_;
  const std::size_t edges_;
  const Layout at_;
  const GpuMemory memory_;
  int interior_ = 0;
  Shares shares_{0, 1};
  int planes_ = kFewPlanes;
  Maps maps_{};
  std::optional<GpuMemory> mapMemory_;
  std::size_t mapBytes_ = 0;
  bool sampled_ = false;  // the first batch of all rows is explored
  Levelling done_;
};

}  // namespace

std::size_t gpuLevelBytes(int n, std::size_t edges) {
  const std::size_t map =
      std::max(kCacheBytes / 3, asSize(n) * kWarp * sizeof(std::uint32_t));
  const std::size_t words = std::min(asSize(n) / kWarp + 1, map / (asSize(n) + 1) / 4);
  const std::size_t splits = (edges / kChunk + 2) * (words + kMostWords * kWarp + 1);
  return (3 + kManyPlanes) * map + sizeof(std::uint32_t) * splits +
         (20 * sizeof(int) + sizeof(Chunk)) * (asSize(n) + 1) + 2 * sizeof(Ends) * edges;
}

double gpuLevelMilliseconds(int n, std::size_t edges, Dtype dtype, double levels) {
  const double distances = static_cast<double>(n) * n;
  const Shares shares(n, n);
  const double level = kLevelMs + kWordMs * n * shares.wordsOfVertex();
  return kLaunchesMs + level * levels * shares.batches + kEdgeMs * static_cast<double>(edges) +
         kByteMs * static_cast<double>(sizeOf(dtype)) * distances;
}

std::unique_ptr<GpuLevels> levelsOnGpu(const Graph& graph, int by) {
  return withEdges(graph, [&](const auto& edges) -> std::unique_ptr<GpuLevels> {
    return std::make_unique<Searches<decltype(edges.front().weight)>>(graph, edges, by);
  });
}

}  // namespace engine::bfs
