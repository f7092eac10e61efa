// Report E: the sum of n unsigned ints modulo 2³² in eight steps, after M. Harris, Optimizing
// Parallel Reduction in CUDA (NVIDIA, 2007).
//
// A block sums up a part of the values into one, and the same kernel sums up those, until one is
// left. A step changes how a thread comes by its value (Load) or how the block folds the values of
// its threads (Fold), and nothing else:
//
//   e1  the baseline: sums pairs ever further apart; a % tells which threads still do
//   e2  the first threads sum these pairs: warps stay whole, and no % is computed
//   e3  a thread adds what lies half the block away: neighbours read neighbouring banks
//   e4  a thread adds two values when it loads them: half the blocks, no thread without work
//   e5  the last 64 values are folded by one warp: no barrier of the block, no loop
//   e6  the size of the block is a constant of the template: no loop at all
//   e7  cascading: a grid that fills the GPU once, whose threads add many values each at first
//   e8  lanes of a warp hand each other values by shuffles: no shared memory but a value a warp
//
// The report ran on an AMD GPU, wavefronts of 64 lanes, and does not say n. Its times stand in the
// table at the end; its profiler, omniperf, told it (–: not given):
//
//                        e1      e2      e3      e4      e5      e6     e7    e8
//   active threads    37.38    53.2   48.38   52.34   59.15   59.15   59.9     –
//   branches           26.0    21.5    20.5    20.5    5.75    3.25      –     –
//   bank conflicts        –   45.00    0.00       –       –       –      –     –
//
// Here a warp has 32 lanes. Until e5 the size of the block is blockDim.x, which the compiler does
// not know: else it would unroll all loops and turn e1's % into a mask. The original's last warp
// trusted its lanes to run in lockstep and declared the values volatile; lanes do not, so that
// __syncwarp() stands where it matters, and nothing is volatile.
//
// The anchor is DeviceReduce of CUB, out of the CUDA toolkit. All steps, CUB's too, are handed
// their scratch memory: no time includes its allocation.
#include "ladder/reduction.h"

#include <algorithm>
#include <cub/device/device_reduce.cuh>

#include "device/cuda.h"

namespace {

constexpr unsigned kThreads = 256;

// ---- loads: a thread's value, and how many blocks that takes -----------------------------------

/// values: (n)
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

/// As many blocks as run at once, but none whose threads have less than kAtLeast values each.
struct Many {
  static constexpr unsigned kAtLeast = 8;
  static unsigned blocks(unsigned n) { return std::min(atOnce(), ceilDiv(n, kAtLeast * kThreads)); }
  static __device__ unsigned load(unsigned n, const unsigned* values) {
    unsigned sum = 0;
    const std::int64_t stride = gridDim.x * kThreads;
#pragma unroll 4  // so many loads under way at once; i is signed, or there would be one
    for (std::int64_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) sum += values[i];
    return sum;
  }

 private:
  /// The blocks that this GPU has threads for.
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

// ---- folds: of the threads' values one, valid in thread 0 --------------------------------------

/// All values of the block, by thread.
__device__ unsigned* share(unsigned value) {
  __shared__ unsigned sums[kThreads];
  sums[threadIdx.x] = value;
  __syncthreads();  // every thread's value is there
  return sums;
}

struct Modulo {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      if (t % (2 * s) == 0) sums[t] += sums[t + s];
      __syncthreads();  // sums[k · 2s] is the sum of the 2s values from there on
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
      __syncthreads();  // sums[k · 2s] is the sum of the 2s values from there on
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
      __syncthreads();  // the first s sums are all of it
    }
    return sums[0];
  }
};

/// The sum of the first 64 of sums, valid in lane 0 of the warp that calls it. All lanes add at
/// every step, as that costs nothing; what counts are the first s.
__device__ unsigned foldInWarp(unsigned* sums) {
  const unsigned t = threadIdx.x;
  unsigned sum = sums[t];
#pragma unroll
  for (unsigned s = 32; s > 0; s /= 2) {
    sum += sums[t + s];
    __syncwarp();  // every lane has read what is overwritten next
    sums[t] = sum;
    __syncwarp();  // the first s sums are all of it
  }
  return sum;
}

struct LastWarp {
  static __device__ unsigned fold(unsigned value) {
    unsigned* const sums = share(value);
    const unsigned t = threadIdx.x;
    for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
      if (t < s) sums[t] += sums[t + s];
      __syncthreads();  // the first s sums are all of it
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
      __syncthreads();  // the first s sums are all of it
    }
    return t < 32 ? foldInWarp(sums) : 0;
  }
};
static_assert(kThreads >= 64 && (kThreads & (kThreads - 1)) == 0,
              "folds halve the block, and the last warp has 64 values");

struct Shuffles {
  static __device__ unsigned fold(unsigned value) {
    return blockReduce(value, 0u, [](unsigned a, unsigned b) { return a + b; });
  }
};

// ---- what the steps share ----------------------------------------------------------------------

/// values: (n), sums: one a block
template <class Load, class Fold>
__global__ void __launch_bounds__(kThreads)
    sumBlocks(unsigned n, const unsigned* values, unsigned* sums) {
  const unsigned sum = Fold::fold(Load::load(n, values));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// One launch after another, each on the sums of the one before, until there is one.
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

/// The sums of all launches but the last, where Load is One and they are most; or what CUB asks
/// for.
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
