// What the distances of a matrix in a GPU's memory reach.
#include "solver/reach_gpu.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/size.h"
#include "device/cuda.h"
#include "device/parcel.h"

namespace engine {

namespace {

using Word = unsigned;             // a bit for each of 32 targets
using Index = unsigned long long;  // what a 64-bit atomic takes

constexpr int kThreads = 256, kMostBlocks = 1024, kBits = 32;
constexpr int kTogether = 8;  // loads that a thread has under way
constexpr int kRows = 8;      // that share what is read of other rows

/// What the elements of a block come to: those below infinity, and the largest and the least of
/// these, or 0.
template <class T>
struct PartThere {
  T farthest, least;
  int reached;
};

// parts: (gridDim.x), in host memory
template <class T>
__global__ void findReach(std::size_t count, std::size_t step, const T* __restrict__ distances,
                          PartThere<T>* parts) {
  const std::size_t stride = asSize(gridDim.x) * kThreads;
  PartThere<T> mine{0, 0, 0};
  for (std::size_t first = asSize(blockIdx.x) * kThreads + threadIdx.x; first < count;
       first += kTogether * stride) {
    T some[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      const std::size_t at = first + k * stride;
      some[k] = at < count ? distances[at * step] : kInfinity<T>;
    }
#pragma unroll
    for (const T distance : some) {
      const bool found = distance < kInfinity<T>;
      mine.farthest = found && mine.farthest < distance ? distance : mine.farthest;
      mine.least = distance < mine.least ? distance : mine.least;
      mine.reached += found ? 1 : 0;
    }
  }
  mine = {blockReduce(mine.farthest, T(0), [](T a, T b) { return a < b ? b : a; }),
          blockReduce(mine.least, T(0), [](T a, T b) { return b < a ? b : a; }),
          blockReduce(mine.reached, 0, [](int a, int b) { return a + b; })};
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}

template <class T>
GraphStats reach(std::size_t count, std::size_t step, const T* distances, cudaStream_t stream) {
  const unsigned blocks = stridingBlocks(ceilDiv<std::size_t>(count, kTogether), kThreads, kMostBlocks);
  auto* const parts =
      reinterpret_cast<PartThere<T>*>(Locked::ofThread(kMostBlocks * sizeof(PartThere<T>)).data());
  findReach<<<blocks, kThreads, 0, stream>>>(count, step, distances, parts);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaStreamSynchronize(stream));
  Counts<T> all;
  std::for_each(parts, parts + blocks, [&](const PartThere<T>& part) {
    all.edges += static_cast<std::uint64_t>(part.reached);
    all.add(part.farthest);
    all.add(part.least);
  });
  all.leastPositive = 0;  // nobody looks
  return all;
}

/// A warp for each word. bits: (n, words); bit b of the word w is set if the distance to the vertex
/// 32·w + b is below infinity.
template <class T>
__global__ void packReached(int n, int words, const T* __restrict__ distances, Word* bits) {
  const std::size_t count = asSize(n) * words, warps = asSize(gridDim.x) * (kThreads / kBits);
  const int lane = threadIdx.x % kBits;
  for (std::size_t at = (asSize(blockIdx.x) * kThreads + threadIdx.x) / kBits; at < count;
       at += warps) {
    const std::size_t i = at / words, j = at % words * kBits + lane;
    const bool reached = j < n && distances[i * n + j] < kInfinity<T>;
    const Word word = __ballot_sync(~0u, reached);
    if (lane == 0) bits[at] = word;
  }
}

/// A block for kRows rows and the targets of kThreads words. first: the least i·n + j of a pair
/// that is open.
__global__ void findOpen(int n, int words, const Word* __restrict__ bits, Index* first) {
  const int row = static_cast<int>(blockIdx.x) * kRows;
  const int mine = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (mine >= words) return;
  Word through[kRows] = {};  // what the vertices reach that the row reaches
  for (int v = 0; v < words; ++v) {
    Word from[kRows], any = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      from[r] = row + r < n ? bits[asSize(row + r) * words + v] : 0;
      any |= from[r];
    }
    for (; any != 0; any &= any - 1) {
      const int bit = __ffs(static_cast<int>(any)) - 1;
      const Word onwards = bits[asSize(v * kBits + bit) * words + mine];
#pragma unroll
      for (int r = 0; r < kRows; ++r) through[r] |= (from[r] >> bit & 1) != 0 ? onwards : 0;
    }
  }
  for (int r = 0; r < kRows && row + r < n; ++r) {
    const Word open = through[r] & ~bits[asSize(row + r) * words + mine];
    if (open == 0) continue;
    const int j = mine * kBits + __ffs(static_cast<int>(open)) - 1;
    atomicMin(first, static_cast<Index>(row + r) * n + j);
  }
}

template <class T>
std::optional<std::pair<int, int>> openPair(int n, const T* distances, cudaStream_t stream) {
  constexpr std::size_t kBitsAt = 256;  // bytes, after the index
  const int words = ceilDiv(n, kBits);
  const DeviceBuffer memory(kBitsAt + asSize(n) * asSize(words) * sizeof(Word), stream);
  if (!memory)
    throw Error(ErrorCode::kMemory,
                "device memory: no room to look whether distances are too large for their type");
  auto* const first = memory.at<Index>(0);
  auto* const bits = memory.at<Word>(kBitsAt);
  auto* const found =
      reinterpret_cast<Index*>(Locked::ofThread(kMostBlocks * sizeof(PartThere<T>)).data());
  CHECK_CUDA(cudaMemsetAsync(first, 0xff, sizeof *first, stream));
  packReached<<<kMostBlocks, kThreads, 0, stream>>>(n, words, distances, bits);
  const dim3 blocks(ceilDiv(n, kRows), ceilDiv(words, kThreads));
  findOpen<<<blocks, kThreads, 0, stream>>>(n, words, bits, first);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpyAsync(found, first, sizeof *first, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  if (*found == ULLONG_MAX) return std::nullopt;
  const auto size = static_cast<Index>(n);
  return std::pair(static_cast<int>(*found / size), static_cast<int>(*found % size));
}

}  // namespace

GraphStats reachOnGpu(std::size_t count, std::size_t step, ConstElements distances,
                      CUstream_st* stream) {
  return withElements(distances,
                      [&](const auto* first) { return reach(count, step, first, stream); });
}

std::optional<std::pair<int, int>> firstOpenPair(int n, ConstElements distances,
                                                 CUstream_st* stream) {
  return withElements(distances, [&](const auto* all) { return openPair(n, all, stream); });
}

}  // namespace engine
