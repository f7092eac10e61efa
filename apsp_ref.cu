// The naive solver, as the course hands it out: Floyd–Warshall with one launch per k.
//
// After launch k every entry is the shortest distance over paths whose inner vertices are ≤ k. Row
// k and column k do not change during launch k (d[k][k] = 0), so that all n² entries may be relaxed
// at once. Each launch reads and writes the whole matrix: n³ relaxations move about 12 n³ bytes
// through the caches, which is why it is slow, and why everything else is measured against it.
// Never optimise it.
#include <cuda_runtime.h>

#include "apsp.h"
#include "device/cuda.h"

namespace {

constexpr int kSide = 32;  // threads a side of a block

template <class Weight>
__global__ void relaxAll(int n, int k, Weight* graph) {  // graph: (n, n)
  const int i = blockIdx.y * kSide + threadIdx.y;
  const int j = blockIdx.x * kSide + threadIdx.x;
  if (i >= n || j >= n) return;
  const std::size_t row = static_cast<std::size_t>(i) * n;
  const Weight through = graph[row + k] + graph[static_cast<std::size_t>(k) * n + j];
  if (through < graph[row + j]) graph[row + j] = through;
}

template <class Weight>
void solveNaively(int n, Weight* graph) {
  const dim3 threads(kSide, kSide), blocks(ceilDiv(n, kSide), ceilDiv(n, kSide));
  for (int k = 0; k < n; ++k) relaxAll<<<blocks, threads>>>(n, k, graph);
}

}  // namespace

void apspRef(int n, int* graph) {
  solveNaively(n, graph);
}

void apspRef(int n, float* graph) {
  solveNaively(n, graph);
}
