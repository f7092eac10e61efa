// Distances from one vertex to all others: what a block of threads does in the filtered solver.
//
// The kept arcs of a vertex fill chunks of kChunk. A chunk is what a few threads relax at once, so
// a vertex with many arcs keeps no one waiting. Distances are in shared memory, because arcs lead
// to random vertices, and no other memory is as fast at random accesses. If they do not fit there,
// and if a bound proves that 16 bits hold them, they are stored in 16 bits. Otherwise they are in
// global memory, which is several times slower.
//
//        distances, n words    marks, later: a bit a vertex       lists
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
// is too large. It then calls atomicMin or marks a vertex without need, and the result is the same.
// No smaller distance is lost, because atomicMin keeps the minimum. Whoever stores the least value
// also sets a bit of the vertex: in `marks` if it is below `high`, else in `later`, where mark()
// finds it when its bucket comes. These accesses are relaxed atomic operations in the language of
// the memory model. A barrier ends each phase.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "apsp.h"
#include "device/cuda.h"
#include "filtered/prospect.h"

namespace relaxation {

/// A weight or distance as the matrix stores it. Words of floats that are not negative have the
/// order of the floats.
using Word = std::uint32_t;

/// "No path". kInfinity + kInfinity does not wrap.
template <class T>
constexpr Word kInfinity = std::is_same_v<T, float> ? Word{0x7f800000} : Word{kInf};

/// Rows of a matrix of n columns in device memory: all of them, or a band of them.
struct Rows {
  Word* words;         ///< row `first`
  std::size_t stride;  ///< words from a row to the next
  int first, count;
  __host__ __device__ Word* row(int u) const {
    return words + static_cast<std::size_t>(u - first) * stride;
  }
  __device__ bool has(int u) const { return u >= first && u < first + count; }
};

/// The word of the sum of two numbers of type T, int or float.
template <class T>
__device__ __forceinline__ Word sum(Word a, Word b) {
  if constexpr (std::is_same_v<T, float>)
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
  else
    return a + b;
}

/// whole / parts, but at least the smallest number above 0.
template <class T>
__device__ __forceinline__ Word part(Word whole, int parts) {
  if constexpr (std::is_same_v<T, float>)
    return max(__float_as_uint(__uint_as_float(whole) / static_cast<float>(parts)), Word{1});
  else
    return max(whole / parts, Word{1});
}

/// An arc holds its head and its weight. A NarrowArc has 16 bits for each.
using NarrowArc = std::uint32_t;
using WideArc = unsigned long long;
constexpr Word kTooWide = 0xffff;  ///< the first weight or distance that no NarrowArc holds

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
template <class Arc>
__host__ __device__ constexpr Arc makeArc(Word head, Word weight) {
  return static_cast<Arc>(weight) << 4 * sizeof(Arc) | head;
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
  const Arc* arcs;       ///< (chunks, kChunk)
  const Chunks* chunks;  ///< (n)
  const Word* least;     ///< (chunks): if arcs are sorted, the least weight of each chunk, or null
};

/// A chunk to relax: d is the distance of its vertex.
struct Item {
  Word chunk, d;
};

/// A vertex whose distances to all others are known, in row `vertex` of a matrix, and the weight of
/// an arc to it.
struct Known {
  Word vertex, weight;
};
constexpr int kKnownMost = 4;

/// The memory of settle(). All but distances that are far is shared memory, placed in `bytes`.
template <SettlePlace kPlace>
struct SettleMemory {
  using Stored = std::conditional_t<kPlace == SettlePlace::kShort, std::uint16_t, Word>;
  static constexpr bool kShared = kPlace != SettlePlace::kFar;
  static constexpr int kListed =
      kPlace == SettlePlace::kShort ? 512 : 640;  ///< vertices of a phase
  static constexpr int kListedChunks =
      kPlace == SettlePlace::kShort ? 640 : 1024;  ///< and its chunks

  Stored* distances;  ///< (n); in shared memory there is room for whole 128s
  Word* marks;        ///< (⌈n / 128⌉, 4): a bit a vertex: look at it in the next phase
  Word* later;        ///< likewise: look at it when its bucket comes
  Item* items;        ///< (kListedChunks)
  Word* vertices;     ///< (kListed)
  int* sizes;         ///< of `vertices` and of `items`
  Word* nearest;      ///< the least distance that is not below `high`

  /// far: where the distances are if they are far.
  __device__ SettleMemory(int n, char* bytes, Word* far)
      : distances(kShared ? reinterpret_cast<Stored*>(bytes) : reinterpret_cast<Stored*>(far)),
        marks(reinterpret_cast<Word*>(bytes + sharedDistances(n))),
        later(marks + padded(n) / 32),
        items(reinterpret_cast<Item*>(later + padded(n) / 32)),
        vertices(reinterpret_cast<Word*>(items + kListedChunks)),
        sizes(reinterpret_cast<int*>(vertices + kListed)),
        nearest(reinterpret_cast<Word*>(sizes + 2)) {}
  /// (kKnownMost), before the first item is written
  __device__ Known* known() const { return reinterpret_cast<Known*>(items); }
  /// The distance of a vertex, or of any vertex behind the last one.
  __device__ Word distance(int v, int n) const { return distances[kShared ? v : min(v, n - 1)]; }
  __host__ __device__ static constexpr int padded(int n) { return ceilDiv(n, 128) * 128; }
  /// Bytes of shared memory.
  static constexpr std::size_t bytes(int n) {
    return sharedDistances(n) + sizeof(Word) * (padded(n) / 16 + kListed + 4) +
           sizeof(Item) * kListedChunks;
  }

 private:
  __host__ __device__ static constexpr std::size_t sharedDistances(int n) {
    return kShared ? sizeof(Stored) * padded(n) : 0;
  }
};

/// Makes a distance `value` if it is larger. Other threads do the same.
__device__ __forceinline__ void lower(Word* distance, Word value) {
  atomicMin(distance, value);
}
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

/// Sets the bit of v in `bits`, which others change, too.
__device__ __forceinline__ void setBit(Word* bits, Word v) {
  atomicOr(&bits[v / 32], 1u << v % 32);
}

/// What a settle() did.
struct Settled {
  Word looks = 0;  ///< at vertices
  Word steps = 0;  ///< the cost: a relaxed chunk is a step; a phase counts at least kLeastSteps for
                   ///< each warp
  bool cut = false;  ///< it stopped because there were too many steps
};
constexpr int kLeastSteps = 8;  ///< chunks that a warp relaxes in the time of a phase's barriers

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
__device__ __forceinline__ Word relaxedLoad(const Stored* word) {
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
__device__ __forceinline__ bool expand(int listed, Word beyond, const ArcLists<Arc>& lists,
                                       const Memory& memory) {
  bool left = false;
  for (int first = firstOfWarp(); first < listed; first += blockDim.x) {
    const int i = first + threadIdx.x % 32;
    const Word u = i < listed ? memory.vertices[i] : 0;
    const Chunks chunks = i < listed ? lists.chunks[u] : Chunks{0};
    const Word d = memory.distances[u];
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
__device__ __forceinline__ bool relax(int items, const Arc* arcs, Word high, const Memory& memory) {
  constexpr int kEach = kChunk / kChunkLanes;  // arcs of a thread
  constexpr int kAtOnce = 2;                   // items
  struct alignas(kEach * sizeof(Arc)) Part {
    Arc arcs[kEach];
  };
  const int groups = blockDim.x / kChunkLanes, within = threadIdx.x % kChunkLanes;
  int first = threadIdx.x / kChunkLanes;
  Part ahead[kAtOnce];
  Word from[kAtOnce];
  const auto load = [&] {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int i = min(first + k * groups, items - 1);  // the last one perhaps twice
      const Item item = memory.items[i];
      const std::size_t at = static_cast<std::size_t>(item.chunk) * kChunkLanes + within;
      ahead[k] = reinterpret_cast<const Part*>(arcs)[at];
      from[k] = item.d;
    }
  };
  Word least = ~Word{0};  // distance that this thread wrote
  if (first < items) load();
  while (first < items) {
    Part part[kAtOnce];
    Word through[kAtOnce][kEach], present[kAtOnce][kEach];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      part[k] = ahead[k];
#pragma unroll
      for (int e = 0; e < kEach; ++e) through[k][e] = from[k];
    }
    first += kAtOnce * groups;
    if (first < items) load();
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
      for (int e = 0; e < kEach; ++e) {
        through[k][e] = sum<T>(through[k][e], weightOf(part[k].arcs[e]));
        present[k][e] = relaxedLoad(&memory.distances[headOf(part[k].arcs[e])]);
      }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
      for (int e = 0; e < kEach; ++e) {
        if (through[k][e] >= present[k][e]) continue;
        const Word v = headOf(part[k].arcs[e]);
        lower(&memory.distances[v], through[k][e]);
        setBit(through[k][e] < high ? memory.marks : memory.later, v);
        least = min(least, through[k][e]);
      }
  }
  return least < high;
}

/// Marks the vertices with low ≤ d < high that wait for their bucket. Returns whether this warp
/// marked one.
template <class Memory>
__device__ __forceinline__ bool mark(int n, Word low, Word high, const Memory& memory) {
  const int lane = threadIdx.x % 32;
  bool any = false;
  for (int at = threadIdx.x / 32; at < Memory::padded(n) / 128; at += blockDim.x / 32) {
    const uint4 four = reinterpret_cast<const uint4*>(memory.later)[at];
    if ((four.x | four.y | four.z | four.w) == 0) continue;
    const Word later[4] = {four.x, four.y, four.z, four.w};
    Word mine = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Word d = memory.distance(128 * at + 32 * i + lane, n);
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
__device__ __forceinline__ Word nearestFrom(int n, Word high, const Memory& memory) {
  Word nearest = ~Word{0};
  for (int v = threadIdx.x; v < Memory::padded(n); v += blockDim.x) {
    const bool waits = memory.later[v / 32] & 1u << v % 32;
    if (waits && memory.distances[v] >= high) nearest = min(nearest, memory.distances[v]);
  }
  return nearest;
}

/// Sets the first value of each distance. It is the length of the shortest walk that begins with an
/// arc of memory.known(), of which there are `count`; it is `farthest` + 1 if there is none below.
/// Returns a bound on all distances, which is at most `farthest`. All threads have
/// passed a barrier when it returns, and may read the distances.
template <class T, class Memory>
__device__ __forceinline__ Word begin(int n, Word farthest, int count, const Rows& rows,
                                      const Memory& memory) {
  const Word beyond = min(farthest + 1, kInfinity<T>);
  Word longest = 0;
  for (int v = threadIdx.x; v < n; v += blockDim.x) {
    Word d = beyond;
#pragma unroll
    for (int k = 0; k < kKnownMost; ++k) {
      if (k >= count) continue;
      const Known by = memory.known()[k];
      d = min(d, sum<T>(by.weight, __ldcg(&rows.row(by.vertex)[v])));
    }
    longest = max(longest, d);
    memory.distances[v] = static_cast<typename Memory::Stored>(d);
  }
  for (int step = 16; step > 0; step /= 2)
    longest = max(longest, __shfl_xor_sync(~0u, longest, step));
  if (threadIdx.x % 32 == 0) memory.vertices[threadIdx.x / 32] = longest;
  __syncthreads();  // the distances are there, and the longest one of each warp
  for (int warp = 0; warp < static_cast<int>(blockDim.x / 32); ++warp)
    longest = max(longest, memory.vertices[warp]);
  return min(farthest, longest);
}

/// Writes the distances from `source` to memory.distances, where begin() has written what is known.
/// Those above `farthest` are left as they are. width: of a bucket, a word above 0; most: steps,
/// then it is cut off. Call it from all threads of a block of whole warps; a barrier is its last
/// step.
template <class T, class Arc, class Memory>
__device__ __forceinline__ Settled settle(int n, int source, Word width, Word farthest, Word most,
                                          const ArcLists<Arc>& lists, const Memory& memory) {
  const Word beyond = min(farthest + 1, kInfinity<T>);
  const int padded = Memory::padded(n);
  for (int i = threadIdx.x; i < padded / 16; i += blockDim.x) memory.marks[i] = 0;
  __syncthreads();  // nothing is marked, also in `later`, which follows
  if (threadIdx.x == 0) {
    memory.distances[source] = 0;
    memory.marks[source / 32] = 1u << source % 32;
    memory.sizes[0] = memory.sizes[1] = 0;
    *memory.nearest = ~Word{0};
  }
  __syncthreads();  // the source is marked
  Word low = 0, high = min(width, beyond);
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
      more |= relax<T>(items, lists.arcs, high, memory);
      done.looks += listed;
      done.steps += max(items, kLeastSteps * static_cast<int>(blockDim.x / 32));
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
    atomicMin(memory.nearest, nearestFrom(n, high, memory));
    __syncthreads();  // the nearest vertex is known
    high = *memory.nearest;
    __syncthreads();  // all have read it
    if (threadIdx.x == 0) *memory.nearest = ~Word{0};
    if (high >= beyond) break;
  }
  __syncthreads();  // the distances may be read, and the memory used again
  return done;
}

}  // namespace relaxation
