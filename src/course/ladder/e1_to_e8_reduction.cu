// Report E: the sum of n unsigned ints modulo 2³², in eight steps.
//
// Source: course report E, after M. Harris, Optimizing Parallel Reduction in CUDA (NVIDIA, 2007).
//
// Each block adds up a part of the values. The same kernel then adds up the sums of the blocks,
// until one is left. A step changes how a thread loads its value (Load) or how a block folds the
// values of its threads into one (Fold), and nothing else:
//
//   e1  The baseline: in each step, pairs twice as far apart are added. A modulo tells which
//   threads
//       add.
//   e2  The first threads add these pairs. Warps are not split, and there is no modulo.
//   e3  A thread adds the value half the block away. Neighbours then read neighbouring banks.
//   e4  A thread adds two values when it loads them: half as many blocks, and no idle threads.
//   e5  One warp folds the last 64 values, without barriers and without a loop.
//   e6  The size of a block is a template parameter, so there is no loop at all.
//   e7  Cascading: the grid fills the GPU once, and each thread first adds many values.
//   e8  The lanes of a warp exchange values by shuffles. Shared memory holds one value per warp.
//
// The report used an AMD GPU with wavefronts of 64 lanes, and does not give n. Its times are in the
// table at the end. Its profiler, omniperf, measured in percent (–: not given):
//
//                        e1      e2      e3      e4      e5      e6     e7    e8
//   active threads    37.38    53.2   48.38   52.34   59.15   59.15   59.9     –
//   branches           26.0    21.5    20.5    20.5    5.75    3.25      –     –
//   bank conflicts        –   45.00    0.00       –       –       –      –     –
//
// Here a warp has 32 lanes. Up to e5, the size of a block is blockDim.x, which the compiler does
// not know. Otherwise it would unroll all loops and turn the modulo of e1 into a mask. In the
// original, the last warp relied on its lanes to run in lockstep, and its values were volatile.
// Lanes do not run in lockstep on today's GPUs, so __syncwarp() orders them here, and nothing is
// volatile.
//
// The reference is DeviceReduce of CUB, from the CUDA toolkit. All steps, and CUB, get their
// scratch memory from the caller: no time includes an allocation.
#include "ladder/reduction.h"

#include <algorithm>
#include <cub/device/device_reduce.cuh>

#include "device/cuda.h"

namespace {

constexpr unsigned kThreads = 256;

// ---- loads: the value of a thread, and the number of blocks -------------------------------------

/// Value i, or 0 beyond the end. values: (n).
__device__ unsigned valueAt(unsigned i, unsigned n, const unsigned* values) {
  return i < n ? values[i] : 0;
}

struct One {
  static unsigned blocks(unsigned n) { return ceilDiv(n, kThreads); }
  static __device__ unsigned load(unsigned n, const unsigned* values) {
    const unsigned i = blockIdx.x * kThreads + threadIdx.x;
    return valueAt(i, n, values);
  }
};

struct Two {
  static unsigned blocks(unsigned n) { return ceilDiv(n, 2 * kThreads); }
  static __device__ unsigned load(unsigned n, const unsigned* values) {
    const unsigned i = blockIdx.x * 2 * kThreads + threadIdx.x;
    return valueAt(i, n, values) + valueAt(i + kThreads, n, values);
  }
};

/// As many blocks as run at a time, but not so many that threads have less than kAtLeast values.
struct Many {
  static constexpr unsigned kAtLeast = 8;
  static unsigned blocks(unsigned n) { return std::min(atOnce(), ceilDiv(n, kAtLeast * kThreads)); }
  static __device__ unsigned load(unsigned n, const unsigned* values) {
    unsigned sum = 0;
    const std::int64_t stride = gridDim.x * kThreads;
#pragma unroll 4  // four loads are in flight at a time; only if i is signed, because it cannot wrap
    for (std::int64_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) sum += values[i];
    return sum;
  }

 private:
  /// The number of blocks for which this GPU has threads.
  static unsigned atOnce() {
    static const unsigned blocks = [] {
      int device = 0, units = 0, threads = 0;
      CHECK_CUDA(cudaGetDevice(&device));
      CHECK_CUDA(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device));
      CHECK_CUDA(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
      return static_cast<unsigned>(units) * (static_cast<unsigned>(threads) / kThreads);
    }();
    return blocks;
  }
};

// ---- folds: the values of the threads become one, valid in thread 0 -----------------------------

/// The values of all threads of the block, in shared memory: (kThreads).
__device__ unsigned* share(unsigned value) {
  __shared__ unsigned sums[kThreads];
  sums[threadIdx.x] = value;
  __syncthreads();  // every thread has written its value
  return sums;
}

struct Modulo {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      if (t % (2 * s) == 0) sums[t] += sums[t + s];
      __syncthreads();  // sums[k · 2s] is the sum of the 2s values that begin there
    }
    return sums[0];
  }
};

struct Strided {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      const unsigned first = 2 * s * t;
      if (first < blockDim.x) sums[first] += sums[first + s];
      __syncthreads();  // sums[k · 2s] is the sum of the 2s values that begin there
    }
    return sums[0];
  }
};

struct Sequential {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
      if (t < s) sums[t] += sums[t + s];
      __syncthreads();  // the total is in the first s sums
    }
    return sums[0];
  }
};

/// The sum of the first 64 of `sums`, valid in lane 0 of the warp that calls it. All lanes add in
/// every step, because this costs nothing. Only the first s results matter.
__device__ unsigned foldInWarp(unsigned* sums) {
  const unsigned t = threadIdx.x;
  unsigned sum = sums[t];
#pragma unroll
  for (unsigned s = 32; s > 0; s /= 2) {
    sum += sums[t + s];
    __syncwarp();  // every lane has read before the next line overwrites
    sums[t] = sum;
    __syncwarp();  // the total is in the first s sums
  }
  return sum;
}

struct LastWarp {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
      if (t < s) sums[t] += sums[t + s];
      __syncthreads();  // the total is in the first s sums
    }
    return t < 32 ? foldInWarp(sums) : 0;
  }
};

template <unsigned kBlock>
struct Unrolled {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
#pragma unroll
    for (unsigned s = kBlock / 2; s > 32; s /= 2) {
      if (t < s) sums[t] += sums[t + s];
      __syncthreads();  // the total is in the first s sums
    }
    return t < 32 ? foldInWarp(sums) : 0;
  }
};
static_assert(kThreads >= 64 && (kThreads & (kThreads - 1)) == 0,
              "folds halve the block, and the last warp folds 64 values");

struct Shuffles {
  static __device__ unsigned fold(unsigned value) {
    return blockReduce(value, 0u, [](unsigned a, unsigned b) { return a + b; });
  }
};

// ---- the parts that the steps share -------------------------------------------------------------

/// values: (n); sums: (blocks), one for each block.
template <class Load, class Fold>
__global__ void __launch_bounds__(kThreads)
    sumBlocks(unsigned n, const unsigned* values, unsigned* sums) {
  const unsigned sum = Fold::fold(Load::load(n, values));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Launches the kernel again on the sums of the launch before, until one sum is left.
template <class Load, class Fold>
void sumAll(const Reduction& r) {
  const unsigned* values = r.values;
  unsigned* scratch = r.scratch;
  for (unsigned n = r.n, blocks = 0; blocks != 1; n = blocks) {
    blocks = Load::blocks(n);
    unsigned* const sums = blocks == 1 ? r.result : scratch;
    sumBlocks<Load, Fold><<<blocks, kThreads>>>(n, values, sums);
    values = sums;
    scratch += blocks;
  }
}

void sumByCub(const Reduction& r) {
  std::size_t bytes = r.scratchWords * sizeof(unsigned);
  CHECK_CUDA(cub::DeviceReduce::Sum(r.scratch, bytes, r.values, r.result, static_cast<int>(r.n)));
}

/// Enough for the sums of all launches except the last one: most with Load = One. And enough for
/// CUB.
std::size_t scratchWords(unsigned n) {
  std::size_t words = 0, bytes = 0;
  for (unsigned blocks = One::blocks(n); blocks > 1; blocks = One::blocks(blocks)) words += blocks;
  const unsigned* const values = nullptr;
  unsigned* const result = nullptr;
  CHECK_CUDA(cub::DeviceReduce::Sum(nullptr, bytes, values, result, static_cast<int>(n)));
  return std::max(words, ceilDiv(bytes, sizeof(unsigned)));
}

__global__ void fillValues(unsigned n, unsigned* values) {  // values: (n)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) values[i] = reductionValue(i);
}

void fill(unsigned n, unsigned* values) {
  fillValues<<<ceilDiv(n, kThreads), kThreads>>>(n, values);
  CHECK_CUDA(cudaGetLastError());
}

}  // namespace

ReductionReport reportE() {
  return {{{"e1", "interleaved, modulo", sumAll<One, Modulo>, 1.322721},
           {"e2", "strided, no modulo", sumAll<One, Strided>, 1.2152},
           {"e3", "sequential addresses", sumAll<One, Sequential>, 1.13488},
           {"e4", "first add in load", sumAll<Two, Sequential>, 0.948001},
           {"e5", "last warp unrolled", sumAll<Two, LastWarp>, 0.99328},
           {"e6", "fully unrolled", sumAll<Two, Unrolled<kThreads>>, 0.994241},
           {"e7", "cascading", sumAll<Many, Unrolled<kThreads>>, 0.99072},
           {"e8", "warp shuffles", sumAll<Many, Shuffles>, 0.948959},
           {"cub", "CUB's DeviceReduce", sumByCub, 0}},
          scratchWords,
          fill};
}
