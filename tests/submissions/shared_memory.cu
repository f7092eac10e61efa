// Right: blocked, one thread for each entry of a 32×32 tile in shared memory, three launches for
// each pivot block.
#include <cuda_runtime.h>

#include "apsp.h"
#include "cuda_utils.h"

constexpr int kSide = 32;
constexpr int kNoPath = (1 << 30) - 1;  // outside the matrix: twice that still fits in an int

using Tile = int[kSide][kSide];

/// This thread's entry of tile (row, column).
struct Entry {
  int n, i, j;

  __device__ Entry(int size, int row, int column)
      : n(size), i(row * kSide + threadIdx.y), j(column * kSide + threadIdx.x) {}
  __device__ size_t at() const { return static_cast<size_t>(i) * n + j; }
  __device__ int load(const int* graph) const { return i < n && j < n ? graph[at()] : kNoPath; }
  __device__ void store(int* graph, int distance) const {
    if (i < n && j < n) graph[at()] = distance;
  }
};

/// tile becomes the minimum of itself and the min-plus product of left and right, step by step. It
/// may be one of the two.
__device__ void solveTile(Tile& tile, const Tile& left, const Tile& right) {
  const int y = threadIdx.y, x = threadIdx.x;
  for (int k = 0; k < kSide; ++k) {
    __syncthreads();  // all entries have taken the steps before k
    tile[y][x] = min(tile[y][x], left[y][k] + right[k][x]);
  }
}

__global__ void solvePivot(int n, int p, int* graph) {
  __shared__ Tile pivot;
  const Entry mine(n, p, p);
  pivot[threadIdx.y][threadIdx.x] = mine.load(graph);
  solveTile(pivot, pivot, pivot);
  mine.store(graph, pivot[threadIdx.y][threadIdx.x]);
}

/// Tile (p, t) if blockIdx.y is 0, tile (t, p) if it is 1.
__global__ void solvePanels(int n, int p, int* graph) {
  __shared__ Tile pivot, tile;
  const int t = blockIdx.x;
  if (t == p) return;
  const Entry mine = blockIdx.y == 0 ? Entry(n, p, t) : Entry(n, t, p);
  pivot[threadIdx.y][threadIdx.x] = Entry(n, p, p).load(graph);
  tile[threadIdx.y][threadIdx.x] = mine.load(graph);
  if (blockIdx.y == 0) {
    solveTile(tile, pivot, tile);
  } else {
    solveTile(tile, tile, pivot);
  }
  mine.store(graph, tile[threadIdx.y][threadIdx.x]);
}

__global__ void solveRest(int n, int p, int* graph) {
  __shared__ Tile left, above;
  const int row = blockIdx.y, column = blockIdx.x;
  if (row == p || column == p) return;
  const Entry mine(n, row, column);
  left[threadIdx.y][threadIdx.x] = Entry(n, row, p).load(graph);
  above[threadIdx.y][threadIdx.x] = Entry(n, p, column).load(graph);
  int distance = mine.load(graph);
  __syncthreads();  // both panels' tiles are loaded
  for (int k = 0; k < kSide; ++k)
    distance = min(distance, left[threadIdx.y][k] + above[k][threadIdx.x]);
  mine.store(graph, distance);
}

void apsp(int n, int* graph) {
  const int tiles = (n + kSide - 1) / kSide;
  const dim3 threads(kSide, kSide);
  for (int p = 0; p < tiles; ++p) {
    solvePivot<<<1, threads>>>(n, p, graph);
    solvePanels<<<dim3(tiles, 2), threads>>>(n, p, graph);
    solveRest<<<dim3(tiles, tiles), threads>>>(n, p, graph);
  }
}
