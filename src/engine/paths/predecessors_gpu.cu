// Predecessors on the GPU. predecessors.cpp proves which choices of them form no cycle; this file
// follows the same rule.
//
// For the distances D and the weights W, vertex k may come before j on paths from i if
//
//     D[i][k] + W[k][j] = D[i][j].
//
// Looking for it is a min-plus product with argmin, n³ steps of three instructions each, which
// would take several times as long as a solver that computes in 16 bits or leaves edges out. But
// only an edge with W[k][j] = D[k][j] can be the last one of a shortest path. Of random weights
// these are few: about ln n for each vertex. So there are three kernels.
//
//   1. listArcs: for each head j the list of all k with 0 < W[k][j] = D[k][j], in ascending order
//      from the left of row j of `lists`; and those with W[k][j] = 0 from its right. Each pair
//      (i, j) whose own edge is such an edge has its predecessor i at once, which ends every way
//      back. That is so for nearly all pairs if the weights are a metric, where lists are long.
//   2. searchLists: of the other pairs, the first k in the list that satisfies the equation.
//   3. passOnAlongZeros: of the pairs that are left, those that a path reaches by edges of weight 0
//      last, as in a breadth-first search.
//
// Layout. In 2 and 3 neighbouring threads have neighbouring sources i. Therefore they work on
// transposed matrices, D^T[k][i]: a warp reads 128 sources of row k at once, and what it knows of
// the arc, k and W[k][j] = D[k][j] = D^T[j][k], is the same for all of them. Rows of transposed
// matrices are padded to a multiple of 128 words, `ld`; the padding of D^T is infinite, for which
// nothing is looked for. The blocks that run at the same time share 128 columns of D^T, 512 n
// bytes, which stay in the cache.
//
// Negative weights. W and a copy of D are reweighted (negative/shift.h): the edges of
// shortest paths stay the same, and none has a weight below 0 then.
//
// Every choice is the first in ascending order, so the result is the same in each run.
#include "paths/predecessors_gpu.h"

#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "device/cuda.h"
#include "paths/predecessors.h"
#include "negative/shift.h"

namespace engine {

namespace {

constexpr int kTile = 32;        // side of the tiles that are transposed
constexpr int kTileRows = 8;     // rows of threads that transpose one
constexpr int kSources = 128;    // of a warp in searchLists: 4 a thread
constexpr int kSearchWarps = 8;  // heads of a block in searchLists
constexpr int kPassWarps = 32;   // heads at a time of a block in passOnAlongZeros

/// Words in a row of a transposed matrix.
std::size_t paddedRow(int n) {
  return asSize(ceilDiv(n, kSources)) * kSources;
}

/// to[j][i] = from[i][j]. from: (rows, columns) with row stride fromStride, to: (columns, rows)
/// with row stride toStride. Columns of `to` from `rows` on, and before toStride, become `padding`.
__global__ void transposeAll(int rows, int columns, const int* from, std::size_t fromStride,
                             int* to, std::size_t toStride, int padding) {
  __shared__ int tile[kTile][kTile + 1];  // one column more, so that a column is in all banks
  const int i0 = blockIdx.x * kTile, j0 = blockIdx.y * kTile;
  for (int r = threadIdx.y; r < kTile; r += kTileRows) {
    const int i = i0 + r, j = j0 + threadIdx.x;
    tile[r][threadIdx.x] = i < rows && j < columns ? from[i * fromStride + j] : padding;
  }
  __syncthreads();  // the tile is complete
  for (int r = threadIdx.y; r < kTile; r += kTileRows) {
    const int j = j0 + r;
    const std::size_t i = i0 + threadIdx.x;
    if (j < columns && i < toStride) to[j * toStride + i] = tile[threadIdx.x][r];
  }
}

/// A block has the 32 heads from j0 on; it goes down the rows k, 32 at a time. Its warp r reads row
/// k0 + r of both matrices, and later appends to the lists of head j0 + r.
/// weights, distances: (n, n). lists: (n, n). counts, zeros: (n). found: (n, ld), transposed.
__global__ void listArcs(int n, const int* weights, const int* distances, int* lists, int* counts,
                         int* zeros, int* found, std::size_t ld) {
  __shared__ unsigned heavy[kTile], light[kTile];  // of row k0 + r: a bit for each head
  const int lane = threadIdx.x, warp = threadIdx.y, j0 = blockIdx.x * kTile;
  const int head = j0 + warp;  // whose lists this warp writes
  int count = 0, zeroCount = 0, weight = kInfinity<int>, distance = 0;
  const auto read = [&](int k) {  // the entries of row k, and no edge outside the matrix
    const int j = j0 + lane;
    weight = kInfinity<int>;
    if (k >= n || j >= n || k == j) return;
    weight = weights[asSize(k) * n + j];
    distance = distances[asSize(k) * n + j];
  };
  read(warp);
  for (int k0 = 0; k0 < n; k0 += kTile) {
    const bool useful = weight < kInfinity<int> && weight == distance, zero = weight == 0;
    read(k0 + kTile + warp);  // for the next turn, while this one waits
    const unsigned above = __ballot_sync(kAllLanes, useful && !zero);
    const unsigned none = __ballot_sync(kAllLanes, useful && zero);
    if (lane == 0) {
      heavy[warp] = above;
      light[warp] = none;
    }
    __syncthreads();  // the bits of 32 rows are there
    const bool isHeavy = (heavy[lane] >> warp & 1) != 0, isLight = (light[lane] >> warp & 1) != 0;
    const unsigned heavies = __ballot_sync(kAllLanes, isHeavy), lights = __ballot_sync(kAllLanes, isLight);
    if (head < n) {
      int* const list = lists + asSize(head) * n;
      const unsigned before = (1u << lane) - 1;
      const int tail = k0 + lane;
      if (isHeavy) list[count + __popc(heavies & before)] = tail;
      if (isLight) list[n - 1 - zeroCount - __popc(lights & before)] = tail;
      found[head * ld + tail] = isHeavy || isLight ? tail : kNoPredecessor;
      count += __popc(heavies);
      zeroCount += __popc(lights);
    }
    __syncthreads();  // the bits may be written again
  }
  if (head < n && lane == 0) {
    counts[head] = count;
    zeros[head] = zeroCount;
  }
}

/// What is looked for: nothing (−1) where a source has a predecessor, is the head, or has no path.
__device__ int targetOf(int distance, int found, int source, int head) {
  return distance >= kInfinity<int> || found != kNoPredecessor || source == head ? -1 : distance;
}

/// A warp has one head and 128 sources, four for each thread. transposed: (n, ld), D^T. lists:
/// (n, n). counts: (n). found: (n, ld).
__global__ void searchLists(int n, const int* transposed, const int* lists, const int* counts,
                            int* found, std::size_t ld) {
  const int head = blockIdx.x * kSearchWarps + threadIdx.y, lane = threadIdx.x;
  if (head >= n) return;  // a whole warp; there is no barrier
  const int source = blockIdx.y * kSources + 4 * lane;
  const int* const own = transposed + head * ld;
  int4 best = *reinterpret_cast<const int4*>(found + head * ld + source);
  const int4 here = *reinterpret_cast<const int4*>(own + source);
  int4 target = {targetOf(here.x, best.x, source, head), targetOf(here.y, best.y, source + 1, head),
                 targetOf(here.z, best.z, source + 2, head),
                 targetOf(here.w, best.w, source + 3, head)};
  const auto settle = [](int sum, int k, int& wanted, int& before) {
    if (sum != wanted) return;
    before = k;
    wanted = -1;
  };
  const int* const list = lists + asSize(head) * n;
  const int count = counts[head];
  for (int begin = 0; begin < count; begin += kTile) {
    const bool open = target.x >= 0 || target.y >= 0 || target.z >= 0 || target.w >= 0;
    if (__any_sync(kAllLanes, open) == 0) break;
    const int mine = begin + lane;
    const int tail = mine < count ? list[mine] : 0;
    const int weight = mine < count ? own[tail] : kInfinity<int>;
    const int some = min(kTile, count - begin);
#pragma unroll 4
    for (int t = 0; t < some; ++t) {
      const int k = __shfl_sync(kAllLanes, tail, t), w = __shfl_sync(kAllLanes, weight, t);
      const int4 from = *reinterpret_cast<const int4*>(transposed + k * ld + source);
      settle(from.x + w, k, target.x, best.x);
      settle(from.y + w, k, target.y, best.y);
      settle(from.z + w, k, target.z, best.z);
      settle(from.w + w, k, target.w, best.w);
    }
  }
  *reinterpret_cast<int4*>(found + head * ld + source) = best;
}

/// A block has 32 sources, a thread each in every warp. It goes through the heads of edges of
/// weight 0 again and again, until nothing changes. A head takes a tail only if that has its
/// predecessor since an earlier step, or is the source; so every way along predecessors leads back
/// in time. transposed: (n, ld), D^T. lists: (n, n). heads: (count). zeros: (n). found: (n, ld).
__global__ void passOnAlongZeros(int n, const int* transposed, const int* lists, const int* heads,
                                 int count, const int* zeros, int* found, std::size_t ld) {
  const int source = blockIdx.x * kTile + threadIdx.x;  // may be padding: D^T is infinite there
  bool changed = true;
  while (changed) {
    changed = false;
    for (int begin = 0; begin < count; begin += kPassWarps) {
      const int mine = begin + static_cast<int>(threadIdx.y);
      int choice = kNoPredecessor, head = 0;
      if (mine < count) {
        head = heads[mine];
        const int here = transposed[head * ld + source];
        const int* const end = lists + asSize(head + 1) * n;
        const bool open =
            here < kInfinity<int> && head != source && found[head * ld + source] == kNoPredecessor;
        for (int z = 1; open && z <= zeros[head] && choice == kNoPredecessor; ++z) {
          const int tail = end[-z];
          const bool known = tail == source || found[tail * ld + source] != kNoPredecessor;
          if (known && transposed[tail * ld + source] == here) choice = tail;
        }
      }
      __syncthreads();  // all warps have read `found` as it was before this step
      if (choice != kNoPredecessor) {
        found[head * ld + source] = choice;
        changed = true;
      }
      __syncthreads();  // all of this step is in `found`
    }
    changed = __syncthreads_or(changed) != 0;
  }
}

void transpose(int rows, int columns, const int* from, std::size_t fromStride, int* to,
               std::size_t toStride, int padding) {
  const dim3 blocks(ceilDiv<unsigned>(static_cast<unsigned>(toStride), kTile),
                    ceilDiv(columns, kTile));
  const dim3 threads(kTile, kTileRows);
  transposeAll<<<blocks, threads>>>(rows, columns, from, fromStride, to, toStride, padding);
  CHECK_CUDA(cudaGetLastError());
}

/// Words in GPU memory.
class Words {
 public:
  Words(const Device& device, std::size_t count) : all_(device, Dtype::kInt32, count) {}
  int* data() const { return all_.data().as<int>(); }

 private:
  DeviceElements all_;
};

/// The memory of a search, and its steps.
class Search {
 public:
  Search(const Device& device, int n)
      : device_(device),
        n_(n),
        ld_(paddedRow(n)),
        transposed_(device, ld_ * n),
        found_(device, ld_ * n),
        lists_(device, asSize(n) * n),
        counts_(device, n),
        zeros_(device, n),
        heads_(device, n) {}

  /// weights, result: the same (n, n) words; distances: (n, n).
  void run(const int* distances, int* weights) {
    transpose(n_, n_, distances, n_, transposed_.data(), ld_, kInfinity<int>);
    listArcs<<<ceilDiv(n_, kTile), dim3(kTile, kTile)>>>(
        n_, weights, distances, lists_.data(), counts_.data(), zeros_.data(), found_.data(), ld_);
    CHECK_CUDA(cudaGetLastError());
    const dim3 blocks(ceilDiv(n_, kSearchWarps), static_cast<unsigned>(ld_ / kSources));
    searchLists<<<blocks, dim3(kTile, kSearchWarps)>>>(n_, transposed_.data(), lists_.data(),
                                                       counts_.data(), found_.data(), ld_);
    CHECK_CUDA(cudaGetLastError());
    passOn();
    transpose(n_, n_, found_.data(), ld_, weights, n_, 0);
  }

 private:
  /// The edges of weight 0.
  void passOn() {
    std::vector<int> zeros(n_), heads;
    device_.download(zeros.data(), zeros_.data(), zeros.size() * sizeof(int));
    for (int j = 0; j < n_; ++j)
      if (zeros[j] > 0) heads.push_back(j);
    if (heads.empty()) return;
    device_.upload(heads_.data(), heads.data(), heads.size() * sizeof(int));
    passOnAlongZeros<<<ceilDiv(n_, kTile), dim3(kTile, kPassWarps)>>>(
        n_, transposed_.data(), lists_.data(), heads_.data(), static_cast<int>(heads.size()),
        zeros_.data(), found_.data(), ld_);
    CHECK_CUDA(cudaGetLastError());
  }

  const Device& device_;
  int n_;
  std::size_t ld_;
  Words transposed_, found_, lists_, counts_, zeros_, heads_;
};

/// Reweights a matrix of weights in its place, and returns the distances that belong to it.
std::unique_ptr<DeviceMatrix> reweight(const DeviceMatrix& distances, const DeviceMatrix& weights) {
  constexpr int kPasses = 8;  // between two looks at what they changed
  auto copy = std::make_unique<DeviceMatrix>(distances.device(), distances.n());
  distances.device().copy(copy->data().data(), distances.data().data(), distances.bytes());
  const auto shift = shiftOnGpu(distances.device(), distances.n(), weights.data());
  while (shift->relax(kPasses) == kPasses) {
  }
  shift->reweight();
  shift->reweightDistances(copy->data());
  return copy;
}

}  // namespace

std::size_t predecessorBytesOnGpu(int n, bool negative) {
  const auto vertices = asSize(n);
  return sizeof(int) * vertices * (2 * paddedRow(n) + 2 * vertices + 3) +
         (negative ? matrixBytes(n, Dtype::kInt32) + shiftBytes(n, Dtype::kInt32) : 0);
}

PredecessorsOnGpu predecessorsOnGpu(const ProblemGraph& graph, const DeviceMatrix& distances,
                                    bool negative) {
  const Device& device = distances.device();
  const int n = distances.n();
  const bool here = device.kind() == DeviceKind::kGpu && distances.dtype() == Dtype::kInt32 &&
                    n > 0 && predecessorBytesOnGpu(n, negative) <= device.freeBytes();
  if (!here) return {};
  const Progress searching("predecessors");
  PredecessorsOnGpu result{std::make_unique<DeviceMatrix>(device, n)};
  graph.upload(device, result.matrix->data());
  Search search(device, n);
  std::unique_ptr<DeviceMatrix> shifted;
  result.milliseconds = device.time([&] {
    if (negative) shifted = reweight(distances, *result.matrix);
    const DeviceMatrix& known = negative ? *shifted : distances;
    search.run(known.data().as<int>(), result.matrix->data().as<int>());
  });
  return result;
}

}  // namespace engine
