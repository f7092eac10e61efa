// Floyd and Warshall's algorithm on many small graphs: one launch for all of them, and each graph
// stays in the registers of a few threads from its first load to its last store.
//
// Bounds. A graph of n = 32 in int32 is read and written once: 8 KiB. An H100 moves 3.35 TB/s at
// the most, so a million of them take 2.5 ms. They are 33 G relaxations. A relaxation is one
// instruction (VIADDMNMX: add, then take the minimum), of which a multiprocessor does 64 lanes per
// cycle; 132 of them at 1.755 GHz take 2.2 ms. So memory and arithmetic are balanced at n = 32.
// Below it memory is the bound, above it arithmetic.
//
// Tiles. kDown × kAcross threads share a graph. Each holds a tile of kRows × kColumns elements, but
// these are no neighbours: the thread (r, c) has the rows r, r + kDown, … and the columns c,
// c + kAcross, …:
//
//     d[x][y] of the thread (r, c) is the element (x·kDown + r, y·kAcross + c).
//
// Then threads that are neighbours load and store neighbouring elements, whatever n is; and the
// pivots x·kDown to x·kDown + kDown - 1 are in register row x of somebody. Registers have no
// addresses: the loop over x is unrolled, that over the rest of the pivot's number is not.
//
// A pivot k takes, of every thread, d[i][k] of its rows and d[k][j] of its columns, then relaxes
// its whole tile with them. Row k and column k do not change meanwhile, because d[k][k] = 0 and no
// weight is negative. Therefore it does not matter who of the threads is early.
//
//   n ≤ 32   tiles of 8 × 4, in 32, 8 or 2 lanes of a warp (n ≤ 32, 16, 8). The elements come by
//            12 shuffles for 32 relaxations. There is no barrier, because a warp's shuffles wait
//            for all its lanes. Bound by the shuffles, 32 lanes per cycle: 384 cycles for n = 32,
//            beside 512 of arithmetic.
//   n ≤ 128  tiles of 8 × 8, in a block of 8 × 8 or 16 × 16 threads (n ≤ 64, 128). The elements
//            come through shared memory: their owners write them, and all read 16 of them for 64
//            relaxations. One barrier for each pivot, because row and column k are there twice.
//
// Outside the matrix, tiles hold infinity, which lowers nothing; pivots outside are left out. The
// sum of two infinities fits the type.
#include "batch/batch_gpu.h"

#include <algorithm>
#include <climits>
#include <cstddef>

#include "base/dtype.h"
#include "base/size.h"
#include "batch/batch_cpu.h"
#include "device/cuda.h"
#include "device/parcel.h"

namespace engine::batch {

namespace {

template <class T>
__device__ T least(T a, T b) {
  return a < b ? a : b;
}
/// One instruction, which a comparison is not, because of NaN.
__device__ float least(float a, float b) {
  return fminf(a, b);
}

/// A thread's part of a graph: see "Tiles" above.
template <class T, int kRows, int kColumns, int kDown, int kAcross>
struct Tile {
  int r, c;  // of the thread
  T d[kRows][kColumns];

  /// Calls f(element, where it lies in the matrix, whether it is on the diagonal) for all of the
  /// tile that is in an n×n matrix. there: whether there is a matrix.
  template <class F>
  __device__ void each(int n, T* matrix, bool there, F f) {
    const int rows = there ? n - r : 0, columns = n - c;
    T* const corner = matrix + r * n + c;
#pragma unroll
    for (int x = 0; x < kRows; ++x) {
      T* const row = corner + x * kDown * n;
#pragma unroll
      for (int y = 0; y < kColumns; ++y) {
        // Known to the compiler: most elements are on no thread's diagonal.
        const bool near = x * kDown < (y + 1) * kAcross && y * kAcross < (x + 1) * kDown;
        const bool diagonal = near && x * kDown + r == y * kAcross + c;
        if (x * kDown < rows && y * kAcross < columns) f(d[x][y], row[y * kAcross], diagonal);
      }
    }
  }

  __device__ void load(int n, T* matrix, bool there = true) {
#pragma unroll
    for (int x = 0; x < kRows; ++x)
#pragma unroll
      for (int y = 0; y < kColumns; ++y) d[x][y] = kInfinity<T>;
    each(n, matrix, there, [](T& element, const T& weight, bool diagonal) {
      element = diagonal ? T{0} : weight + T{0};  // -0.0 becomes 0.0
    });
  }
  __device__ void store(int n, T* matrix, bool there = true) {
    each(n, matrix, there, [](const T& element, T& distance, bool) { distance = element; });
  }

  /// first: (kRows) elements of the pivot's column; through: (kColumns) of its row.
  __device__ void relax(const T (&first)[kRows], const T (&through)[kColumns]) {
#pragma unroll
    for (int x = 0; x < kRows; ++x)
#pragma unroll
      for (int y = 0; y < kColumns; ++y) {
        d[x][y] = least(first[x] + through[y], d[x][y]);
      }
  }
};

// ---- n ≤ 32: a graph in lanes of a warp

constexpr int kThreads = 128;

/// The lanes that share a graph of up to kSide vertices.
template <int kSide>
struct Group {
  static constexpr int kRows = 8, kColumns = 4;
  static constexpr int kDown = kSide / kRows, kAcross = kSide / kColumns;
  static constexpr int kLanes = kDown * kAcross, kPerBlock = kThreads / kLanes;
  static_assert(kLanes <= 32 && kAcross == 2 * kDown);
};

// matrices: (count, n, n)
template <class T, int kSide>
__global__ void __launch_bounds__(kThreads) solveInWarps(std::size_t count, int n, T* matrices) {
  using G = Group<kSide>;
  const int lane = threadIdx.x % G::kLanes;
  Tile<T, G::kRows, G::kColumns, G::kDown, G::kAcross> tile{lane / G::kAcross, lane % G::kAcross};
  for (std::size_t first = asSize(blockIdx.x) * G::kPerBlock; first < count;
       first += asSize(gridDim.x) * G::kPerBlock) {
    const std::size_t number = first + threadIdx.x / G::kLanes;
    T* const matrix = matrices + number * asSize(n * n);
    const bool there = number < count;  // else these lanes only take part in the shuffles
    tile.load(n, matrix, there);
#pragma unroll
    for (int q = 0; q < G::kRows; ++q) {
      const int pivots = min(G::kDown, n - q * G::kDown);  // the same in all lanes of the warp
#pragma unroll 1
      for (int s = 0; s < pivots; ++s) {
        // Pivot k = q·kDown + s is in row q of the lanes (s, ·). It is column k too, which is in
        // column q / 2 of the lanes (·, q % 2 · kDown + s), because kAcross = 2·kDown. A shuffle
        // returns what all lanes held when it began, and the tile changes after the last one.
        T column[G::kRows], row[G::kColumns];
#pragma unroll
        for (int x = 0; x < G::kRows; ++x)
          column[x] = __shfl_sync(kAllLanes, tile.d[x][q / 2],
                                  tile.r * G::kAcross + q % 2 * G::kDown + s, G::kLanes);
#pragma unroll
        for (int y = 0; y < G::kColumns; ++y)
          row[y] = __shfl_sync(kAllLanes, tile.d[q][y], s * G::kAcross + tile.c, G::kLanes);
        tile.relax(column, row);
      }
    }
    tile.store(n, matrix, there);
  }
}

// ---- n ≤ 128: a graph in a block

// matrices: (count, n, n), n ≤ 8 · kGrid; kGrid² threads
template <class T, int kGrid>
__global__ void __launch_bounds__(kGrid* kGrid)
    solveInBlocks(std::size_t count, int n, T* matrices) {
  constexpr int kTile = 8;
  // Of the present pivot, at half; and of the one before, which late threads may still read.
  __shared__ T row[2][kTile * kGrid], column[2][kTile * kGrid];
  int half = 0;
  Tile<T, kTile, kTile, kGrid, kGrid> tile{static_cast<int>(threadIdx.x) / kGrid,
                                           static_cast<int>(threadIdx.x) % kGrid};
  for (std::size_t number = blockIdx.x; number < count; number += gridDim.x) {
    T* const matrix = matrices + number * asSize(n * n);
    tile.load(n, matrix);
#pragma unroll
    for (int q = 0; q < kTile; ++q) {
      const int pivots = min(kGrid, n - q * kGrid);  // the same in all threads
#pragma unroll 1
      for (int s = 0; s < pivots; ++s) {
        // Pivot q·kGrid + s is row q of the threads (s, ·), and column q of the threads (·, s).
        if (tile.r == s) {
#pragma unroll
          for (int y = 0; y < kTile; ++y) row[half][y * kGrid + tile.c] = tile.d[q][y];
        }
        if (tile.c == s) {
#pragma unroll
          for (int x = 0; x < kTile; ++x) column[half][x * kGrid + tile.r] = tile.d[x][q];
        }
        __syncthreads();
        // Row and column of this pivot are complete at `half`. All threads have done the pivot
        // before, so nobody reads the other half, and the next pivot may be written there. Nobody
        // writes this half until all have come to the next barrier, after their reads. This also
        // holds from one graph to the next, because the halves take turns without a break.
        T first[kTile], through[kTile];
#pragma unroll
        for (int x = 0; x < kTile; ++x) first[x] = column[half][x * kGrid + tile.r];
#pragma unroll
        for (int y = 0; y < kTile; ++y) through[y] = row[half][y * kGrid + tile.c];
        tile.relax(first, through);
        half ^= 1;
      }
    }
    tile.store(n, matrix);  // each thread its own elements, which no other thread reads
  }
}

/// As many blocks as there are groups of graphs.
template <class T, int kSide>
void launchInWarps(std::size_t count, int n, T* matrices, cudaStream_t stream) {
  const unsigned blocks = blocksFor(count, Group<kSide>::kPerBlock);
  solveInWarps<T, kSide><<<blocks, kThreads, 0, stream>>>(count, n, matrices);
}
template <class T, int kGrid>
void launchInBlocks(std::size_t count, int n, T* matrices, cudaStream_t stream) {
  solveInBlocks<T, kGrid><<<blocksFor(count, 1), kGrid * kGrid, 0, stream>>>(count, n, matrices);
}

/// The kernels, from the smallest graphs to the largest.
template <class T>
struct Kernel {
  int most;  ///< vertices
  void (*launch)(std::size_t count, int n, T* matrices, cudaStream_t stream);
};

template <class T>
void solve(std::size_t count, int n, T* matrices, cudaStream_t stream) {
  static constexpr Kernel<T> kernels[] = {{8, launchInWarps<T, 8>},
                                          {16, launchInWarps<T, 16>},
                                          {32, launchInWarps<T, 32>},
                                          {64, launchInBlocks<T, 8>},
                                          {128, launchInBlocks<T, 16>}};
  const Kernel<T>* kernel = kernels;
  while (kernel->most < n) ++kernel;
  kernel->launch(count, n, matrices, stream);
  CHECK_CUDA(cudaGetLastError());
}

}  // namespace

void solveOnGpu(std::size_t count, int n, Elements matrices, CUstream_st* stream) {
  if (count > 0) withElements(matrices, [&](auto* all) { solve(count, n, all, stream); });
}

// The kernel reads and writes page-locked memory of the host by itself. Each element goes over the
// bus once there and once back, as by two copies, but CUDA is asked for a launch and a wait alone.
// Memory on the GPU and the copies would take longer than the kernel.
void solveOneOnGpu(int n, Elements matrix) {
  constexpr std::size_t kMostBytes = sizeof(double) * kMostVertices * kMostVertices;
  const std::size_t count = asSize(n) * asSize(n);
  const Elements shared(matrix.dtype(), Locked::ofThread(kMostBytes).data());
  copyElements(matrix, count, shared);
  solveOnGpu(1, n, shared, nullptr);
  CHECK_CUDA(cudaStreamSynchronize(nullptr));
  copyElements(shared, count, matrix);
}

}  // namespace engine::batch
