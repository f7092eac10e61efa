// Passes over the whole matrix before and after a solve: the graph analysis, and copies of the
// graph in the form that a tier needs. Each costs O(n²) and runs at the speed of memory.
//
// The analysis looks at every weight once. It finds out whether the matrix is symmetric (then half
// of it is solved), whether some edge is missing (then products may be skipped), and an upper bound
// on all distances (then 16 bits may be exact). For the bound, choose a vertex s. Every distance is
// at most max d(i,s) + max d(s,j) over all i and j, by the triangle inequality. Paths of at most
// two edges bound d(i,s) and d(s,j), and the least bound over kSources vertices s counts.
#pragma once

#include <cuda_runtime.h>

#include "apsp.h"
#include "base/size.h"
#include "dense/tile.cuh"
#include "device/cuda.h"
#include "solver/outcome.h"

namespace engine {

/// What the analysis finds out.
struct GraphAnalysis {
  int asymmetric;  ///< some D(i,j) ≠ D(j,i)
  int missing;     ///< some pair has no edge
  int bound;       ///< int32: no distance is larger; 0x3f3f3f3f or more if there is no bound
};
static_assert(sizeof(GraphAnalysis) == dense::kFindings * sizeof(int), "as workspace.h has it");

/// On random graphs, the best bound of more than two vertices is hardly better.
using dense::kSources;
static_assert(kSources == 2, "lowerBounds() keeps both in an int2");

/// The analysis at work: d(i,s) ≤ to[s][i] and d(s,j) ≤ from[s][j] by paths of at most two edges.
struct AnalysisBuffers {
  GraphAnalysis* result;
  int* to;    ///< (kSources, n)
  int* from;  ///< (kSources, n)
  __host__ __device__ static int source(int s, int n) {
    return static_cast<int>(static_cast<long long>(n) * s / kSources);
  }
};

namespace analysis {

constexpr int kTile = 64;
constexpr int kPadded = kTile + 1;  // one column more avoids bank conflicts along columns
/// The side of the tiles that analyseTiles() compares: two of them fit in a block.
template <class Word>
inline constexpr int kPairTile = sizeof(Word) == 8 ? kTile / 2 : kTile;
constexpr int kRowsAtOnce = kThreads / kTile;
static_assert(kThreads % kTile == 0 && kTile % kRowsAtOnce == 0, "the threads cover whole rows");
static_assert(2 * kTile <= kThreads, "lowerBounds() has two vectors loaded at a time");
static_assert(sizeof(int) * 2 * kTile * kPadded + 2 * sizeof(int2) * kTile <= 48 * 1024,
              "static shared memory of a block");

/// Lowers *best to value. Most calls change nothing, so it looks before it uses an atomic.
inline __device__ void lower(int* best, int value) {
  if (value < __ldcg(best)) atomicMin(best, value);
}

/// Lowers the bounds of the rows and columns of the tile whose first weight is at (i0, j0). The
/// tile itself is in `tile`; graph: (n, n).
inline __device__ void lowerBounds(int n, const int* graph, int i0, int j0,
                                   const int (&tile)[kTile][kPadded],
                                   const AnalysisBuffers& buffers) {
  __shared__ int2 leave[kTile], arrive[kTile];  // D(j,s) and D(s,i) for both s
  const std::size_t width = n;
  const std::size_t s0 = AnalysisBuffers::source(0, n), s1 = AnalysisBuffers::source(1, n);
  if (const int v = threadIdx.x; v < kTile) {
    const int j = j0 + v;
    leave[v] =
        j < n ? make_int2(graph[j * width + s0], graph[j * width + s1]) : make_int2(kInf, kInf);
  } else if (const int u = threadIdx.x - kTile; u < kTile) {
    const int i = i0 + u;
    arrive[u] =
        i < n ? make_int2(graph[s0 * width + i], graph[s1 * width + i]) : make_int2(kInf, kInf);
  }
  __syncthreads();  // leave and arrive are written
  const int line = threadIdx.x % kTile, first = threadIdx.x / kTile * (kTile / kRowsAtOnce);
  int2 to = make_int2(kInf, kInf), from = to;
  for (int v = first; v < first + kTile / kRowsAtOnce; ++v) {
    const int across = tile[line][v], down = tile[v][line];
    to = make_int2(min(to.x, across + leave[v].x), min(to.y, across + leave[v].y));
    from = make_int2(min(from.x, arrive[v].x + down), min(from.y, arrive[v].y + down));
  }
  if (i0 + line < n) {
    lower(buffers.to + i0 + line, to.x);
    lower(buffers.to + width + i0 + line, to.y);
  }
  if (j0 + line < n) {
    lower(buffers.from + j0 + line, from.x);
    lower(buffers.from + width + j0 + line, from.y);
  }
  __syncthreads();  // leave and arrive may be written again
}

/// One block for each pair of tiles (x, y) and (y, x) with x ≤ y. graph: (n, n); infinity: the word
/// of "no edge"; bounds: whether the bound is wanted, which only int32 has.
template <class Word>
__global__ void __launch_bounds__(kThreads)
    analyseTiles(int n, const Word* graph, Word infinity, bool bounds, AnalysisBuffers buffers) {
  constexpr int kTile = kPairTile<Word>, kRowsAtOnce = kThreads / kTile;
  __shared__ Word tiles[2][kTile][kTile + 1];
  const int i0 = blockIdx.y * kTile, j0 = blockIdx.x * kTile;
  if (i0 > j0) return;
  bool missing = false, asymmetric = false;
  const int column = threadIdx.x % kTile;
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce) {
    const auto load = [&](int i, int j) {
      if (i >= n || j >= n) return infinity;
      const Word weight = graph[asSize(i) * n + j];
      missing |= weight >= infinity;
      return weight;
    };
    tiles[0][r][column] = load(i0 + r, j0 + column);
    tiles[1][r][column] = load(j0 + r, i0 + column);
  }
  __syncthreads();  // both tiles are in shared memory
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce)
    asymmetric |= tiles[0][r][column] != tiles[1][column][r];
  if (__syncthreads_or(missing) && threadIdx.x == 0) buffers.result->missing = 1;
  if (__syncthreads_or(asymmetric) && threadIdx.x == 0) buffers.result->asymmetric = 1;
  if constexpr (sizeof(Word) == sizeof(int)) {
    if (!bounds) return;
    lowerBounds(n, graph, i0, j0, tiles[0], buffers);
    if (i0 != j0) lowerBounds(n, graph, j0, i0, tiles[1], buffers);
  }
}

/// One block. The bound: the least over s of max d(i,s) + max d(s,j).
static __global__ void __launch_bounds__(kThreads) reduceBounds(int n, AnalysisBuffers buffers) {
  const auto larger = [](int a, int b) { return max(a, b); };
  int bound = 2 * kInf;
  for (int s = 0; s < kSources; ++s) {
    int to = 0, from = 0;
    for (int v = threadIdx.x; v < n; v += kThreads) {
      const std::size_t at = asSize(s) * n + v;
      to = max(to, buffers.to[at]);
      from = max(from, buffers.from[at]);
    }
    bound = min(bound, blockReduce(to, 0, larger) + blockReduce(from, 0, larger));
  }
  if (threadIdx.x == 0) buffers.result->bound = bound;
}

/// matrix = graph, whose rows have n elements and lie `stride` words apart; infinite outside it.
/// One block per row. Uint16 clamps what is too far.
template <class Tier>
__global__ void __launch_bounds__(kThreads)
    copyIn(int n, std::size_t stride, const typename Tier::Word* graph,
           MatrixOf<typename Tier::Word> matrix) {
  const int i = blockIdx.x;
  const auto* const row = graph + i * stride;
  for (int w = threadIdx.x; w < matrix.words; w += kThreads) {
    typename Tier::Word word = Tier::kInfinity;
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

/// Sets *found to 1 if a distance is too far. One block per row.
static __global__ void __launch_bounds__(kThreads)
    findTooFar(int n, WordMatrix matrix, int* found) {
  const auto row = reinterpret_cast<const std::uint16_t*>(matrix.at(blockIdx.x, 0));
  bool any = false;
  for (int j = threadIdx.x; j < n; j += kThreads) any |= row[j] >= Uint16::kTooFar;
  if (__syncthreads_or(any) && threadIdx.x == 0) *found = 1;
}

/// graph = matrix; graph as for copyIn(). One block per row.
template <class Tier>
__global__ void __launch_bounds__(kThreads)
    copyOut(int n, std::size_t stride, typename Tier::Word* graph,
            MatrixOf<typename Tier::Word> matrix) {
  const int i = blockIdx.x;
  auto* const row = graph + i * stride;
  for (int j = threadIdx.x; j < n; j += kThreads) {
    const auto word = *matrix.at(i, j / Tier::kPack);
    if constexpr (Tier::kPack == 1)
      row[j] = word;
    else
      row[j] = word >> j % 2 * 16 & 0xffff;
  }
}

/// Copies what is above the diagonal below it. matrix: (n, stride) weights of the tier. One block
/// for each tile on or above the diagonal.
template <class Weight>
__global__ void __launch_bounds__(kThreads) mirror(int n, int stride, Weight* matrix) {
  __shared__ Weight tile[kTile][kPadded];
  const int i0 = blockIdx.y * kTile, j0 = blockIdx.x * kTile;
  if (i0 > j0) return;
  const int column = threadIdx.x % kTile;
  const auto at = [&](int i, int j) -> Weight& {
    return matrix[asSize(i) * stride + j];
  };
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce) {
    if (i0 + r < n && j0 + column < n) tile[r][column] = at(i0 + r, j0 + column);
  }
  __syncthreads();  // the tile is in shared memory
  for (int r = threadIdx.x / kTile; r < kTile; r += kRowsAtOnce) {
    const int i = j0 + r, j = i0 + column;
    if (i < n && i > j) at(i, j) = tile[column][r];
  }
}

}  // namespace analysis

}  // namespace engine
