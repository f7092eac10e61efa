// The optimised solver: blocked Floyd–Warshall, every step of it one min-plus product of tiles.
//
// Floyd–Warshall allows paths through vertex k, for k = 0 … n−1, one k at a time. Blocked
// (Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and Kider 2008 on GPUs), it allows a whole
// pivot block p of vertices at a time. With D(i,j) a tile and ⊗ the min-plus product, round p is
//
//     pivot         D(p,p) becomes its closure D*(p,p): Floyd–Warshall inside the tile
//     row panel     D(p,j) = min(D(p,j), D*(p,p) ⊗ D(p,j))          for all j ≠ p
//     column panel  D(i,p) = min(D(i,p), D(i,p) ⊗ D*(p,p))          for all i ≠ p
//     rest          D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))           for all i, j ≠ p
//
// A path from i to j through block p is a path to its first vertex in p, one within what D* has
// closed, and one from its last: a single product allows them all. Closing the pivot needs the
// sequential loop over k: a product D(p,p) ⊗ D(p,p) joins two edges, no more. Note that panels and
// rest are one formula, D(i,j) ← D(i,p) ⊗ D(p,j), with D*(p,p) standing where i or j is p.
//
// The tile update. Nearly all n³ relaxations are in the rest, and what counts there is how often a
// value is read. A block of 256 threads updates a 128×128 tile, so that a panel value read from
// device memory serves 128 sums; a thread holds an 8×8 part of it in registers, so that 16 values
// read from shared memory serve 64. Both operands are read as int4: four consecutive k of a row of
// the left panel, four consecutive j of the right one; a warp is 8 threads across and 4 down, so
// that either read of a warp covers at most 128 bytes without bank conflicts. From sm_90 on, a sum
// and a minimum are one instruction (VIADDMNMX), which the compiler finds in plain C. 64 a cycle
// and multiprocessor is the wall.
//
// Two schedules of the same update:
//
// Dataflow, one persistent kernel, for large n on sm_80 and later. Blocks of threads take tile
// updates from one list, in order. Each tile carries the number of rounds it has taken, and an
// update waits until its operands carry enough of them. All that an update waits for stands before
// it in the list, so the oldest one in progress can always go on: no deadlock, however few blocks
// run at once. The list looks ahead: round p begins with the tiles of the next pivot's row and
// column, the next pivot tile being closed by the block that updates it, and the next round's
// panels come long before this round is over. There is no barrier between rounds, so no tail of
// idle multiprocessors and no launch.
//
//     Nothing waits for the readers of a tile. Round p+1 may lower a tile of panel p while round p
//     still reads it: harmless. An entry is at all times the length of some walk, and only falls; a
//     newer value makes the result no larger than the old one would and never less than the
//     distance.
//
// Three phases, a launch each, on 64×64 pivot blocks in place: for small n, where the chain of
// closures is the time, and for older GPUs (static shared memory only, as sm_60 has it).
//
// Any n: what lies outside the matrix is read as kInf and not written. kInf + kInf fits in an int
// and is never below kInf, so that padding changes nothing.
#include <cuda_runtime.h>

#include <algorithm>

#include "apsp.h"
#include "src/gpu.h"

namespace {

constexpr int kTile = 64;         // a quadrant; the pivot block of the three phases
constexpr int kWide = 2 * kTile;  // side of the tile that a block of threads updates in the rest
constexpr int kSlice = 32;        // pivot vertices of the panels in shared memory at a time
constexpr int kVector = 4;        // ints in an int4
constexpr int kSide = 16;         // the threads of a block form a square of kSide × kSide
constexpr int kThreads = kSide * kSide;
constexpr int kLeftStride =
    kSlice + kVector;                // puts rows that a warp reads together into other banks
constexpr int kDataflowFrom = 1800;  // n from which the dataflow schedule is faster

static_assert(kSide * kVector == kTile, "a thread's columns tile a quadrant exactly");
static_assert(kTile % kSlice == 0 && kSlice % kVector == 0, "slices of int4 cover the pivot block");
static_assert(sizeof(int) * kWide * (kLeftStride + kSlice) <= 48 * 1024, "static shared memory");

/// Panels of a slice in shared memory, for tiles of kRows × kRows.
template <int kRows>
struct Slice {
  int left[kRows][kLeftStride];  // D(i,p): rows of the tile × slice of p; the last int4 is padding
  int right[kSlice][kRows];      // D(p,j): slice of p × columns of the tile
};

/// Row k and column k of a pivot tile, in two buffers by turns.
template <int kRows>
struct Pivots {
  int row[2][kRows], column[2][kRows];
};

/// The n×n matrix in device memory. kAligned: n is a multiple of 4, so that rows start at 16 bytes.
template <bool kAligned>
struct View {
  int n;
  int* graph;  // (n, n)

  __device__ int* at(int i, int j) const { return graph + static_cast<std::size_t>(i) * n + j; }

  /// Elements (i, j … j+3), kInf where they lie outside.
  __device__ int4 load(int i, int j) const {
    int4 v = make_int4(kInf, kInf, kInf, kInf);
    if (i >= n || j >= n) return v;
    if constexpr (kAligned) return *reinterpret_cast<const int4*>(at(i, j));
    v.x = *at(i, j);
    if (j + 1 < n) v.y = *at(i, j + 1);
    if (j + 2 < n) v.z = *at(i, j + 2);
    if (j + 3 < n) v.w = *at(i, j + 3);
    return v;
  }

  __device__ void store(int i, int j, int4 v) const {
    if (i >= n || j >= n) return;
    if constexpr (kAligned) {
      *reinterpret_cast<int4*>(at(i, j)) = v;
      return;
    }
    *at(i, j) = v.x;
    if (j + 1 < n) *at(i, j + 1) = v.y;
    if (j + 2 < n) *at(i, j + 2) = v.z;
    if (j + 3 < n) *at(i, j + 3) = v.w;
  }

  /// Copies the slice from pivot vertex k of the panels of tile (i0, j0), all threads together.
  template <int kRows>
  __device__ void loadSlice(int i0, int j0, int k, Slice<kRows>& slice) const {
#pragma unroll
    for (int at = threadIdx.x * kVector; at < kRows * kSlice; at += kThreads * kVector) {
      const int i = at / kSlice, depth = at % kSlice;
      *reinterpret_cast<int4*>(&slice.left[i][depth]) = load(i0 + i, k + depth);
      const int row = at / kRows, j = at % kRows;
      *reinterpret_cast<int4*>(&slice.right[row][j]) = load(k + row, j0 + j);
    }
  }
};

/// A matrix of whole tiles in device memory, read past the L1 cache, which other blocks' writes
/// miss.
struct Padded {
  int stride;   // a multiple of kWide
  int* matrix;  // (stride, stride)

  __device__ int* at(int i, int j) const {
    return matrix + static_cast<std::size_t>(i) * stride + j;
  }
  __device__ int4 load(int i, int j) const {
    return __ldcg(reinterpret_cast<const int4*>(at(i, j)));
  }
  __device__ void store(int i, int j, int4 v) const { *reinterpret_cast<int4*>(at(i, j)) = v; }

  /// As View::loadSlice(), but returns at once: the copies are done after waitForCopies().
  __device__ void loadSlice(int i0, int j0, int k, Slice<kWide>& slice) const {
#pragma unroll
    for (int at = threadIdx.x * kVector; at < kWide * kSlice; at += kThreads * kVector) {
      const int i = at / kSlice, depth = at % kSlice, row = at / kWide, j = at % kWide;
      copyAsync(&slice.left[i][depth], this->at(i0 + i, k + depth));
      copyAsync(&slice.right[row][j], this->at(k + row, j0 + j));
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }

  /// 16 bytes, through L2 only.
  static __device__ void copyAsync(int* shared, const int* global) {
#if __CUDA_ARCH__ >= 800
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
#else
    *reinterpret_cast<int4*>(shared) = __ldcg(reinterpret_cast<const int4*>(global));
#endif
  }

  /// All but the newest kPending slices that this thread asked for have arrived.
  template <int kPending>
  static __device__ void waitForCopies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
  }
};

/// What one thread holds of a square tile of kQuads × kQuads quadrants: rows `row`, row + 16, … and
/// the four columns from `column` of each quadrant.
template <int kQuads>
struct Part {
  static constexpr int kRows = kTile * kQuads;  // side of the tile
  static constexpr int kSize = kVector * kQuads;
  int value[kSize][kSize];
  int row, column;

  __device__ Part() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;  // 2 × 4 warps of 8 × 4 threads
    row = warp / 2 * 4 + lane / 8;
    column = (warp % 2 * 8 + lane % 8) * kVector;
  }

  static __device__ int4& vector(int& first) { return *reinterpret_cast<int4*>(&first); }
  static __device__ const int4& vector(const int& first) {
    return *reinterpret_cast<const int4*>(&first);
  }

  template <class Matrix>
  __device__ void load(const Matrix& matrix, int i0, int j0) {
#pragma unroll
    for (int r = 0; r < kSize; ++r) {
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        vector(value[r][q * kVector]) = matrix.load(i0 + row + r * kSide, j0 + column + q * kTile);
      }
    }
  }

  /// Stores all but the quadrants in the rows and columns that start at `except`.
  template <class Matrix>
  __device__ void store(const Matrix& matrix, int i0, int j0, int except = -1) const {
#pragma unroll
    for (int r = 0; r < kSize; ++r) {
      if (i0 + r / kVector * kTile == except) continue;
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        if (j0 + q * kTile == except) continue;
        matrix.store(i0 + row + r * kSide, j0 + column + q * kTile, vector(value[r][q * kVector]));
      }
    }
  }

  /// value = min(value, left ⊗ right).
  __device__ void relax(const Slice<kRows>& slice) {
#pragma unroll 1
    for (int k = 0; k < kSlice; k += kVector) {
      int left[kSize][kVector];
#pragma unroll
      for (int r = 0; r < kSize; ++r) vector(left[r][0]) = vector(slice.left[row + r * kSide][k]);
#pragma unroll
      for (int step = 0; step < kVector; ++step) {
        int right[kSize];
#pragma unroll
        for (int q = 0; q < kQuads; ++q) {
          vector(right[q * kVector]) = vector(slice.right[k + step][column + q * kTile]);
        }
#pragma unroll
        for (int r = 0; r < kSize; ++r) {
#pragma unroll
          for (int c = 0; c < kSize; ++c) value[r][c] = min(value[r][c], left[r][step] + right[c]);
        }
      }
    }
  }

  /// The closure of the tile. For step k its owners publish row k and column k, in one of two
  /// buffers by turns, so that a step has one barrier. k = r·kSide + k4 + step, so that every index
  /// into `value` is known when this is compiled: row k is value[r] of one row of threads, column k
  /// is value[…][c] of one column.
  __device__ void close(Pivots<kRows>& pivots) {
#pragma unroll
    for (int r = 0; r < kSize; ++r) {
#pragma unroll 1
      for (int k4 = 0; k4 < kSide; k4 += kVector) {
#pragma unroll
        for (int step = 0; step < kVector; ++step) {
          int(&rowK)[kRows] = pivots.row[step % 2];
          int(&columnK)[kRows] = pivots.column[step % 2];
          if (row == k4 + step) {
#pragma unroll
            for (int q = 0; q < kQuads; ++q)
              vector(rowK[column + q * kTile]) = vector(value[r][q * kVector]);
          }
          if (column == r % kVector * kSide + k4) {
#pragma unroll
            for (int i = 0; i < kSize; ++i)
              columnK[row + i * kSide] = value[i][r / kVector * kVector + step];
          }
          __syncthreads();  // row and column k are published; those of step k−1 have been read by
                            // all
          int right[kSize];
#pragma unroll
          for (int q = 0; q < kQuads; ++q)
            vector(right[q * kVector]) = vector(rowK[column + q * kTile]);
#pragma unroll
          for (int i = 0; i < kSize; ++i) {
            const int left = columnK[row + i * kSide];
#pragma unroll
            for (int c = 0; c < kSize; ++c) value[i][c] = min(value[i][c], left + right[c]);
          }
        }
      }
    }
  }
};

// ---- three phases ---------------------------------------------------------------------------

/// Phase 1, one block of threads: the closure of the pivot tile.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads) closePivot(View<kAligned> matrix, int pivot) {
  alignas(16) __shared__ Pivots<kTile> pivots;
  Part<1> part;
  part.load(matrix, pivot, pivot);
  part.close(pivots);
  part.store(matrix, pivot, pivot);
}

/// Updates tile (i0, j0) through the kTile vertices from `pivot`, slice by slice.
template <int kQuads, bool kAligned>
__device__ void updateTile(View<kAligned> matrix, int i0, int j0, int pivot, Part<kQuads>& part) {
  alignas(16) __shared__ Slice<kTile * kQuads> slice;
  part.load(matrix, i0, j0);
  for (int k = pivot; k < pivot + kTile; k += kSlice) {
    __syncthreads();  // the slice before has been read by every thread
    matrix.loadSlice(i0, j0, k, slice);
    __syncthreads();  // this slice is in shared memory
    part.relax(slice);
  }
}

/// Phase 2, a block for each tile of the row panel (blockIdx.y = 0) and of the column panel (1).
template <bool kAligned>
__global__ void __launch_bounds__(kThreads) updatePanels(View<kAligned> matrix, int pivot) {
  const int other = blockIdx.x * kTile;
  if (other == pivot) return;  // the pivot tile itself
  const int i0 = blockIdx.y == 0 ? pivot : other, j0 = blockIdx.y == 0 ? other : pivot;
  Part<1> part;
  updateTile(matrix, i0, j0, pivot, part);
  part.store(matrix, i0, j0);  // nothing but this block reads the tile in this phase
}

/// Phase 3, a block for each 128×128 tile: the rest.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2) updateRest(View<kAligned> matrix, int pivot) {
  const int i0 = blockIdx.y * kWide, j0 = blockIdx.x * kWide;
  Part<2> part;
  updateTile(matrix, i0, j0, pivot, part);
  part.store(matrix, i0, j0, pivot);  // the panels are done, and others read them
}

template <bool kAligned>
void solveInPhases(View<kAligned> matrix) {
  const unsigned tiles = ceilDiv(matrix.n, kTile), wide = ceilDiv(matrix.n, kWide);
  for (int pivot = 0; pivot < matrix.n; pivot += kTile) {
    closePivot<<<1, kThreads>>>(matrix, pivot);
    if (tiles == 1) return;
    updatePanels<<<dim3(tiles, 2), kThreads>>>(matrix, pivot);
    updateRest<<<dim3(wide, wide), kThreads>>>(matrix, pivot);
  }
}

// ---- dataflow -------------------------------------------------------------------------------

/// The tile update D(i,j) ← D(i,p) ⊗ D(p,j) of the list; p = −1: none, the tile is only closed.
struct Update {
  int p, i, j;
  bool close;  // then close the tile: it is the next pivot
};

/// The list of all updates of a matrix of m × m tiles, m ≥ 2, in an order in which each comes after
/// all that it depends on. Tiles are counted from the pivot on, modulo m.
struct Schedule {
  int m;
  /// Updates of the rest between the next pivot's row and column and the next round's panels:
  /// enough to keep every block busy while those tiles are finished.
  static constexpr int kAhead = 600;

  __host__ __device__ int panels() const { return 2 * (m - 1); }
  __host__ __device__ int cross() const {
    return 1 + 2 * (m - 2);
  }  // the next pivot's row and column
  __host__ __device__ int inner() const { return (m - 2) * (m - 2); }
  __host__ __device__ int round() const { return cross() + inner() + panels(); }
  __host__ __device__ int size() const {
    return 1 + panels() + (m - 1) * round() + (m - 1) * (m - 1);
  }

  __device__ Update panel(int p, int at) const {
    const int other = (p + 1 + at / 2) % m;
    return at % 2 == 0 ? Update{p, other, p, false} : Update{p, p, other, false};
  }

  __device__ Update operator[](int at) const {
    if (at == 0) return {-1, 0, 0, true};
    at -= 1;
    if (at < panels()) return panel(0, at);
    at -= panels();
    const int p = min(at / round(), m - 1), next = p + 1;
    at -= p * round();
    if (next == m)
      return {p, at / (m - 1), at % (m - 1), false};  // the last round: nothing comes next
    if (at == 0) return {p, next, next, true};
    if (at < cross()) {
      const int other = (next + 1 + (at - 1) / 2) % m;
      return at % 2 == 0 ? Update{p, next, other, false} : Update{p, other, next, false};
    }
    at -= cross();
    const int ahead = min(kAhead, inner());
    if (at >= ahead && at < ahead + panels()) return panel(next, at - ahead);
    if (at >= ahead) at -= panels();
    return {p, (next + 1 + at / (m - 2)) % m, (next + 1 + at % (m - 2)) % m, false};
  }
};

constexpr int kMostTiles = 1280;  // m³ places in the list fit in an int
static_assert(static_cast<long long>(kMostTiles) * kMostTiles * (kMostTiles + 2) < 0x7fffffff);

/// Shared memory of a block: two slices, one being read while the other one arrives.
struct DataflowShared {
  Slice<kWide> slices[2];
  Pivots<kWide> pivots;
  int at;
};

/// What the blocks share: the next place in the list, and how many rounds each tile has taken (a
/// pivot counts its round when it is closed). Zero at the start.
struct Progress {
  int next;
  int rounds[1];  // (m, m)
};

/// Returns once `rounds` has reached `wanted`; what was written before it did is then visible.
__device__ void waitFor(const int* rounds, int wanted) {
  while (*static_cast<const volatile int*>(rounds) < wanted) {
#if __CUDA_ARCH__ >= 700
    __nanosleep(64);
#endif
  }
  __threadfence();
}

__global__ void __launch_bounds__(kThreads, 2)
    dataflow(int n, Schedule schedule, Padded matrix, Progress* progress) {
  extern __shared__ __align__(16) unsigned char memory[];
  DataflowShared& shared = *reinterpret_cast<DataflowShared*>(memory);
  const int m = schedule.m;
  for (;;) {
    __syncthreads();  // shared.at has been read by all
    if (threadIdx.x == 0) shared.at = atomicAdd(&progress->next, 1);
    __syncthreads();
    if (shared.at >= schedule.size()) return;
    const Update update = schedule[shared.at];
    const int p = update.p, i0 = update.i * kWide, j0 = update.j * kWide, k0 = p * kWide;

    // The operands must have taken p rounds and their own part of round p, the tile itself p
    // rounds.
    if (p >= 0) {
      if (threadIdx.x == 0) waitFor(&progress->rounds[update.i * m + p], p + (update.j != p));
      if (threadIdx.x == 1) waitFor(&progress->rounds[p * m + update.j], p + (update.i != p));
      if (threadIdx.x == 2) waitFor(&progress->rounds[update.i * m + update.j], p);
      if (threadIdx.x == 3) waitFor(&progress->rounds[p * m + p], p + 1);
    }
    __syncthreads();  // what the awaited blocks wrote before they counted is visible to all threads

    Part<2> part;
    const int slices = p < 0 ? 0 : ceilDiv(min(kWide, n - k0), kSlice);  // the rest of p is padding
    if (slices > 0) matrix.loadSlice(i0, j0, k0, shared.slices[0]);
    part.load(matrix, i0, j0);
    for (int s = 0; s < slices; ++s) {
      if (s + 1 < slices) {
        matrix.loadSlice(i0, j0, k0 + (s + 1) * kSlice, shared.slices[(s + 1) % 2]);
        Padded::waitForCopies<1>();
      } else {
        Padded::waitForCopies<0>();
      }
      __syncthreads();  // slice s is here, every thread's share of it
      part.relax(shared.slices[s % 2]);
      __syncthreads();  // slice s has been read by all: slice s + 2 may take its place
    }
    if (update.close) part.close(shared.pivots);
    part.store(matrix, i0, j0);
    __syncthreads();  // every thread has stored
    if (threadIdx.x == 0) {
      __threadfence();  // … before this block counts its round
      *static_cast<volatile int*>(&progress->rounds[update.i * m + update.j]) =
          p + 1 + update.close;
    }
  }
}
constexpr int kCopyThreads = 256;

/// padded (stride, stride) = graph (n, n), kInf around it; or, kBack, the other way round. A block
/// a row.
template <bool kBack>
__global__ void __launch_bounds__(kCopyThreads) copyPadded(int n, int* graph, Padded padded) {
  const int i = blockIdx.x;
  int* const row = graph + static_cast<std::size_t>(i) * n;
  for (int j = threadIdx.x; j < (kBack ? n : padded.stride); j += kCopyThreads) {
    if constexpr (kBack) {
      row[j] = *padded.at(i, j);
    } else {
      *padded.at(i, j) = i < n && j < n ? row[j] : kInf;
    }
  }
}

/// Stream-ordered device memory from the default pool; null where there is none left.
template <class T>
class Workspace {
 public:
  explicit Workspace(std::size_t bytes) {
    if (cudaMallocAsync(&memory_, bytes, nullptr) == cudaSuccess) return;
    cudaGetLastError();  // a failed allocation is no sticky error: clear it
    memory_ = nullptr;
  }
  ~Workspace() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, nullptr);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  T* get() const { return static_cast<T*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// Solves by the dataflow schedule; false, and nothing done, on a GPU that cannot run it or has no
/// room for it.
bool solveByDataflow(int n, int* graph) {
  int device = 0, major = 0, shared = 0, processors = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  CHECK_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  if (major < 8 || shared < static_cast<int>(sizeof(DataflowShared))) return false;

  const Schedule schedule{ceilDiv(n, kWide)};
  if (schedule.m > kMostTiles) return false;
  const int m = schedule.m, side = m * kWide;
  const bool inPlace = side == n;
  const std::size_t progressBytes = sizeof(int) * (1 + static_cast<std::size_t>(m) * m);
  const Workspace<Progress> progress(progressBytes);
  const Workspace<int> copy(inPlace ? 1 : sizeof(int) * static_cast<std::size_t>(side) * side);
  if (progress.get() == nullptr || copy.get() == nullptr) return false;

  const Padded matrix{side, inPlace ? graph : copy.get()};
  CHECK_CUDA(cudaMemsetAsync(progress.get(), 0, progressBytes));
  CHECK_CUDA(cudaFuncSetAttribute(dataflow, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  sizeof(DataflowShared)));
  if (!inPlace) copyPadded<false><<<side, kCopyThreads>>>(n, graph, matrix);
  dataflow<<<2 * processors, kThreads, sizeof(DataflowShared)>>>(n, schedule, matrix,
                                                                 progress.get());
  if (!inPlace) copyPadded<true><<<n, kCopyThreads>>>(n, graph, matrix);
  return true;
}

}  // namespace

Outcome solve(int n, int* graph, const Options&) {
  if (n >= kDataflowFrom && solveByDataflow(n, graph)) return {};
  if (n % kVector == 0) {
    solveInPhases(View<true>{n, graph});
  } else {
    solveInPhases(View<false>{n, graph});
  }
  return {};
}

Outcome solve(int n, float* graph, const Options&) {
  apspRef(n, graph);
  return {Tier::kFloat32};
}

void apsp(int n, int* graph) {
  solve(n, graph, {});
}
