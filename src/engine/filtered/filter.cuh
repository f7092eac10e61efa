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

#include "device/cuda.h"
#include "filtered/settle.cuh"

namespace relaxation {

constexpr int kHubs = 16;
constexpr int kLightMost = 64;   ///< light edges of a vertex that are looked at, in each direction
constexpr int kFilterWarps = 8;  ///< of a block of filterRows()
constexpr int kAhead = 8;        ///< words of a row that a thread loads at a time

/// What findDetours() tells the host, in memory of the host.
struct Detours {
  int edges;   ///< that exist, of kSampledEdges
  int longer;  ///< of these: than a detour by one vertex
  int ready;   ///< 1 when the others are written
};

/// What is found out about a graph, in device memory.
struct Survey {
  Word threshold;            ///< edges up to this weight are light
  Word toReach[kHubs];       ///< the largest distance to each hub
  Word fromReach[kHubs];     ///< and from it
  Word kept, chunks;         ///< edges; chunks that they fill
  Word vain;                 ///< not 0: filtering does not pay
  Word narrow;               ///< not 0: no distance takes more than 16 bits
  unsigned long long looks;  ///< at vertices, by all sources
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
__device__ __forceinline__ Word select(const Word (&samples)[kSamplesEach], int wanted) {
  __shared__ int bins[256];
  __shared__ int found[2];  // the digit, and the place among the words with this digit
  Word prefix = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();  // the bins are empty
    for (const Word word : samples)
      if (shift == 24 || word >> (shift + 8) == prefix) atomicAdd(&bins[word >> shift & 255], 1);
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

/// One block of kSampleThreads, of which kStops look for detours of the same edge.
template <class T>
__global__ void __launch_bounds__(kSampleThreads) findDetours(int n, Rows rows, Detours* host) {
  const auto at = [&](int i, int j) { return rows.row(i)[j]; };
  constexpr int kEach = 4;  // stops of a thread
  const int edge = threadIdx.x / kStops;
  const int u = rows.first + randomBelow(rows.count, 2 * edge), v = randomBelow(n, 2 * edge + 1);
  const Word direct = u == v ? kInfinity<T> : at(u, v);
  Word detour = kInfinity<T>;
  for (int i = 0; i < kEach; ++i) {
    const int stop = rows.first + randomBelow(rows.count, kStopsFrom + kEach * threadIdx.x + i);
    if (stop != u && stop != v) detour = min(detour, sum<T>(at(u, stop), at(stop, v)));
  }
  for (int step = kStops / 2; step > 0; step /= 2)
    detour = min(detour, __shfl_xor_sync(~0u, detour, step));
  const bool counts = threadIdx.x % kStops == 0 && direct < kInfinity<T>;
  const int edges = __syncthreads_count(counts);
  const int longer = __syncthreads_count(counts && detour < direct);
  if (threadIdx.x != 0) return;
  host->edges = edges;
  host->longer = longer;
  __threadfence_system();  // the host sees `ready` after what it announces
  *const_cast<volatile int*>(&host->ready) = 1;
}

/// One block of kSampleThreads. light: the share of edges that should be; most: of
/// kSampledWeights; if more are as light, because many are equal, it is in vain.
template <class T>
__global__ void __launch_bounds__(kSampleThreads)
    chooseThreshold(int n, Rows rows, float light, int most, Survey* survey) {
  Word samples[kSamplesEach];
  for (int i = 0; i < kSamplesEach; ++i) {
    const Word k = kWeightsFrom + 2 * (kSamplesEach * threadIdx.x + i);
    const int u = rows.first + randomBelow(rows.count, k), v = randomBelow(n, k + 1);
    samples[i] = u == v ? kInfinity<T> : rows.row(u)[v];
  }
  const Word wanted = select(samples, max(1, static_cast<int>(light * kSampledWeights)));
  const Word threshold = min(wanted, kInfinity<T> - 1);
  int lighter = 0;
  for (const Word word : samples) lighter += __syncthreads_count(word <= threshold);
  if (threadIdx.x != 0) return;
  survey->threshold = threshold;
  survey->vain = lighter > most;
}

/// Lists of light edges: leaving each vertex, and entering it.
struct LightEdges {
  WideArc* arcs[2];   ///< (n, kLightMost)
  int* counts[2];     ///< (n): edges, which may be more than kLightMost
  Chunks* chunks[2];  ///< (n)
};

/// Loads the weights of u's edges to first + 32 i + lane. row: (n), that of u.
template <class T>
__device__ __forceinline__ void loadAhead(int n, int u, int first, const Word* row,
                                          Word (&weights)[kAhead]) {
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    const int v = first + 32 * i + static_cast<int>(threadIdx.x % 32);
    weights[i] = v < n && v != u ? row[v] : kInfinity<T>;
  }
}

/// Puts the arc (u → v) into the list of those that enter v, if there is room.
__device__ __forceinline__ void enter(const LightEdges& light, int u, int v, Word weight) {
  const int entry = atomicAdd(&light.counts[1][v], 1);
  if (entry < kLightMost)
    light.arcs[1][static_cast<std::size_t>(v) * kLightMost + entry] = makeArc<WideArc>(u, weight);
}

/// A warp takes a row. light.counts: zero at the start.
template <class T>
__global__ void collectLight(int n, Rows rows, const Survey* survey, LightEdges light) {
  if (survey->vain) return;
  const Word threshold = survey->threshold;
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int i = blockIdx.x * warps + threadIdx.x / 32; i < rows.count; i += gridDim.x * warps) {
    const int u = rows.first + i;
    const Word* const row = rows.row(u);
    int found = 0;
    for (int first = 0; first < n; first += 32 * kAhead) {
      Word weights[kAhead];
      loadAhead<T>(n, u, first, row, weights);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const bool isLight = weights[i] <= threshold;
        const Word mask = __ballot_sync(~0u, isLight);
        if (isLight) {
          const int v = first + 32 * i + lane;
          const int place = found + __popc(mask & ((1u << lane) - 1));
          if (place < kLightMost)
            light.arcs[0][static_cast<std::size_t>(u) * kLightMost + place] =
                makeArc<WideArc>(v, weights[i]);
          enter(light, u, v, weights[i]);
        }
        found += __popc(mask);
      }
    }
    if (lane == 0) light.counts[0][u] = found;
  }
}

/// Enters the edges that other ranks collected. A thread takes a place of a list.
static __global__ void enterOthers(int n, Rows rows, const Survey* survey, LightEdges light) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int u = static_cast<int>(at / kLightMost), place = static_cast<int>(at % kLightMost);
  if (survey->vain || u >= n || rows.has(u) || place >= light.counts[0][u]) return;
  const WideArc arc = light.arcs[0][at];
  enter(light, u, headOf(arc), weightOf(arc));
}

/// A thread takes a vertex and, by blockIdx.y, a direction.
template <class T>
__global__ void padLight(int n, LightEdges light) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x, side = blockIdx.y;
  if (v >= n) return;
  const int count = min(light.counts[side][v], kLightMost), chunks = ceilDiv(count, kChunk);
  light.chunks[side][v] = Chunks::of(v * (kLightMost / kChunk), chunks);
  for (int i = count; i < chunks * kChunk; ++i)
    light.arcs[side][static_cast<std::size_t>(v) * kLightMost + i] =
        makeArc<WideArc>(0, kInfinity<T>);
}

/// For each vertex, the length of a walk to each hub in sides[0], and from each hub in sides[1].
/// Both are (n, kHubs).
struct HubDistances {
  Word* sides[2];
};

/// A block takes a hub and, by blockIdx.y, a direction. most: steps, with more it is in vain.
/// found, copy: the same is written to both. far: (2, kHubs, n), if distances are far.
template <class T, SettlePlace kPlace>
__global__ void settleHubs(int n, LightEdges light, Word most, Survey* survey, HubDistances found,
                           HubDistances copy, Word* far) {
  extern __shared__ __align__(16) char bytes[];
  const SettleMemory<kPlace> memory(
      n, bytes, far + static_cast<std::size_t>(blockIdx.y * kHubs + blockIdx.x) * n);
  if (__syncthreads_or(threadIdx.x == 0 && relaxedLoad(&survey->vain))) return;
  const int h = blockIdx.x, side = blockIdx.y;
  // The first vertex from n h / kHubs on that light edges leave and enter.
  int hub = static_cast<int>(static_cast<std::int64_t>(h) * n / kHubs);
  for (int i = n; i > 1 && (light.counts[0][hub] == 0 || light.counts[1][hub] == 0); --i)
    hub = hub + 1 < n ? hub + 1 : 0;
  const ArcLists<WideArc> lists{light.arcs[1 - side], light.chunks[1 - side], nullptr};
  const Word width = part<T>(survey->threshold, 4);  // few vertices are looked at twice
  const Word farthest = begin<T>(n, kInfinity<T> - 1, 0, Rows{}, memory);
  const Settled done = settle<T>(n, hub, width, farthest, most, lists, memory);
  for (int v = threadIdx.x; v < n; v += blockDim.x) {
    const std::size_t at = static_cast<std::size_t>(v) * kHubs + h;
    found.sides[side][at] = copy.sides[side][at] = memory.distances[v];
  }
  if (done.cut && threadIdx.x == 0) atomicExch(&survey->vain, 1u);
}

constexpr int kMendTile = 32;  ///< vertices of a block of mendHubs(), and others at a time
constexpr int kMendWarps = 8;
constexpr int kMendParts = 8;  ///< blocks that share the others
constexpr int kMendShare =
    2;  ///< of so many others, one is looked at: a bound need not be the best

/// Gives vertices that light edges do not connect with a hub walks with one heavier edge. A thread
/// takes a vertex of kMendTile. blockIdx.x: these vertices; y: a part of the others; z: direction.
/// old, found: the same at the start. Of a band of rows, only the edges there are looked at.
template <class T>
__global__ void __launch_bounds__(32 * kMendWarps)
    mendHubs(int n, Rows rows, const Survey* survey, HubDistances old, HubDistances found) {
  __shared__ Word tiles[kMendWarps][kMendTile][kMendTile + 1];
  if (survey->vain) return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, side = blockIdx.z;
  const int u0 = blockIdx.x * kMendTile, u = min(u0 + lane, n - 1);
  const Word* const walks = old.sides[side];
  const std::size_t mine = static_cast<std::size_t>(u) * kHubs;
  const auto weight = [&](int i, int j) { return rows.has(i) ? rows.row(i)[j] : kInfinity<T>; };
  bool missed = false;
  for (int h = 0; h < kHubs; ++h) missed |= walks[mine + h] == kInfinity<T>;
  if (!__any_sync(~0u, missed)) return;
  Word best[kHubs];
#pragma unroll
  for (int h = 0; h < kHubs; ++h) best[h] = kInfinity<T>;
  for (int v0 = (blockIdx.y * kMendWarps + warp) * kMendTile; v0 < n;
       v0 += kMendShare * kMendParts * kMendWarps * kMendTile) {
    const int count = min(kMendTile, n - v0);
    Word weights[kMendTile];  // of the edges between u and each v of the tile
    if (side == 0) {          // a row of u: transposed by way of shared memory
#pragma unroll
      for (int r = 0; r < kMendTile; ++r)
        tiles[warp][r][lane] = lane < count ? weight(min(u0 + r, n - 1), v0 + lane) : kInfinity<T>;
      __syncwarp();  // the tile is there
#pragma unroll
      for (int r = 0; r < kMendTile; ++r) weights[r] = tiles[warp][lane][r];
      __syncwarp();  // the tile may be overwritten
    } else {
#pragma unroll
      for (int r = 0; r < kMendTile; ++r) weights[r] = r < count ? weight(v0 + r, u) : kInfinity<T>;
    }
#pragma unroll
    for (int r = 0; r < kMendTile; ++r) {
      const uint4* const other = reinterpret_cast<const uint4*>(
          walks + static_cast<std::size_t>(min(v0 + r, n - 1)) * kHubs);
#pragma unroll
      for (int q = 0; q < kHubs / 4; ++q) {
        const uint4 d = other[q];
        const Word each[4] = {d.x, d.y, d.z, d.w};
#pragma unroll
        for (int i = 0; i < 4; ++i)
          best[4 * q + i] = min(best[4 * q + i], sum<T>(weights[r], each[i]));
      }
    }
  }
  if (u0 + lane >= n) return;
  for (int h = 0; h < kHubs; ++h)
    if (best[h] < walks[mine + h]) atomicMin(&found.sides[side][mine + h], best[h]);
}

/// mine = min(mine, theirs), of so many words.
static __global__ void takeLeast(std::size_t count, Word* mine, const Word* theirs) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    mine[i] = min(mine[i], theirs[i]);
}

/// survey->toReach, fromReach. A thread takes one hub: blocks of a multiple of kHubs threads.
static __global__ void findReach(int n, HubDistances found, Survey* survey) {
  __shared__ Word reach[2][kHubs];
  if (survey->vain) return;
  if (threadIdx.x < 2 * kHubs) reach[threadIdx.x / kHubs][threadIdx.x % kHubs] = 0;
  __syncthreads();  // reach is zero
  const std::size_t total = static_cast<std::size_t>(n) * kHubs;
  for (int side = 0; side < 2; ++side) {
    Word most = 0;
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

/// The bound that a walk by a hub sets. Sums of n floats are off by at most n ε of themselves, and
/// the bounds of floats are raised by twice that: no edge of a shortest path is left out.
template <class T>
__device__ __forceinline__ Word walk(Word to, Word from, float slack) {
  const Word length = sum<T>(to, from);
  if constexpr (std::is_same_v<T, float>) return __float_as_uint(__uint_as_float(length) * slack);
  return length;
}

/// Arcs that were found in a row: a warp's shared memory in filterRows(). The weight is in the
/// upper half of a WideArc, which puts them in the order of their weights.
struct RowMemory {
  WideArc kept[kKeptMost];
  WideArc candidates[2 * 32];
};

/// The kept edges.
template <class Arc>
struct Kept {
  Arc* arcs;       ///< (places, kChunk), those of a vertex in ascending order of their weights
  Word* least;     ///< (places): the weight of the first arc of each
  Word end;        ///< the first chunk for which there is no memory
  Chunks* chunks;  ///< (n)
  Word* farthest;  ///< (n): no distance from this vertex is larger
};

/// Writes `count` arcs in ascending order of their weights to chunks: the rank of each is its
/// place.
template <class T, class Arc>
__device__ __forceinline__ void writeSorted(const WideArc* kept, int count, Arc* to, Word* least) {
  const int lane = threadIdx.x % 32;
  for (int i = lane; i < count; i += 32) {
    const WideArc mine = kept[i];
    int rank = 0;
    for (int k = 0; k < count; ++k) rank += kept[k] < mine;
    to[rank] = makeArc<Arc>(headOf(mine), weightOf(mine));
    if (rank % kChunk == 0) least[rank / kChunk] = weightOf(mine);
  }
  constexpr Word kBeyond = sizeof(Arc) == 4 ? kTooWide : kInfinity<T>;
  for (int i = count + lane; i < ceilDiv(count, kChunk) * kChunk; i += 32)
    to[i] = makeArc<Arc>(0, kBeyond);
}

/// A warp takes a row. Keeps edges that are no longer than the walks by all hubs. mayNarrow:
/// kept.arcs become NarrowArcs if no distance takes more than 16 bits.
template <class T>
__global__ void __launch_bounds__(32 * kFilterWarps)
    filterRows(int n, Rows rows, HubDistances hubs, float slack, bool mayNarrow, Kept<WideArc> to,
               Survey* survey) {
  extern __shared__ __align__(16) char bytes[];
  if (__any_sync(~0u, relaxedLoad(&survey->vain))) return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  RowMemory& memory = reinterpret_cast<RowMemory*>(bytes)[warp];
  Word longest = kInfinity<T>;  // no distance is larger
  for (int h = 0; h < kHubs; ++h)
    longest = min(longest, walk<T>(survey->toReach[h], survey->fromReach[h], slack));
  const bool narrow = !std::is_same_v<T, float> && longest < kTooWide;
  if (blockIdx.x == 0 && threadIdx.x == 0) survey->narrow = narrow;
  for (int i = blockIdx.x * kFilterWarps + warp; i < rows.count; i += gridDim.x * kFilterWarps) {
    const int u = rows.first + i;
    Word a[kHubs], farthest = kInfinity<T> - 1;
    for (int h = 0; h < kHubs; ++h) {
      a[h] = hubs.sides[0][static_cast<std::size_t>(u) * kHubs + h];
      farthest = min(farthest, walk<T>(a[h], survey->fromReach[h], slack));
    }
    int waiting = 0, count = 0;
    const auto test = [&](int candidates) {
      const WideArc arc = lane < candidates ? memory.candidates[lane] : 0;
      bool matters = lane < candidates;
      if (matters) {
        const uint4* const b = reinterpret_cast<const uint4*>(
            hubs.sides[1] + static_cast<std::size_t>(headOf(arc)) * kHubs);
#pragma unroll
        for (int q = 0; q < kHubs / 4; ++q) {
          const uint4 d = b[q];
          const Word each[4] = {d.x, d.y, d.z, d.w};
#pragma unroll
          for (int i = 0; i < 4; ++i)
            matters &= weightOf(arc) <= walk<T>(a[4 * q + i], each[i], slack);
        }
      }
      const Word mask = __ballot_sync(~0u, matters);
      const int place = count + __popc(mask & ((1u << lane) - 1));
      if (matters && place < kKeptMost) memory.kept[place] = arc;
      count += __popc(mask);
    };
    const Word* const row = rows.row(u);
    for (int first = 0; first < n; first += 32 * kAhead) {
      Word weights[kAhead];
      loadAhead<T>(n, u, first, row, weights);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const bool candidate = weights[i] <= farthest;
        const Word mask = __ballot_sync(~0u, candidate);
        if (mask == 0) continue;
        if (candidate)
          memory.candidates[waiting + __popc(mask & ((1u << lane) - 1))] =
              makeArc<WideArc>(first + 32 * i + lane, weights[i]);
        waiting += __popc(mask);
        __syncwarp();  // the candidates are there
        if (waiting < 32) continue;
        test(32);
        const WideArc moved = memory.candidates[32 + lane];
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
    } else if (narrow && mayNarrow) {
      writeSorted<T>(memory.kept, count,
                     reinterpret_cast<NarrowArc*>(to.arcs) + std::size_t{place} * kChunk,
                     to.least + place);
    } else {
      writeSorted<T>(memory.kept, count, to.arcs + std::size_t{place} * kChunk, to.least + place);
    }
    __syncwarp();  // the memory may be used again
  }
}

constexpr int kResidentThreads = 1536;  ///< of a multiprocessor, all blocks together
constexpr int kRelaxThreads = 768;      ///< of a block at most
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kRelaxBlocks = 1;  ///< with as many threads: a multiprocessor of 7.5 has 1024
#else
constexpr int kRelaxBlocks = kResidentThreads / kRelaxThreads;
#endif

/// Writes the lightest arcs from the source to vertices with solved rows to memory.known(), and
/// returns their number. Only the first chunk is searched. solved: (n), set by other blocks.
template <class Arc, class Memory>
__device__ __forceinline__ int findKnown(int source, Word farthest, const Kept<Arc>& kept,
                                         const Word* solved, const Memory& memory) {
  if (threadIdx.x < 32) {
    const Chunks chunks = kept.chunks[source];
    const int lane = threadIdx.x;
    bool isSolved = false;
    Known known{};
    if (lane < kChunk && chunks.count() > 0) {
      const Arc arc = kept.arcs[static_cast<std::size_t>(chunks.first()) * kChunk + lane];
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

/// A block takes a source and replaces its row of weights by distances. buckets: into which the
/// distances are divided; most: steps of a source, with more of them every block gives up; solved:
/// (n), zero at the start: not 0 where a row has distances.
///
/// If distances are far, they are in the row itself. If the block then gives up, the row holds
/// neither its weights nor its distances. Still, none of its words is below the distance. The kept
/// arcs of the source were relaxed first, so no word is above one of their weights, but for arcs
/// above the bound on all distances, which are on no shortest path. Such a row does no harm to the
/// closure.
///
/// A block begins with the walks through neighbours whose rows are solved. If such a walk is a
/// shortest path to v, the block does not relax the arcs of v, because the neighbour's row includes
/// the paths through v. Rows of floats are not used: the sum of floats depends on the order of
/// addition, and this order would differ from run to run.
template <class T, class Arc, SettlePlace kPlace>
__global__ void __launch_bounds__(kRelaxThreads, kRelaxBlocks)
    relaxSources(int n, Rows rows, Kept<Arc> kept, int buckets, Word most, Word* solved,
                 Survey* survey) {
  extern __shared__ __align__(16) char bytes[];
  const int source = rows.first + blockIdx.x;
  Word* const row = rows.row(source);
  const SettleMemory<kPlace> memory(n, bytes, row);
  if (__syncthreads_or(threadIdx.x == 0 && relaxedLoad(&survey->vain))) return;
  const Word bound = kept.farthest[source];
  constexpr bool kReuses = !std::is_same_v<T, float>;
  const int known = kReuses ? findKnown(source, bound, kept, solved, memory) : 0;
  const Word farthest = begin<T>(n, bound, known, rows, memory);
  const Settled done = settle<T>(n, source, part<T>(farthest, buckets), farthest, most,
                                 ArcLists<Arc>{kept.arcs, kept.chunks, kept.least}, memory);
  if (done.cut) {
    if (threadIdx.x == 0) atomicExch(&survey->vain, 1u);
    return;
  }
  if constexpr (kPlace != SettlePlace::kFar)
    for (int v = threadIdx.x; v < n; v += blockDim.x) row[v] = memory.distances[v];
  if (threadIdx.x == 0) atomicAdd(&survey->looks, static_cast<unsigned long long>(done.looks));
  __syncthreads();  // the row is written
  if (threadIdx.x != 0) return;
  __threadfence();  // whoever sees that it is solved sees its distances
  atomicExch(&solved[source], 1u);
}

}  // namespace relaxation
