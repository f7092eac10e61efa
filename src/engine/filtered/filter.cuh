// Which edges of a dense graph can be on a shortest path, on the GPU.
//
// filter_cpu.cpp explains why leaving out an edge that is longer than some walk between its ends
// changes no distance, and docs/performance.md has a drawing. These are the steps, one kernel each:
//
//     findDetours      some edges: are they longer than detours by another vertex?
//     chooseThreshold  which weights are light?
//     collectLight     the edges up to the threshold                 reads the matrix
//     padLight         their lists in whole chunks
//     settleHubs       distances to and from kHubs vertices over light edges
//     mendHubs         the same with one heavier edge, for vertices that
//                      light edges do not connect with a hub         may read the matrix
//     findReach        the largest of these distances
//     filterRows       the edges that are no longer than a walk by a hub   reads the matrix
//
// The host waits for the first and for the last one. If another finds out that filtering does not
// pay, it sets Survey::vain, and those after it do nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "base/size.h"
#include "device/cuda.h"
#include "filtered/settle.cuh"

namespace engine::relaxation {

constexpr int kHubs = 16;
constexpr int kLightMost = 64;  ///< light edges of a vertex that are looked at, in each direction
constexpr int kAhead = 8;       ///< words of a row that a thread loads at a time
/// Of a block of filterRows(). With every type, its shared memory is less than 48 KiB.
template <class T>
constexpr int kFilterWarps = 32 / sizeof(T);

/// What findDetours() tells the host, in memory of the host.
struct Detours {
  int edges;     ///< that were found, of kSampledEdges
  int longer;    ///< of these: than a detour by one vertex or two
  int bothWays;  ///< of these: there is an edge back
  int ready;     ///< 1 when the others are written
};

/// What is found out about a graph, in device memory.
template <class T>
struct Survey {
  Bits<T> threshold;         ///< edges up to this weight are light
  Bits<T> toReach[kHubs];    ///< the largest distance to each hub
  Bits<T> fromReach[kHubs];  ///< and from it
  Word kept, chunks;         ///< edges; chunks that they fill
  Word vain;                 ///< not 0: filtering does not pay
  Word fits16;               ///< not 0: no distance takes more than 16 bits
  Word settled;              ///< sources
  unsigned long long looks;  ///< at vertices, by all sources
  unsigned long long steps;  ///< of all sources, see Settled
  Word fits32;               ///< of whole numbers of 64 bits: not 0: int32 holds all distances
};

/// A fixed random number below n. A graph made to fool it costs only time.
__device__ __forceinline__ int randomBelow(int n, Word i) {
  i ^= i >> 16;
  i *= 0x7feb352d;
  i ^= i >> 15;
  i *= 0x846ca68b;
  i ^= i >> 16;
  return static_cast<int>(static_cast<std::uint64_t>(i) * n >> 32);
}

constexpr int kSampleThreads = 1024;
constexpr int kSampledEdges = 64, kStops = kSampleThreads / kSampledEdges;
constexpr int kSamplesEach = 4, kSampledWeights = kSamplesEach * kSampleThreads;
constexpr Word kStopsFrom = 1 << 16, kWeightsFrom = 1 << 17;  ///< numbers for randomBelow()

/// The word at place `wanted`, from 1, among the samples of all threads in ascending order: digit
/// by digit, by counting.
template <class Number>
__device__ __forceinline__ Number select(const Number (&samples)[kSamplesEach], int wanted) {
  constexpr int kTop = 8 * sizeof(Number) - 8;
  __shared__ int bins[256];
  __shared__ int found[2];  // the digit, and the place among the words with this digit
  Number prefix = 0;
  for (int shift = kTop; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();  // the bins are empty
    for (const Number word : samples)
      if (shift == kTop || word >> (shift + 8) == prefix) atomicAdd(&bins[word >> shift & 255], 1);
    __syncthreads();  // the bins are counted
    if (threadIdx.x < 32) {
      int own = 0;
      for (int i = 0; i < 8; ++i) own += bins[8 * threadIdx.x + i];
      int before = own;
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(~0u, before, step);
        if (static_cast<int>(threadIdx.x) >= step) before += other;
      }
      before -= own;
      for (int i = 0; i < 8; ++i) {
        const int digit = 8 * threadIdx.x + i, here = bins[digit];
        if (before < wanted && wanted <= before + here) {
          found[0] = digit;
          found[1] = wanted - before;
        }
        before += here;
      }
    }
    __syncthreads();  // the digit is found
    prefix = prefix << 8 | found[0];
    wanted = found[1];
  }
  return prefix;
}

/// One block of kSampleThreads. kStops of them look for an edge, and then for detours of it.
template <class T>
__global__ void __launch_bounds__(kSampleThreads) findDetours(int n, Rows<T> rows, Detours* host) {
  static_assert(kStops == 16, "half a warp");
  const auto at = [&](int i, int j) { return i == j ? kNoPath<T> : rows.row(i)[j]; };
  constexpr int kEach = 6;  // stops of a thread
  int u = rows.first + randomBelow(rows.count, 2 * threadIdx.x);
  int v = randomBelow(n, 2 * threadIdx.x + 1);
  Bits<T> direct = at(u, v);
  // The first edge that one of the threads has found is the edge of all.
  const int half = static_cast<int>(threadIdx.x & kStops);
  const Word found = __ballot_sync(~0u, direct < kNoPath<T>) >> half & 0xffff;
  const int from = half + (found != 0 ? __ffs(static_cast<int>(found)) - 1 : 0);
  u = __shfl_sync(~0u, u, from);
  v = __shfl_sync(~0u, v, from);
  direct = __shfl_sync(~0u, direct, from);
  int stops[kEach];
  Bits<T> to[kEach], onward[kEach], detour = kNoPath<T>;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    stops[i] = rows.first + randomBelow(rows.count, kStopsFrom + kEach * threadIdx.x + i);
    to[i] = at(u, stops[i]);
    onward[i] = at(stops[i], v);
    detour = min(detour, sum<T>(to[i], onward[i]));
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      detour = min(detour, sum<T>(min(sum<T>(to[i], at(stops[i], stops[j])), kNoPath<T>),
                                  onward[j]));
  for (int step = kStops / 2; step > 0; step /= 2)
    detour = min(detour, __shfl_xor_sync(~0u, detour, step));
  const bool counts = threadIdx.x % kStops == 0 && direct < kNoPath<T>;
  const bool back = counts && (!rows.has(v) || at(v, u) < kNoPath<T>);
  const int edges = __syncthreads_count(counts);
  const int longer = __syncthreads_count(counts && detour < direct);
  const int bothWays = __syncthreads_count(back);
  if (threadIdx.x != 0) return;
  host->edges = edges;
  host->longer = longer;
  host->bothWays = bothWays;
  __threadfence_system();  // the host sees `ready` after what it announces
  *const_cast<volatile int*>(&host->ready) = 1;
}

/// One block of kSampleThreads. light: the share of edges that should be light. most: if more of
/// kSampledWeights are at or below the threshold, because many are equal, filtering is in vain.
template <class T>
__global__ void __launch_bounds__(kSampleThreads)
    chooseThreshold(int n, Rows<T> rows, float light, int most, Survey<T>* survey) {
  Bits<T> samples[kSamplesEach];
  for (int i = 0; i < kSamplesEach; ++i) {
    const Word k = kWeightsFrom + 2 * (kSamplesEach * threadIdx.x + i);
    const int u = rows.first + randomBelow(rows.count, k), v = randomBelow(n, k + 1);
    samples[i] = u == v ? kNoPath<T> : rows.row(u)[v];
  }
  const Bits<T> wanted = select(samples, max(1, static_cast<int>(light * kSampledWeights)));
  const Bits<T> threshold = min(wanted, kNoPath<T> - 1);
  int lighter = 0;
  for (const Bits<T> word : samples) lighter += __syncthreads_count(word <= threshold);
  if (threadIdx.x != 0) return;
  survey->threshold = threshold;
  survey->vain = lighter > most;
}

/// Lists of light edges: leaving each vertex, and entering it.
template <class T>
struct LightEdges {
  ArcsAt<WholeArc<T>> arcs[2];  ///< (n, kLightMost)
  int* counts[2];               ///< (n): edges, which may be more than kLightMost
  Chunks* chunks[2];            ///< (n)
};

/// Loads the weights of u's edges to first + 32 i + lane. row: (n), that of u.
template <class T>
__device__ __forceinline__ void loadAhead(int n, int u, int first, const Bits<T>* row,
                                          Bits<T> (&weights)[kAhead]) {
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    const int v = first + 32 * i + static_cast<int>(threadIdx.x % 32);
    weights[i] = v < n && v != u ? row[v] : kNoPath<T>;
  }
}

/// Puts the arc (u → v) into the list of those that enter v, if there is room.
template <class T>
__device__ __forceinline__ void enter(const LightEdges<T>& light, int u, int v, Bits<T> weight) {
  const int entry = atomicAdd(&light.counts[1][v], 1);
  if (entry < kLightMost)
    storeArc(light.arcs[1], asSize(v) * kLightMost + entry, makeArc<WholeArc<T>>(u, weight));
}

/// A warp takes a row. light.counts: zero at the start.
template <class T>
__global__ void collectLight(int n, Rows<T> rows, const Survey<T>* survey, LightEdges<T> light) {
  if (survey->vain) return;
  const Bits<T> threshold = survey->threshold;
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int i = blockIdx.x * warps + threadIdx.x / 32; i < rows.count; i += gridDim.x * warps) {
    const int u = rows.first + i;
    const Bits<T>* const row = rows.row(u);
    int found = 0;
    for (int first = 0; first < n; first += 32 * kAhead) {
      Bits<T> weights[kAhead];
      loadAhead<T>(n, u, first, row, weights);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const bool isLight = weights[i] <= threshold;
        const Word mask = __ballot_sync(~0u, isLight);
        if (isLight) {
          const int v = first + 32 * i + lane;
          const int place = found + __popc(mask & ((1u << lane) - 1));
          if (place < kLightMost)
            storeArc(light.arcs[0], asSize(u) * kLightMost + place,
                     makeArc<WholeArc<T>>(v, weights[i]));
          enter(light, u, v, weights[i]);
        }
        found += __popc(mask);
      }
    }
    if (lane == 0) light.counts[0][u] = found;
  }
}

/// Enters the edges that other ranks collected. A thread takes a place of a list.
template <class T>
__global__ void enterOthers(int n, Rows<T> rows, const Survey<T>* survey, LightEdges<T> light) {
  const std::size_t at = asSize(blockIdx.x) * blockDim.x + threadIdx.x;
  const int u = static_cast<int>(at / kLightMost), place = static_cast<int>(at % kLightMost);
  if (survey->vain || u >= n || rows.has(u) || place >= light.counts[0][u]) return;
  const WholeArc<T> arc = loadArc(light.arcs[0], at);
  enter(light, u, headOf(arc), weightOf(arc));
}

/// A thread takes a vertex and, by blockIdx.y, a direction.
template <class T>
__global__ void padLight(int n, LightEdges<T> light) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x, side = blockIdx.y;
  if (v >= n) return;
  const int count = min(light.counts[side][v], kLightMost), chunks = ceilDiv(count, kChunk);
  light.chunks[side][v] = Chunks::of(v * (kLightMost / kChunk), chunks);
  for (int i = count; i < chunks * kChunk; ++i)
    storeArc(light.arcs[side], asSize(v) * kLightMost + i, makeArc<WholeArc<T>>(0, kNoPath<T>));
}

/// For each vertex, the length of a walk to each hub in sides[0], and from each hub in sides[1].
/// Both are (n, kHubs).
template <class T>
struct HubDistances {
  Bits<T>* sides[2];
};
/// Distances to neighbouring hubs: 16 bytes, which a thread loads at once.
template <class T>
struct alignas(16) SomeHubs {
  static constexpr int kCount = 16 / sizeof(T);
  Bits<T> d[kCount];
};

constexpr int kSettleThreads = 1024;
/// With 32 bits, so many threads have registers enough. 0 leaves the compiler unbound.
template <class T>
constexpr int kSettleBound = sizeof(T) == sizeof(LongWord) ? kSettleThreads : 0;

/// A block takes a hub and, by blockIdx.y, a direction. most: steps; if more are needed, filtering
/// is in vain. found, copy: the same is written to both. far: (2, kHubs, n), if they are in global
/// memory.
template <class T, SettlePlace kPlace>
__global__ void __launch_bounds__(kSettleBound<T>)
    settleHubs(int n, LightEdges<T> light, Word most, Survey<T>* survey, HubDistances<T> found,
               HubDistances<T> copy, Bits<T>* far) {
  extern __shared__ __align__(16) char bytes[];
  const SettleMemory<T, kPlace> memory(n, bytes, far + asSize(blockIdx.y * kHubs + blockIdx.x) * n);
  if (__syncthreads_or(threadIdx.x == 0 && relaxedLoad(&survey->vain))) return;
  const int h = blockIdx.x, side = blockIdx.y;
  // The first vertex from n h / kHubs on that light edges leave and enter.
  int hub = static_cast<int>(static_cast<std::int64_t>(h) * n / kHubs);
  for (int i = n; i > 1 && (light.counts[0][hub] == 0 || light.counts[1][hub] == 0); --i)
    hub = hub + 1 < n ? hub + 1 : 0;
  const ArcLists<WholeArc<T>> lists{light.arcs[1 - side], light.chunks[1 - side], nullptr};
  const Bits<T> width = part<T>(survey->threshold, 4);  // few vertices are looked at twice
  const Bits<T> farthest = begin<T>(n, kNoPath<T> - 1, 0, Rows<T>{}, memory);
  const Settled done = settle<T>(n, hub, width, farthest, most, lists, memory);
  for (int v = threadIdx.x; v < n; v += blockDim.x) {
    const std::size_t at = asSize(v) * kHubs + h;
    found.sides[side][at] = copy.sides[side][at] = memory.distances[v];
  }
  if (done.cut && threadIdx.x == 0) atomicExch(&survey->vain, 1u);
}

constexpr int kMendTile = 32;  ///< vertices of a block of mendHubs(), and others at a time
/// Of such a block. With every type, their tiles take the same shared memory.
template <class T>
constexpr int kMendWarps = 32 / sizeof(T);
constexpr int kMendParts = 8;  ///< blocks that share the others
constexpr int kMendShare =
    2;  ///< of so many others, one is looked at: a bound need not be the best

/// Gives vertices that light edges do not connect with a hub walks with one heavier edge. A thread
/// takes a vertex of kMendTile. blockIdx.x: these vertices; y: a part of the others; z: direction.
/// old, found: the same at the start. Of a band of rows, only the edges there are looked at.
template <class T>
__global__ void __launch_bounds__(32 * kMendWarps<T>)
    mendHubs(int n, Rows<T> rows, const Survey<T>* survey, HubDistances<T> old,
             HubDistances<T> found) {
  __shared__ Bits<T> tiles[kMendWarps<T>][kMendTile][kMendTile + 1];
  if (survey->vain) return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, side = blockIdx.z;
  const int u0 = blockIdx.x * kMendTile, u = min(u0 + lane, n - 1);
  const Bits<T>* const walks = old.sides[side];
  const std::size_t mine = asSize(u) * kHubs;
  const auto weight = [&](int i, int j) { return rows.has(i) ? rows.row(i)[j] : kNoPath<T>; };
  bool missed = false;
  for (int h = 0; h < kHubs; ++h) missed |= walks[mine + h] == kNoPath<T>;
  if (!__any_sync(~0u, missed)) return;
  Bits<T> best[kHubs];
#pragma unroll
  for (int h = 0; h < kHubs; ++h) best[h] = kNoPath<T>;
  for (int v0 = (blockIdx.y * kMendWarps<T> + warp) * kMendTile; v0 < n;
       v0 += kMendShare * kMendParts * kMendWarps<T> * kMendTile) {
    const int count = min(kMendTile, n - v0);
    Bits<T> weights[kMendTile];  // of the edges between u and each v of the tile
    if (side == 0) {             // a row of u: transposed by way of shared memory
#pragma unroll
      for (int r = 0; r < kMendTile; ++r)
        tiles[warp][r][lane] = lane < count ? weight(min(u0 + r, n - 1), v0 + lane) : kNoPath<T>;
      __syncwarp();  // the tile is there
#pragma unroll
      for (int r = 0; r < kMendTile; ++r) weights[r] = tiles[warp][lane][r];
      __syncwarp();  // the tile may be overwritten
    } else {
#pragma unroll
      for (int r = 0; r < kMendTile; ++r) weights[r] = r < count ? weight(v0 + r, u) : kNoPath<T>;
    }
#pragma unroll
    for (int r = 0; r < kMendTile; ++r) {
      constexpr int kSome = SomeHubs<T>::kCount;
      const auto* const other =
          reinterpret_cast<const SomeHubs<T>*>(walks + asSize(min(v0 + r, n - 1)) * kHubs);
#pragma unroll
      for (int q = 0; q < kHubs / kSome; ++q) {
        const SomeHubs<T> some = other[q];
#pragma unroll
        for (int i = 0; i < kSome; ++i)
          best[kSome * q + i] = min(best[kSome * q + i], sum<T>(weights[r], some.d[i]));
      }
    }
  }
  if (u0 + lane >= n) return;
  for (int h = 0; h < kHubs; ++h)
    if (best[h] < walks[mine + h]) atomicMin(&found.sides[side][mine + h], best[h]);
}

/// mine = min(mine, theirs), of so many words.
template <class Number>
__global__ void takeLeast(std::size_t count, Number* mine, const Number* theirs) {
  const std::size_t stride = asSize(gridDim.x) * blockDim.x;
  for (std::size_t i = asSize(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    mine[i] = min(mine[i], theirs[i]);
}

/// survey->toReach, fromReach. A thread takes one hub: blocks of a multiple of kHubs threads.
template <class T>
__global__ void findReach(int n, HubDistances<T> found, Survey<T>* survey) {
  __shared__ Bits<T> reach[2][kHubs];
  if (survey->vain) return;
  if (threadIdx.x < 2 * kHubs) reach[threadIdx.x / kHubs][threadIdx.x % kHubs] = 0;
  __syncthreads();  // reach is zero
  const std::size_t total = asSize(n) * kHubs;
  for (int side = 0; side < 2; ++side) {
    Bits<T> most = 0;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < total;
         i += gridDim.x * blockDim.x)
      most = max(most, found.sides[side][i]);
    atomicMax(&reach[side][threadIdx.x % kHubs], most);
  }
  __syncthreads();  // reach has the block's
  if (threadIdx.x < kHubs) {
    atomicMax(&survey->toReach[threadIdx.x], reach[0][threadIdx.x]);
    atomicMax(&survey->fromReach[threadIdx.x], reach[1][threadIdx.x]);
  }
}

/// By what the bounds of type T are raised. Whole numbers are exact and leave it unused.
template <class T>
using Slack = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The bound that a walk by a hub sets. Sums of n reals are off by at most n ε of themselves, and
/// the bounds of reals are raised by twice that: no edge of a shortest path is left out.
template <class T>
__device__ __forceinline__ Bits<T> walk(Bits<T> to, Bits<T> from, Slack<T> slack) {
  const Bits<T> length = sum<T>(to, from);
  if constexpr (kIsReal<T>) return wordOf(realIn(length) * slack);
  return length;
}

/// Arcs that were found in a row: a warp's shared memory in filterRows(). The weight is in the
/// upper half of a WideArc, which puts them in the order of their weights.
template <class T>
struct RowMemory {
  WholeArc<T> kept[kKeptMost];
  WholeArc<T> candidates[2 * 32];
};

/// The edges that filtering keeps, for weights of type T.
template <class T, class Arc = WholeArc<T>>
struct Kept {
  ArcsAt<Arc> arcs;  ///< (places, kChunk), those of a vertex in ascending order of their weights
  WeightIn<Arc>* least;  ///< (places): the weight of the first arc of each
  Word end;              ///< the first chunk for which there is no memory
  Chunks* chunks;        ///< (n)
  Bits<T>* farthest;     ///< (n): no distance from this vertex is larger
};

/// The type of the distances that are computed along such arcs of a graph of type T.
template <class T, class Arc>
using SettledAs =
    std::conditional_t<std::is_same_v<Arc, WholeArc<T>> || sizeof(T) == sizeof(Word), T, int>;

/// Writes `count` arcs in ascending order of their weights to chunks: the rank of each is its
/// place.
template <class T, class Arc>
__device__ __forceinline__ void writeSorted(const WholeArc<T>* kept, int count, ArcsAt<Arc> to,
                                            WeightIn<Arc>* least) {
  const int lane = threadIdx.x % 32;
  for (int i = lane; i < count; i += 32) {
    const WholeArc<T> mine = kept[i];
    int rank = 0;
    for (int k = 0; k < count; ++k) rank += kept[k] < mine;
    storeArc(to, rank, makeArc<Arc>(headOf(mine), static_cast<WeightIn<Arc>>(weightOf(mine))));
    if (rank % kChunk == 0) least[rank / kChunk] = static_cast<WeightIn<Arc>>(weightOf(mine));
  }
  constexpr WeightIn<Arc> kBeyond = sizeof(Arc) == 4 ? kTooWide : kNoPath<SettledAs<T, Arc>>;
  for (int i = count + lane; i < ceilDiv(count, kChunk) * kChunk; i += 32)
    storeArc(to, i, makeArc<Arc>(0, kBeyond));
}

/// A warp takes a row. Keeps edges that are no longer than the walks by all hubs. near: there is
/// room for distances of 32 bits in shared memory. Arcs then become NarrowArcs if no distance takes
/// more than 16 bits, and WideArcs if none takes more than 32. isShort: there is room for 16 bits.
/// If `near` is false, arcs become WideArcs if that is enough. NarrowArcs are where the heads of
/// LongArcs would be, WideArcs where their weights would be.
template <class T>
__global__ void __launch_bounds__(32 * kFilterWarps<T>)
    filterRows(int n, Rows<T> rows, HubDistances<T> hubs, Slack<T> slack, bool near, bool isShort,
               Kept<T> to, Survey<T>* survey) {
  extern __shared__ __align__(16) char bytes[];
  if (__any_sync(~0u, relaxedLoad(&survey->vain))) return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  RowMemory<T>& memory = reinterpret_cast<RowMemory<T>*>(bytes)[warp];
  Bits<T> longest = kNoPath<T>;  // no distance is larger
  for (int h = 0; h < kHubs; ++h)
    longest = min(longest, walk<T>(survey->toReach[h], survey->fromReach[h], slack));
  const bool fits16 = !kIsReal<T> && longest < kTooWide;
  if (blockIdx.x == 0 && threadIdx.x == 0) survey->fits16 = fits16;
  bool isWord = false;  // LongArcs are not needed
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const bool fits32 = longest < kNoPath<int>;
    if (blockIdx.x == 0 && threadIdx.x == 0) survey->fits32 = fits32;
    isWord = near ? fits32 : isShort && fits16;
  }
  for (int i = blockIdx.x * kFilterWarps<T> + warp; i < rows.count;
       i += gridDim.x * kFilterWarps<T>) {
    const int u = rows.first + i;
    Bits<T> a[kHubs], farthest = kNoPath<T> - 1;
    for (int h = 0; h < kHubs; ++h) {
      a[h] = hubs.sides[0][asSize(u) * kHubs + h];
      farthest = min(farthest, walk<T>(a[h], survey->fromReach[h], slack));
    }
    int waiting = 0, count = 0;
    const auto test = [&](int candidates) {
      const WholeArc<T> arc = lane < candidates ? memory.candidates[lane] : WholeArc<T>{};
      bool matters = lane < candidates;
      if (matters) {
        constexpr int kSome = SomeHubs<T>::kCount;
        const auto* const b =
            reinterpret_cast<const SomeHubs<T>*>(hubs.sides[1] + asSize(headOf(arc)) * kHubs);
#pragma unroll
        for (int q = 0; q < kHubs / kSome; ++q) {
          const SomeHubs<T> some = b[q];
#pragma unroll
          for (int i = 0; i < kSome; ++i)
            matters &= weightOf(arc) <= walk<T>(a[kSome * q + i], some.d[i], slack);
        }
      }
      const Word mask = __ballot_sync(~0u, matters);
      const int place = count + __popc(mask & ((1u << lane) - 1));
      if (matters && place < kKeptMost) memory.kept[place] = arc;
      count += __popc(mask);
    };
    const Bits<T>* const row = rows.row(u);
    for (int first = 0; first < n; first += 32 * kAhead) {
      Bits<T> weights[kAhead];
      loadAhead<T>(n, u, first, row, weights);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const bool candidate = weights[i] <= farthest;
        const Word mask = __ballot_sync(~0u, candidate);
        if (mask == 0) continue;
        if (candidate)
          memory.candidates[waiting + __popc(mask & ((1u << lane) - 1))] =
              makeArc<WholeArc<T>>(first + 32 * i + lane, weights[i]);
        waiting += __popc(mask);
        __syncwarp();  // the candidates are there
        if (waiting < 32) continue;
        test(32);
        const WholeArc<T> moved = memory.candidates[32 + lane];
        __syncwarp();  // all have read the second half
        memory.candidates[lane] = moved;
        waiting -= 32;
        __syncwarp();  // it is the first half now
      }
    }
    test(waiting);
    __syncwarp();  // all kept arcs are there
    const Word chunks = ceilDiv(count, kChunk);
    Word place = 0;
    if (lane == 0) {
      atomicAdd(&survey->kept, count);
      place = atomicAdd(&survey->chunks, chunks);
      to.chunks[u] = Chunks::of(place, chunks);
      to.farthest[u] = farthest;
    }
    place = __shfl_sync(~0u, place, 0);
    if (count > kKeptMost || place + chunks > to.end) {
      if (lane == 0) atomicExch(&survey->vain, 1u);
    } else if constexpr (std::is_same_v<WholeArc<T>, LongArc>) {
      const std::size_t first = std::size_t{place} * kChunk;
      Word* const least = reinterpret_cast<Word*>(to.least) + place;  // unless arcs are LongArcs
      if (fits16 && near)
        writeSorted<T, NarrowArc>(memory.kept, count, to.arcs.heads + first, least);
      else if (isWord)
        writeSorted<T, WideArc>(memory.kept, count, to.arcs.weights + first, least);
      else
        writeSorted<T, LongArc>(memory.kept, count, to.arcs + first, to.least + place);
    } else if (fits16 && near) {
      writeSorted<T, NarrowArc>(memory.kept, count,
                                reinterpret_cast<NarrowArc*>(to.arcs) + std::size_t{place} * kChunk,
                                to.least + place);
    } else {
      writeSorted<T, WideArc>(memory.kept, count, to.arcs + std::size_t{place} * kChunk,
                              to.least + place);
    }
    __syncwarp();  // the memory may be used again
  }
}

/// Threads of a multiprocessor, all blocks together. Those that settle numbers of 64 bits have more
/// registers.
template <class Arc>
constexpr int kResidentThreads = std::is_same_v<Arc, LongArc> ? 1280 : 1536;
template <class Arc>
constexpr int kRelaxThreads = kResidentThreads<Arc> / 2;  ///< of a block at most
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kRelaxBlocks = 1;  ///< with as many threads: a multiprocessor of 7.5 has 1024
#else
constexpr int kRelaxBlocks = 2;
#endif

/// Writes the lightest arcs from the source to vertices with solved rows to memory.known(), and
/// returns their number. Only the first chunk is searched. solved: (n), set by other blocks.
template <class T, class Arc, class Memory>
__device__ __forceinline__ int findKnown(int source, WeightIn<Arc> farthest,
                                         const Kept<T, Arc>& kept, const Word* solved,
                                         const Memory& memory) {
  if (threadIdx.x < 32) {
    const Chunks chunks = kept.chunks[source];
    const int lane = threadIdx.x;
    bool isSolved = false;
    Known<SettledAs<T, Arc>> known{};
    if (lane < kChunk && chunks.count() > 0) {
      const Arc arc = loadArc(kept.arcs, asSize(chunks.first()) * kChunk + lane);
      known = {headOf(arc), weightOf(arc)};
      isSolved = known.weight <= farthest && relaxedLoad(&solved[known.vertex]);
    }
    __threadfence();  // the rows are read after this
    const Word mask = __ballot_sync(~0u, isSolved);
    const int place = __popc(mask & ((1u << lane) - 1));
    if (isSolved && place < kKnownMost) memory.known()[place] = known;
    if (lane == 0) memory.sizes[0] = min(__popc(mask), kKnownMost);
  }
  __syncthreads();  // the list is complete
  return memory.sizes[0];
}

constexpr Word kTellingSources = 64;

/// Whether the sources that are settled tell that all would take too long. A reader may see the
/// steps of a source that is not counted yet, which are few among those of kTellingSources.
template <class T>
__device__ __forceinline__ bool takesTooLong(const Survey<T>* survey, double mean) {
  const Word settled = relaxedLoad(&survey->settled);
  const auto steps = *const_cast<const volatile unsigned long long*>(&survey->steps);
  return settled >= kTellingSources && static_cast<double>(steps) > mean * settled;
}

/// A block takes a source and replaces its row of weights by distances. buckets: into which the
/// distances are divided; most: steps of a source, with more of them every block gives up; mean:
/// the most steps that sources may take on the average; solved: (n), zero at the start: not 0 where
/// a row has distances.
///
/// Distances in global memory are in the row itself. If the block then gives up, the row holds
/// neither its weights nor its distances. Still, none of its words is below the distance. The kept
/// arcs of the source were relaxed first, so no word is above one of their weights, but for arcs
/// above the bound on all distances, which are on no shortest path. Such a row does no harm to the
/// closure.
///
/// A block begins with the walks through neighbours whose rows are solved. If such a walk is a
/// shortest path to v, the block does not relax the arcs of v, because the neighbour's row includes
/// the paths through v. Rows of reals are not used: the sum of reals depends on the order of
/// addition, and this order would differ from run to run.
template <class T, class Arc, SettlePlace kPlace>
__global__ void __launch_bounds__(kRelaxThreads<Arc>, kRelaxBlocks)
    relaxSources(int n, Rows<T> rows, Kept<T, Arc> kept, int buckets, Word most, double mean,
                 Word* solved, Survey<T>* survey) {
  using Distance = SettledAs<T, Arc>;
  extern __shared__ __align__(16) char bytes[];
  const int source = rows.first + blockIdx.x;
  Bits<T>* const row = rows.row(source);
  Bits<Distance>* far = nullptr;
  if constexpr (kPlace == SettlePlace::kGlobal) far = row;
  const SettleMemory<Distance, kPlace> memory(n, bytes, far);
  if (threadIdx.x == 0 && takesTooLong(survey, mean)) atomicExch(&survey->vain, 1u);
  if (__syncthreads_or(threadIdx.x == 0 && relaxedLoad(&survey->vain))) return;
  const auto bound = static_cast<Bits<Distance>>(kept.farthest[source]);
  constexpr bool kReuses = !kIsReal<T>;
  const int known = kReuses ? findKnown(source, bound, kept, solved, memory) : 0;
  const Bits<Distance> farthest = begin<Distance>(n, bound, known, rows, memory);
  const Settled done =
      settle<Distance>(n, source, part<Distance>(farthest, buckets), farthest, most,
                       ArcLists<Arc>{kept.arcs, kept.chunks, kept.least}, memory);
  if (done.cut) {
    if (threadIdx.x == 0) atomicExch(&survey->vain, 1u);
    return;
  }
  if constexpr (kPlace != SettlePlace::kGlobal)
    for (int v = threadIdx.x; v < n; v += blockDim.x) row[v] = memory.distances[v];
  if (threadIdx.x == 0) {
    atomicAdd(&survey->looks, static_cast<unsigned long long>(done.looks));
    atomicAdd(&survey->steps, static_cast<unsigned long long>(done.steps));
    atomicAdd(&survey->settled, 1u);
  }
  __syncthreads();  // the row is written
  if (threadIdx.x != 0) return;
  __threadfence();  // whoever sees that it is solved sees its distances
  atomicExch(&solved[source], 1u);
}

}  // namespace engine::relaxation
