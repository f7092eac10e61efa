// Passes over the whole matrix around a solve: what kind of graph it is, and copies of it in the
// form that a tier wants. O(n²) each, at the speed of memory.
#pragma once

#include <cuda_runtime.h>

#include "apsp.h"
#include "device/cuda.h"
#include "solvers/dense/tile.cuh"

/// What one pass over the input tells.
struct Survey {
  int asymmetric;  ///< some D(i,j) ≠ D(j,i)
  int missing;     ///< some pair has no edge
  int bound;       ///< int32: no distance is larger; 0x3f3f3f3f or more where that cannot be told
};

/// Vertices s through which the bound goes. Two: on random graphs the best of more is hardly
/// better.
constexpr int kSources = 2;

/// The survey while it is being made: d(i,s) ≤ to[s][i] and d(s,j) ≤ from[s][j] by paths of at most
/// two edges.
struct SurveySpace {
  Survey* result;
  int* to;    // (kSources, n)
  int* from;  // (kSources, n)
  __host__ __device__ static int source(int s, int n) {
    return static_cast<int>(static_cast<long long>(n) * s / kSources);
  }
};

namespace survey {

constexpr int kTile = 64, kPadded = kTile + 1;  // a column more: no bank conflicts down a column
constexpr int kRowsAtOnce = kThreads / kTile;

/// Lowers best[i] to value, by an atomic only where that changes it.
inline __device__ void lower(int* best, int value) {
  if (value < __ldcg(best)) atomicMin(best, value);
}

/// Lowers the bounds of the rows and columns of tile (i0, j0), which lies in `tile`.
inline __device__ void lowerBounds(int n, const int* graph, int i0, int j0,
                                   const int (&tile)[kTile][kPadded], const SurveySpace& space) {
  __shared__ int2 leave[kTile], arrive[kTile];  // D(j,s), D(s,i) for the two s
  const std::size_t width = n;
  const std::size_t s0 = SurveySpace::source(0, n), s1 = SurveySpace::source(1, n);
  if (const int v = threadIdx.x; v < kTile) {
    const int j = j0 + v;
    leave[v] =
        j < n ? make_int2(graph[j * width + s0], graph[j * width + s1]) : make_int2(kInf, kInf);
  } else if (const int u = threadIdx.x - kTile; u < kTile) {
    const int i = i0 + u;
    arrive[u] =
        i < n ? make_int2(graph[s0 * width + i], graph[s1 * width + i]) : make_int2(kInf, kInf);
  }
  __syncthreads();  // leave and arrive are here
  const int line = threadIdx.x % kTile, first = threadIdx.x / kTile * (kTile / kRowsAtOnce);
  int2 to = make_int2(kInf, kInf), from = to;
  for (int v = first; v < first + kTile / kRowsAtOnce; ++v) {
    const int across = tile[line][v], down = tile[v][line];
    to = make_int2(min(to.x, across + leave[v].x), min(to.y, across + leave[v].y));
    from = make_int2(min(from.x, arrive[v].x + down), min(from.y, arrive[v].y + down));
  }
  if (i0 + line < n) {
    lower(space.to + i0 + line, to.x);
    lower(space.to + width + i0 + line, to.y);
  }
  if (j0 + line < n) {
    lower(space.from + j0 + line, from.x);
    lower(space.from + width + j0 + line, from.y);
  }
  __syncthreads();  // leave and arrive may be written again
}

/// A block for each pair of tiles (x, y), (y, x) with x ≤ y. `infinity`: the word of "no edge".
static __global__ void __launch_bounds__(kThreads)
    surveyTiles(int n, const int* graph, int infinity, bool bounds, SurveySpace space) {
  __shared__ int tiles[2][kTile][kPadded];
  const int i0 = blockIdx.y * kTile, j0 = blockIdx.x * kTile;
  if (i0 > j0) return;
  bool missing = false, asymmetric = false;
  const int column = threadIdx.x % kTile;
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce) {
    const auto load = [&](int i, int j) {
      if (i >= n || j >= n) return infinity;
      const int weight = graph[static_cast<std::size_t>(i) * n + j];
      missing |= weight >= infinity;
      return weight;
    };
    tiles[0][r][column] = load(i0 + r, j0 + column);
    tiles[1][r][column] = load(j0 + r, i0 + column);
  }
  __syncthreads();  // both tiles are here
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce)
    asymmetric |= tiles[0][r][column] != tiles[1][column][r];
  if (__syncthreads_or(missing) && threadIdx.x == 0) space.result->missing = 1;
  if (__syncthreads_or(asymmetric) && threadIdx.x == 0) space.result->asymmetric = 1;
  if (!bounds) return;
  lowerBounds(n, graph, i0, j0, tiles[0], space);
  if (i0 != j0) lowerBounds(n, graph, j0, i0, tiles[1], space);
}

/// One block: the least over s of max d(i,s) + max d(s,j), which no distance exceeds.
static __global__ void __launch_bounds__(kThreads) reduceBounds(int n, SurveySpace space) {
  const auto larger = [](int a, int b) { return max(a, b); };
  int bound = 2 * kInf;
  for (int s = 0; s < kSources; ++s) {
    int to = 0, from = 0;
    for (int v = threadIdx.x; v < n; v += kThreads) {
      const std::size_t at = static_cast<std::size_t>(s) * n + v;
      to = max(to, space.to[at]);
      from = max(from, space.from[at]);
    }
    bound = min(bound, blockReduce(to, 0, larger) + blockReduce(from, 0, larger));
  }
  if (threadIdx.x == 0) space.result->bound = bound;
}

/// matrix = graph (n, n), infinite beyond it; a block a row. Uint16: what is too far is clamped.
template <class Tier>
__global__ void __launch_bounds__(kThreads) copyIn(int n, const int* graph, Words matrix) {
  const int i = blockIdx.x;
  const int* const row = graph + static_cast<std::size_t>(i) * n;
  for (int w = threadIdx.x; w < matrix.words; w += kThreads) {
    int word = Tier::kInfinity;
    if constexpr (Tier::kPack == 1) {
      if (w < n) word = row[w];
    } else {
      const int low = 2 * w < n ? min(row[2 * w], Uint16::kTooFar) : Uint16::kTooFar;
      const int high = 2 * w + 1 < n ? min(row[2 * w + 1], Uint16::kTooFar) : Uint16::kTooFar;
      word = high << 16 | low;
    }
    *matrix.at(i, w) = word;
  }
}

/// *found = 1 where an entry is too far; a block a row.
static __global__ void __launch_bounds__(kThreads) findTooFar(int n, Words matrix, int* found) {
  const auto row = reinterpret_cast<const std::uint16_t*>(matrix.at(blockIdx.x, 0));
  bool any = false;
  for (int j = threadIdx.x; j < n; j += kThreads) any |= row[j] >= Uint16::kTooFar;
  if (__syncthreads_or(any) && threadIdx.x == 0) *found = 1;
}

/// graph (n, n) = matrix; a block a row.
template <class Tier>
__global__ void __launch_bounds__(kThreads) copyOut(int n, int* graph, Words matrix) {
  const int i = blockIdx.x;
  int* const row = graph + static_cast<std::size_t>(i) * n;
  for (int j = threadIdx.x; j < n; j += kThreads) {
    const int word = *matrix.at(i, j / Tier::kPack);
    row[j] = Tier::kPack == 1 ? word : word >> j % 2 * 16 & 0xffff;
  }
}

/// What is below the diagonal becomes what is above it. Weight: of the tier, `stride` of them a
/// row.
template <class Weight>
__global__ void __launch_bounds__(kThreads) mirror(int n, int stride, Weight* matrix) {
  __shared__ Weight tile[kTile][kPadded];
  const int i0 = blockIdx.y * kTile, j0 = blockIdx.x * kTile;
  if (i0 > j0) return;
  const int column = threadIdx.x % kTile;
  const auto at = [&](int i, int j) -> Weight& {
    return matrix[static_cast<std::size_t>(i) * stride + j];
  };
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce) {
    if (i0 + r < n && j0 + column < n) tile[r][column] = at(i0 + r, j0 + column);
  }
  __syncthreads();  // the tile above the diagonal is here
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce) {
    const int i = j0 + r, j = i0 + column;
    if (i < n && i > j) at(i, j) = tile[column][r];
  }
}

}  // namespace survey
