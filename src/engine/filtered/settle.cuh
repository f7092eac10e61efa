// Distances from one vertex to all others: what a block of threads does in the filtered solver.
//
// The kept arcs of a vertex fill chunks of kChunk. A chunk is what a few threads relax at once, so
// a vertex with many arcs keeps no one waiting. Distances are in shared memory, because arcs lead
// to random vertices, and no other memory is as fast at random accesses. If they do not fit there,
// and if a bound proves that 16 bits hold them, they are stored in 16 bits. Otherwise they are in
// global memory, which is several times slower. Distances of whole numbers of 64 bits are computed
// as int32 if a bound proves that 32 bits hold them: the type T of settle() is then not that of the
// matrix.
//
//        distances, n numbers  marks, later: a bit a vertex       lists
//      ┌──────────────────────┐   ┌────────────────────┐   ┌─────────┐  ┌────────────────┐
//      │ d(v), or `beyond`    │   │ v has to be looked │ → │ vertices│ →│ chunk, d(v)    │
//      └──────────▲───────────┘   │ at (again)         │   └─────────┘  └───────┬────────┘
//                 │               └─────────▲──────────┘     collect   expand   │ relax
//                 └─── atomicMin ───────────┴──────── atomicOr ─────────────────┘
//
// Order. If vertices were looked at in the order of their distances (Dijkstra), each would be
// looked at once, but one after the other. If all were looked at in every phase (Bellman and Ford),
// most looks would be in vain. Buckets are between the two (Meyer and Sanders, "Δ-stepping", 2003):
// a phase looks at marked vertices with distances below `high`, and when none is left, the next
// bucket is marked. docs/tuning.md has what other orders cost.
//
// Known rows. If the source has an arc of weight w to a vertex s whose distances are all known,
// then d(v) = w + d(s,v) is the length of a walk to every v, and it is written before anything is
// looked at. Only vertices whose distance becomes less than that need a look.
//
// Why it is right. When it ends, d(v) ≤ d(u) + w(u,v) for every arc whose right side is below
// `beyond`. If u was looked at, its arcs were relaxed. If not, d(u) = w + d(s,u) for a known row s,
// and d(v) ≤ w + d(s,v) ≤ w + d(s,u) + w(u,v). Added up along a shortest path: d(v) is not above
// the distance. It is the length of a walk, therefore it is not below it either.
//
// Races. In a phase, threads read and lower distances at the same time; it is meant to be so. A
// distance only falls, and always to the length of a walk. A thread may read an old distance, which
// is too large. It then calls lower() or marks a vertex without need, and the result is the same.
// No smaller distance is lost, because lower() keeps the minimum. Whoever stores the least value
// also sets a bit of the vertex: in `marks` if it is below `high`, else in `later`, where mark()
// finds it when its bucket comes. These accesses are relaxed atomic operations in the language of
// the memory model. A barrier ends each phase.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/dtype.h"
#include "base/size.h"
#include "device/cuda.h"
#include "filtered/prospect.h"

namespace engine::relaxation {

using Word = std::uint32_t;
using LongWord = unsigned long long;  // the type of 64 bits that CUDA's atomic functions take

/// A weight or distance of type T as a word of as many bits. Words of reals that are not negative
/// have the order of the reals.
template <class T>
using Bits = std::conditional_t<sizeof(T) == sizeof(LongWord), LongWord, Word>;

template <class T>
constexpr bool kIsReal = std::is_floating_point_v<T>;

/// "No path": an infinite real, or a whole number for which kNoPath + kNoPath does not wrap.
template <class T>
constexpr Bits<T> kNoPath = Bits<T>{kInfinity<T>};
template <>
constexpr Word kNoPath<float> = 0x7f800000;
template <>
constexpr LongWord kNoPath<double> = 0x7ff0000000000000;

/// Rows of a matrix of n columns in device memory: all of them, or a band of them.
template <class T>
struct Rows {
  Bits<T>* words;      ///< row `first`
  std::size_t stride;  ///< words from a row to the next
  int first, count;
  __host__ __device__ Bits<T>* row(int u) const { return words + asSize(u - first) * stride; }
  __device__ bool has(int u) const { return u >= first && u < first + count; }
};

/// The real number that a word stores, and the word of a real number.
__device__ __forceinline__ float realIn(Word word) {
  return __uint_as_float(word);
}
__device__ __forceinline__ double realIn(LongWord word) {
  return __longlong_as_double(static_cast<long long>(word));
}
__device__ __forceinline__ Word wordOf(float real) {
  return __float_as_uint(real);
}
__device__ __forceinline__ LongWord wordOf(double real) {
  return static_cast<LongWord>(__double_as_longlong(real));
}

/// The word of the sum of two numbers of type T.
template <class T>
__device__ __forceinline__ Bits<T> sum(Bits<T> a, Bits<T> b) {
  if constexpr (kIsReal<T>)
    return wordOf(realIn(a) + realIn(b));
  else
    return a + b;
}

/// whole / parts, but at least the smallest number above 0.
template <class T>
__device__ __forceinline__ Bits<T> part(Bits<T> whole, int parts) {
  if constexpr (kIsReal<T>)
    return max(wordOf(realIn(whole) / static_cast<T>(parts)), Bits<T>{1});
  else
    return max(whole / parts, Bits<T>{1});
}

/// An arc holds its head and its weight. A NarrowArc has 16 bits for each, a WideArc 32.
using NarrowArc = std::uint32_t;
using WideArc = unsigned long long;
constexpr Word kTooWide = 0xffff;  ///< the first weight or distance that no NarrowArc holds
/// One with a weight of 64 bits.
struct LongArc {
  Word head;
  LongWord weight;
};
/// By their weights, as WideArcs are.
__device__ __forceinline__ bool operator<(const LongArc& a, const LongArc& b) {
  return a.weight < b.weight || (a.weight == b.weight && a.head < b.head);
}

/// The arc that holds every weight of type T.
template <class T>
using WholeArc = std::conditional_t<sizeof(T) == sizeof(LongWord), LongArc, WideArc>;

__host__ __device__ constexpr Word headOf(NarrowArc arc) {
  return arc & 0xffff;
}
__host__ __device__ constexpr Word weightOf(NarrowArc arc) {
  return arc >> 16;
}
__host__ __device__ constexpr Word headOf(WideArc arc) {
  return static_cast<Word>(arc);
}
__host__ __device__ constexpr Word weightOf(WideArc arc) {
  return static_cast<Word>(arc >> 32);
}
__host__ __device__ constexpr Word headOf(const LongArc& arc) {
  return arc.head;
}
__host__ __device__ constexpr LongWord weightOf(const LongArc& arc) {
  return arc.weight;
}
/// The word of an arc's weight.
template <class Arc>
using WeightIn = decltype(weightOf(Arc{}));
template <class Arc>
__host__ __device__ constexpr Arc makeArc(Word head, WeightIn<Arc> weight) {
  if constexpr (std::is_same_v<Arc, LongArc>)
    return {head, weight};
  else
    return static_cast<Arc>(weight) << 4 * sizeof(Arc) | head;
}

/// LongArcs in memory. Heads and weights are apart: 12 bytes an arc, where a LongArc takes 16.
struct LongArcs {
  Word* heads;
  LongWord* weights;
  __host__ __device__ LongArcs operator+(std::size_t arcs) const {
    return {heads + arcs, weights + arcs};
  }
};
/// Where arcs are in memory.
template <class Arc>
using ArcsAt =
    std::conditional_t<std::is_same_v<std::remove_const_t<Arc>, LongArc>, LongArcs, Arc*>;

template <class Arc>
__device__ __forceinline__ Arc loadArc(const Arc* arcs, std::size_t at) {
  return arcs[at];
}
__device__ __forceinline__ LongArc loadArc(const LongArcs& arcs, std::size_t at) {
  return {arcs.heads[at], arcs.weights[at]};
}
template <class Arc>
__device__ __forceinline__ void storeArc(Arc* arcs, std::size_t at, Arc arc) {
  arcs[at] = arc;
}
__device__ __forceinline__ void storeArc(const LongArcs& arcs, std::size_t at, LongArc arc) {
  arcs.heads[at] = arc.head;
  arcs.weights[at] = arc.weight;
}

constexpr int kChunk = 16;      ///< arcs
constexpr int kChunkLanes = 8;  ///< threads that relax a chunk

/// The chunks of a vertex: the number of the first one, and how many there are.
struct Chunks {
  Word packed;
  static constexpr Word kNumbers = 1 << 24;
  __host__ __device__ static Chunks of(Word first, Word count) { return {count << 24 | first}; }
  __device__ Word first() const { return packed & (kNumbers - 1); }
  __device__ int count() const { return static_cast<int>(packed >> 24); }
};

/// Lists of arcs. A list fills whole chunks; after its arcs come some from which nothing is reached
/// below the distance `beyond` of settle().
template <class Arc>
struct ArcLists {
  ArcsAt<const Arc> arcs;      ///< (chunks, kChunk)
  const Chunks* chunks;        ///< (n)
  const WeightIn<Arc>* least;  ///< (chunks): the least weight of each, if arcs are sorted, or null
};

/// The arcs of a chunk that one thread relaxes.
constexpr int kPart = kChunk / kChunkLanes;
template <class Arc>
struct alignas(kPart * sizeof(Arc)) Part {
  Arc arcs[kPart];
};
/// Loads a part in one access, or in one of heads and one of weights.
template <class Arc>
__device__ __forceinline__ Part<Arc> loadPart(const Arc* arcs, std::size_t at) {
  return reinterpret_cast<const Part<Arc>*>(arcs)[at];
}
__device__ __forceinline__ Part<LongArc> loadPart(const LongArcs& arcs, std::size_t at) {
  static_assert(kPart == 2, "as many as a vector has");
  const uint2 heads = reinterpret_cast<const uint2*>(arcs.heads)[at];
  const ulonglong2 weights = reinterpret_cast<const ulonglong2*>(arcs.weights)[at];
  return {{{heads.x, weights.x}, {heads.y, weights.y}}};
}

/// A chunk to relax: d is the distance of its vertex. One of 16 bytes is read in one access.
template <class T>
struct alignas(sizeof(T) == sizeof(LongWord) ? 16 : sizeof(Word)) Item {
  Word chunk;
  Bits<T> d;
};

/// A vertex whose distances to all others are known, in row `vertex` of a matrix, and the weight of
/// an arc to it.
template <class T>
struct Known {
  Word vertex;
  Bits<T> weight;
};
constexpr int kKnownMost = 4;

/// The memory of settle() of distances of type T. All but distances that are far is shared memory,
/// placed in `bytes`.
template <class T, SettlePlace kPlace>
struct SettleMemory {
  using Number = Bits<T>;
  using Stored = std::conditional_t<kPlace == SettlePlace::kShared16, std::uint16_t, Number>;
  static constexpr bool kShared = kPlace != SettlePlace::kGlobal;
  /// Whether lower() has to wait for an answer: shared memory takes no minimum of 64 bits.
  static constexpr bool kExchanges = kShared && sizeof(Stored) == sizeof(LongWord);
  static constexpr int kListed =
      kPlace == SettlePlace::kShared16 ? 512 : 640;  ///< vertices of a phase
  static constexpr int kListedChunks =
      kPlace == SettlePlace::kShared16 ? 640 : 1024;  ///< and its chunks

  Stored* distances;  ///< (n); in shared memory there is room for whole 128s
  Word* marks;        ///< (⌈n / 128⌉, 4): a bit a vertex: look at it in the next phase
  Word* later;        ///< likewise: look at it when its bucket comes
  Item<T>* items;     ///< (kListedChunks)
  Word* vertices;     ///< (kListed)
  int* sizes;         ///< of `vertices` and of `items`
  Number* nearest;    ///< the least distance that is not below `high`

  /// far: (n), where the distances are if they are far.
  __device__ SettleMemory(int n, char* bytes, Number* far)
      : distances(kShared ? reinterpret_cast<Stored*>(bytes) : reinterpret_cast<Stored*>(far)),
        marks(reinterpret_cast<Word*>(bytes + sharedDistances(n))),
        later(marks + padded(n) / 32),
        items(reinterpret_cast<Item<T>*>(later + padded(n) / 32)),
        vertices(reinterpret_cast<Word*>(items + kListedChunks)),
        sizes(reinterpret_cast<int*>(vertices + kListed)),
        nearest(reinterpret_cast<Number*>(sizes + 2)) {}
  /// (kKnownMost), before the first item is written
  __device__ Known<T>* known() const { return reinterpret_cast<Known<T>*>(items); }
  /// (32): the longest distance of each warp, before the first vertex is written
  __device__ Number* longest() const { return reinterpret_cast<Number*>(vertices); }
  /// The distance of a vertex, or of any vertex behind the last one.
  __device__ Number distance(int v, int n) const { return distances[kShared ? v : min(v, n - 1)]; }
  __host__ __device__ static constexpr int padded(int n) { return ceilDiv(n, 128) * 128; }
  /// Bytes of shared memory.
  static constexpr std::size_t bytes(int n) {
    return sharedDistances(n) + sizeof(Word) * (padded(n) / 16 + kListed + 4) +
           sizeof(Item<T>) * kListedChunks;
  }

 private:
  __host__ __device__ static constexpr std::size_t sharedDistances(int n) {
    return kShared ? sizeof(Stored) * padded(n) : 0;
  }
};

/// Makes a distance `value` if it is larger. Other threads do the same.
template <bool kShared>
__device__ __forceinline__ void lower(Word* distance, Word value) {
  atomicMin(distance, value);
}
template <bool kShared>
__device__ __forceinline__ void lower(std::uint16_t* distance, Word value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700  // older GPUs do not run this solver
  std::uint16_t present = *const_cast<const volatile std::uint16_t*>(distance);
  while (value < present) {
    const std::uint16_t found = atomicCAS(distance, present, static_cast<std::uint16_t>(value));
    if (found == present) return;
    present = found;
  }
#endif
}

/// Shared memory compares and exchanges 64 bits, but takes no minimum of them.
template <bool kShared>
__device__ __forceinline__ void lower(LongWord* distance, LongWord value) {
  if constexpr (kShared) {
    LongWord present = *const_cast<const volatile LongWord*>(distance);
    while (value < present) {
      const LongWord found = atomicCAS(distance, present, value);
      if (found == present) return;
      present = found;
    }
  } else {
    atomicMin(distance, value);
  }
}

/// Sets the bit of v in `bits`, which others change, too.
__device__ __forceinline__ void setBit(Word* bits, Word v) {
  atomicOr(&bits[v / 32], 1u << v % 32);
}

/// What a settle() did.
struct Settled {
  Word looks = 0;  ///< at vertices
  Word steps = 0;  ///< the cost: a relaxed chunk is a step, and a phase kPhaseSteps for each warp
  bool cut = false;  ///< it stopped because there were too many steps
};
constexpr int kPhaseSteps = 21;  ///< chunks that a warp relaxes in the time of a phase's barriers

/// Reserves `count` places for each thread of a warp in a list that has *size elements. Returns the
/// first of this thread's.
__device__ __forceinline__ int reserve(int* size, int count) {
  const int lane = threadIdx.x % 32;
  int upto = count;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  int first = 0;
  if (lane == 31 && upto != 0) first = atomicAdd(size, upto);
  return __shfl_sync(~0u, first, 31) + upto - count;
}

/// Loads a word that other threads may change: a relaxed atomic load.
template <class Stored>
__device__ __forceinline__ Bits<Stored> relaxedLoad(const Stored* word) {
  return *const_cast<const volatile Stored*>(word);
}

/// The number of the first thread of this warp.
__device__ __forceinline__ int firstOfWarp() {
  return static_cast<int>(threadIdx.x / 32 * 32);
}

/// The vertices whose marks are set, and no longer are, go to the list. Returns whether some found
/// no place.
template <class Memory>
__device__ __forceinline__ bool collect(int n, const Memory& memory) {
  bool left = false;
  const int words = Memory::padded(n) / 32;
  for (int first = firstOfWarp(); first < words; first += blockDim.x) {
    const int at = first + threadIdx.x % 32;
    Word bits = at < words ? memory.marks[at] : 0;
    if (!__any_sync(~0u, bits != 0)) continue;
    int to = reserve(&memory.sizes[0], __popc(bits));
    if (bits == 0) continue;
    for (; bits != 0 && to < Memory::kListed; bits &= bits - 1)
      memory.vertices[to++] = 32 * at + __ffs(static_cast<int>(bits)) - 1;
    memory.marks[at] = bits;
    left |= bits != 0;
  }
  return left;
}

/// The chunks of the listed vertices go to the list of items, but for those from which nothing is
/// reached below `beyond`. Returns whether some found no place; then their vertices are marked
/// again.
template <class T, class Arc, class Memory>
__device__ __forceinline__ bool expand(int listed, Bits<T> beyond, const ArcLists<Arc>& lists,
                                       const Memory& memory) {
  bool left = false;
  for (int first = firstOfWarp(); first < listed; first += blockDim.x) {
    const int i = first + threadIdx.x % 32;
    const Word u = i < listed ? memory.vertices[i] : 0;
    const Chunks chunks = i < listed ? lists.chunks[u] : Chunks{0};
    const Bits<T> d = memory.distances[u];
    int count = chunks.count();
    if (lists.least != nullptr) {
      int reaching = 0;
#pragma unroll 4
      for (int k = 0; k < count; ++k)
        reaching += sum<T>(d, lists.least[chunks.first() + k]) < beyond;
      count = reaching;
    }
    if (!__any_sync(~0u, count != 0)) continue;
    const int to = reserve(&memory.sizes[1], count);
    const int places = max(0, min(count, Memory::kListedChunks - to));
#pragma unroll 1
    for (int k = 0; k < places; ++k) memory.items[to + k] = {chunks.first() + k, d};
    if (places == count) continue;
    setBit(memory.marks, u);
    left = true;
  }
  return left;
}

/// Relaxes the arcs of the items. Returns whether this thread marked a vertex: one whose distance
/// is below `high` now. The arcs of the next items are loaded before those of the present ones are
/// relaxed, because a load takes as long as a hundred instructions.
template <class T, class Arc, class Memory>
__device__ __forceinline__ bool relax(int items, ArcsAt<const Arc> arcs, Bits<T> high,
                                      const Memory& memory) {
  constexpr int kAtOnce = std::is_same_v<Arc, LongArc> ? 1 : 2;  // items, for the registers' sake
  const int groups = blockDim.x / kChunkLanes, within = threadIdx.x % kChunkLanes;
  int first = threadIdx.x / kChunkLanes;
  Part<Arc> ahead[kAtOnce];
  Bits<T> from[kAtOnce];
  const auto load = [&] {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int i = min(first + k * groups, items - 1);  // the last one perhaps twice
      const Item<T> item = memory.items[i];
      const std::size_t at = asSize(item.chunk) * kChunkLanes + within;
      ahead[k] = loadPart(arcs, at);
      from[k] = item.d;
    }
  };
  Bits<T> least = ~Bits<T>{0};  // distance that this thread wrote
  if (first < items) load();
  while (first < items) {
    Part<Arc> part[kAtOnce];
    Bits<T> through[kAtOnce][kPart], present[kAtOnce][kPart];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      part[k] = ahead[k];
#pragma unroll
      for (int e = 0; e < kPart; ++e) through[k][e] = from[k];
    }
    first += kAtOnce * groups;
    if (first < items) load();
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
      for (int e = 0; e < kPart; ++e) {
        through[k][e] = sum<T>(through[k][e], weightOf(part[k].arcs[e]));
        present[k][e] = relaxedLoad(&memory.distances[headOf(part[k].arcs[e])]);
      }
    if constexpr (Memory::kExchanges) {  // all of them are on their way together
      Bits<T> found[kAtOnce][kPart];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
        for (int e = 0; e < kPart; ++e) {
          found[k][e] = present[k][e];
          if (through[k][e] < present[k][e])
            found[k][e] = atomicCAS(&memory.distances[headOf(part[k].arcs[e])], present[k][e],
                                    through[k][e]);
        }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
        for (int e = 0; e < kPart; ++e)
          if (found[k][e] != present[k][e])  // somebody else has lowered it
            lower<true>(&memory.distances[headOf(part[k].arcs[e])], through[k][e]);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
      for (int e = 0; e < kPart; ++e) {
        if (through[k][e] >= present[k][e]) continue;
        const Word v = headOf(part[k].arcs[e]);
        if constexpr (!Memory::kExchanges)
          lower<Memory::kShared>(&memory.distances[v], through[k][e]);
        setBit(through[k][e] < high ? memory.marks : memory.later, v);
        least = min(least, through[k][e]);
      }
  }
  return least < high;
}

/// Marks the vertices with low ≤ d < high that wait for their bucket. Returns whether this warp
/// marked one.
template <class Memory>
__device__ __forceinline__ bool mark(int n, typename Memory::Number low,
                                     typename Memory::Number high, const Memory& memory) {
  const int lane = threadIdx.x % 32;
  bool any = false;
  for (int at = threadIdx.x / 32; at < Memory::padded(n) / 128; at += blockDim.x / 32) {
    const uint4 four = reinterpret_cast<const uint4*>(memory.later)[at];
    if ((four.x | four.y | four.z | four.w) == 0) continue;
    const Word later[4] = {four.x, four.y, four.z, four.w};
    Word mine = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const typename Memory::Number d = memory.distance(128 * at + 32 * i + lane, n);
      const bool waits = later[i] & 1u << lane;
      const Word inside = __ballot_sync(~0u, waits && d - low < high - low);
      if (lane == i) mine = inside;
    }
    if (mine == 0) continue;
    memory.marks[4 * at + lane] = mine;  // no other mark is left
    memory.later[4 * at + lane] &= ~mine;
    any = true;
  }
  return any;
}

/// The least distance from `high` on of the vertices that wait, as far as this thread saw them.
template <class Memory>
__device__ __forceinline__ auto nearestFrom(int n, typename Memory::Number high,
                                            const Memory& memory) {
  auto nearest = ~typename Memory::Number{0};
  for (int v = threadIdx.x; v < Memory::padded(n); v += blockDim.x) {
    const bool waits = memory.later[v / 32] & 1u << v % 32;
    if (waits && memory.distances[v] >= high) nearest = min(nearest, memory.distances[v]);
  }
  return nearest;
}

/// Sets the first value of each distance. It is the length of the shortest walk that begins with an
/// arc of memory.known(), of which there are `count`; it is `farthest` + 1 if there is none below.
/// Returns a bound on all distances, which is at most `farthest`. All threads have
/// passed a barrier when it returns, and may read the distances. Row: the type of the matrix, whose
/// known rows hold nothing that is too large for a T.
template <class T, class Row, class Memory>
__device__ __forceinline__ Bits<T> begin(int n, Bits<T> farthest, int count, const Rows<Row>& rows,
                                         const Memory& memory) {
  const Bits<T> beyond = min(farthest + 1, kNoPath<T>);
  Bits<T> longest = 0;
  for (int v = threadIdx.x; v < n; v += blockDim.x) {
    Bits<T> d = beyond;
#pragma unroll
    for (int k = 0; k < kKnownMost; ++k) {
      if (k >= count) continue;
      const Known<T> by = memory.known()[k];
      const auto onward = static_cast<Bits<T>>(__ldcg(&rows.row(by.vertex)[v]));
      d = min(d, sum<T>(by.weight, onward));
    }
    longest = max(longest, d);
    memory.distances[v] = static_cast<typename Memory::Stored>(d);
  }
  for (int step = 16; step > 0; step /= 2)
    longest = max(longest, __shfl_xor_sync(~0u, longest, step));
  if (threadIdx.x % 32 == 0) memory.longest()[threadIdx.x / 32] = longest;
  __syncthreads();  // the distances are there, and the longest one of each warp
  for (int warp = 0; warp < static_cast<int>(blockDim.x / 32); ++warp)
    longest = max(longest, memory.longest()[warp]);
  return min(farthest, longest);
}

/// Writes the distances from `source` to memory.distances, where begin() has written what is known.
/// Those above `farthest` are left as they are. width: of a bucket, a word above 0; most: steps,
/// then it is cut off. Call it from all threads of a block of whole warps; a barrier is its last
/// step.
template <class T, class Arc, class Memory>
__device__ __forceinline__ Settled settle(int n, int source, Bits<T> width, Bits<T> farthest,
                                          Word most, const ArcLists<Arc>& lists,
                                          const Memory& memory) {
  const Bits<T> beyond = min(farthest + 1, kNoPath<T>);
  const int padded = Memory::padded(n);
  for (int i = threadIdx.x; i < padded / 16; i += blockDim.x) memory.marks[i] = 0;
  __syncthreads();  // nothing is marked, also in `later`, which follows
  if (threadIdx.x == 0) {
    memory.distances[source] = 0;
    memory.marks[source / 32] = 1u << source % 32;
    memory.sizes[0] = memory.sizes[1] = 0;
    *memory.nearest = ~Bits<T>{0};
  }
  __syncthreads();  // the source is marked
  Bits<T> low = 0, high = min(width, beyond);
  Settled done;
  for (bool marks = true;;) {
    if (marks) {
      bool more = collect(n, memory);
      __syncthreads();  // the list is complete, and all have taken their marks
      const int listed = min(memory.sizes[0], Memory::kListed);
      more |= expand<T>(listed, beyond, lists, memory);
      __syncthreads();  // the list of items is complete
      const int items = min(memory.sizes[1], Memory::kListedChunks);
      if (threadIdx.x == 0) memory.sizes[0] = 0;
      more |= relax<T, Arc>(items, lists.arcs, high, memory);
      done.looks += listed;
      done.steps += items + kPhaseSteps * static_cast<int>(blockDim.x / 32);
      marks = __syncthreads_or(more);  // all distances of the phase are there
      if (threadIdx.x == 0) memory.sizes[1] = 0;
      done.cut = done.steps > most;
      if (done.cut) break;
      if (marks) continue;
    }
    if (high >= beyond) break;
    low = high;
    high = sum<T>(low, width);
    high = min(max(high, low + 1), beyond);
    const bool any = mark(n, low, high, memory);
    marks = __syncthreads_or(any);  // the bucket is marked
    if (marks) continue;
    // The bucket is empty: the next one begins where there is a vertex.
    lower<true>(memory.nearest, nearestFrom(n, high, memory));
    __syncthreads();  // the nearest vertex is known
    high = *memory.nearest;
    __syncthreads();  // all have read it
    if (threadIdx.x == 0) *memory.nearest = ~Bits<T>{0};
    if (high >= beyond) break;
  }
  __syncthreads();  // the distances may be read, and the memory used again
  return done;
}

}  // namespace engine::relaxation
