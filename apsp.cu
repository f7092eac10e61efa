// The optimised solver: blocked Floyd–Warshall in three phases, each a min-plus product of tiles.
//
// Floyd–Warshall allows paths through vertex k, for k = 0 … n−1, one k at a time. Blocked
// (Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and Kider 2008 on GPUs), it allows a whole
// pivot block P of kTile vertices at a time. With D the n×n matrix and ⊗ the min-plus product, a
// round is
//
//     1  pivot    D[P,P] becomes its closure D* (Floyd–Warshall inside the tile)       1 tile
//     2  panels   row panel    D[P,J] = D* ⊗ D[P,J]                                   n/kTile tiles
//                 column panel D[I,P] = D[I,P] ⊗ D*                                   n/kTile tiles
//     3  rest     D[I,J] = min(D[I,J], D[I,P] ⊗ D[P,J])                              the other
//     tiles
//
// A path from I to J through P enters P once and leaves it once, for the stretch between the first
// and the last vertex of P in it is a path that D* has already closed: one product allows all of
// them. Closing the pivot needs the sequential loop over k: a single product D[P,P] ⊗ D[P,P] joins
// two edges, no more.
//
// Nearly all n³ relaxations are in phase 3, and there what counts is how often a value is read:
//   from device memory   a block of threads updates a 128×128 tile: each panel value read serves
//   128 sums from shared memory   a thread holds an 8×8 part of it in registers: 16 values read
//   serve 64 sums
// Both operands are read from shared memory as int4: four consecutive k of a row of the left panel
// (the same address in all threads of a row, a broadcast), four consecutive j of the right one (no
// bank conflict). A sum and a minimum are one instruction from sm_90 on (VIADDMNMX): the compiler
// finds it in plain C.
//
// Any n: what lies outside the matrix is read as kInf and not written. kInf + kInf fits in an int
// and is never below kInf, so that padding changes nothing. The matrix is solved in place, without
// workspace.
#include <cuda_runtime.h>

#include "apsp.h"
#include "src/gpu.h"

namespace {

constexpr int kTile = 64;         // vertices in a pivot block
constexpr int kWide = 2 * kTile;  // side of the tile that a block of phase 3 updates
constexpr int kSlice = 32;        // pivot vertices of the panels that phase 3 holds at a time
constexpr int kSide = 16;         // a block is kSide × kSide threads
constexpr int kThreads = kSide * kSide;
constexpr int kVector = 4;  // ints in an int4

static_assert(kSide * kVector == kTile,
              "a thread's 4×4 parts tile each kTile×kTile quadrant exactly");
static_assert(kTile % kSlice == 0 && kSlice % kVector == 0, "slices of int4 cover the pivot block");
static_assert(sizeof(int) * 2 * kWide * kSlice <= 48 * 1024, "shared memory of sm_60");

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

  /// Copies rows i0 … and columns j0 … into a shared tile, all threads together.
  template <int kRows, int kColumns>
  __device__ void loadTile(int i0, int j0, int (&tile)[kRows][kColumns]) const {
    constexpr int kAcross = kColumns / kVector;
#pragma unroll
    for (int at = threadIdx.x; at < kRows * kAcross; at += kThreads) {
      const int i = at / kAcross, j = at % kAcross * kVector;
      *reinterpret_cast<int4*>(&tile[i][j]) = load(i0 + i, j0 + j);
    }
  }
};

/// What one thread holds of a tile of kQuads × kQuads quadrants of kTile×kTile: a 4×4 part of each,
/// at the same place (row, column) in every quadrant.
template <int kQuads>
struct Part {
  static constexpr int kSize = kVector * kQuads;
  int value[kSize][kSize];
  int row = threadIdx.x / kSide * kVector, column = threadIdx.x % kSide * kVector;

  /// Row of the tile that value[r][…] belongs to; columns likewise.
  static __device__ int offset(int r) { return r / kVector * kTile + r % kVector; }

  template <class Matrix>
  __device__ void load(const Matrix& matrix, int i0, int j0) {
#pragma unroll
    for (int r = 0; r < kSize; ++r) {
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        *reinterpret_cast<int4*>(&value[r][q * kVector]) =
            matrix.load(i0 + row + offset(r), j0 + column + q * kTile);
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
        matrix.store(i0 + row + offset(r), j0 + column + q * kTile,
                     *reinterpret_cast<const int4*>(&value[r][q * kVector]));
      }
    }
  }

  /// value = min(value, a ⊗ b) over shared tiles a (kSize·kSide, kDepth) and b (kDepth,
  /// kSize·kSide).
  template <int kDepth>
  __device__ void relax(const int (&a)[kSize * kSide][kDepth],
                        const int (&b)[kDepth][kSize * kSide]) {
#pragma unroll 1
    for (int k = 0; k < kDepth; k += kVector) {
      int left[kSize][kVector];
#pragma unroll
      for (int r = 0; r < kSize; ++r) {
        *reinterpret_cast<int4*>(left[r]) = *reinterpret_cast<const int4*>(&a[row + offset(r)][k]);
      }
#pragma unroll
      for (int step = 0; step < kVector; ++step) {
        int right[kSize];
#pragma unroll
        for (int q = 0; q < kQuads; ++q) {
          *reinterpret_cast<int4*>(&right[q * kVector]) =
              *reinterpret_cast<const int4*>(&b[k + step][column + q * kTile]);
        }
#pragma unroll
        for (int r = 0; r < kSize; ++r) {
#pragma unroll
          for (int c = 0; c < kSize; ++c) value[r][c] = min(value[r][c], left[r][step] + right[c]);
        }
      }
    }
  }
};

/// Phase 1, one block: the closure of the pivot tile at (pivot, pivot). The tile is in registers;
/// for step k its owners publish row k and column k, in one of two buffers by turns, so that a step
/// has one barrier.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads) closePivot(View<kAligned> matrix, int pivot) {
  alignas(16) __shared__ int rows[2][kTile], columns[2][kTile];
  Part<1> part;
  part.load(matrix, pivot, pivot);
#pragma unroll 1
  for (int k0 = 0; k0 < kTile; k0 += kVector) {
#pragma unroll
    for (int step = 0; step < kVector; ++step) {
      int(&row)[kTile] = rows[step % 2];
      int(&column)[kTile] = columns[step % 2];
#pragma unroll
      for (int c = 0; c < kVector; ++c) {
        if (part.row == k0) row[part.column + c] = part.value[step][c];
        if (part.column == k0) column[part.row + c] = part.value[c][step];
      }
      __syncthreads();  // row and column k are published; those of step k−1 have been read by all
#pragma unroll
      for (int r = 0; r < kVector; ++r) {
#pragma unroll
        for (int c = 0; c < kVector; ++c) {
          part.value[r][c] = min(part.value[r][c], column[part.row + r] + row[part.column + c]);
        }
      }
    }
  }
  part.store(matrix, pivot, pivot);
}

/// Phase 2, a block for each tile of the row panel (blockIdx.y = 0) and of the column panel (1).
template <bool kAligned>
__global__ void __launch_bounds__(kThreads) updatePanels(View<kAligned> matrix, int pivot) {
  alignas(16) __shared__ int closed[kTile][kTile], panel[kTile][kTile];
  const bool isRow = blockIdx.y == 0;
  const int other = blockIdx.x * kTile;
  if (other == pivot) return;  // the pivot tile itself
  const int i0 = isRow ? pivot : other, j0 = isRow ? other : pivot;

  matrix.loadTile(pivot, pivot, closed);
  matrix.loadTile(i0, j0, panel);
  Part<1> part;
  part.load(matrix, i0, j0);
  __syncthreads();  // both tiles are in shared memory; nothing writes them again
  if (isRow) {
    part.relax(closed, panel);
  } else {
    part.relax(panel, closed);
  }
  part.store(matrix, i0, j0);
}

/// Phase 3, a block for each 128×128 tile: the rest through the pivot block.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2) updateRest(View<kAligned> matrix, int pivot) {
  alignas(16) __shared__ int left[kWide][kSlice];   // D[I, slice of P]
  alignas(16) __shared__ int right[kSlice][kWide];  // D[slice of P, J]
  const int i0 = blockIdx.y * kWide, j0 = blockIdx.x * kWide;
  Part<2> part;
  part.load(matrix, i0, j0);
  for (int k = pivot; k < pivot + kTile; k += kSlice) {
    __syncthreads();  // the slice before has been read by every thread
    matrix.loadTile(i0, k, left);
    matrix.loadTile(k, j0, right);
    __syncthreads();  // this slice is in shared memory
    part.relax(left, right);
  }
  part.store(matrix, i0, j0, pivot);  // the panels are done
}

template <bool kAligned>
void solve(View<kAligned> matrix) {
  const unsigned tiles = ceilDiv(matrix.n, kTile), wide = ceilDiv(matrix.n, kWide);
  for (int pivot = 0; pivot < matrix.n; pivot += kTile) {
    closePivot<<<1, kThreads>>>(matrix, pivot);
    if (tiles == 1) return;
    updatePanels<<<dim3(tiles, 2), kThreads>>>(matrix, pivot);
    updateRest<<<dim3(wide, wide), kThreads>>>(matrix, pivot);
  }
}

}  // namespace

void apsp(int n, int* graph) {
  if (n % kVector == 0) {
    solve(View<true>{n, graph});
  } else {
    solve(View<false>{n, graph});
  }
}
