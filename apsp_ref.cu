// The naive solver, as the course hands it out: Floyd–Warshall with one launch for each k.
//
// After launch k, every entry is the length of a shortest path whose inner vertices are at most k.
// All n² entries may be relaxed at once, because launch k does not change row k and column k:
// d[k][k] = 0. Each launch reads and writes the whole matrix. n³ relaxations therefore move about
// 12 n³ bytes through the caches. This is why the solver is slow, and why all others are measured
// against it. Never optimise it.
//
// Source: Floyd 1962; Warshall 1962.
#include <cuda_runtime.h>

#include "apsp.h"
#include "dense/naive.h"
#include "device/cuda.h"

namespace engine {

namespace {

constexpr int kSide = 32;  // a block is a square of kSide × kSide threads
static_assert(kSide * kSide <= 1024, "threads of a block");

/// Relaxes every entry through vertex k, one thread per entry. graph: (n, n).
template <class Weight>
__global__ void relaxAll(int n, int k, Weight* graph) {
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

}  // namespace engine

void apspRef(int n, int* graph) {
  engine::solveNaively(n, graph);
}

void apspRef(int n, float* graph) {
  engine::solveNaively(n, graph);
}

void apspRef(int n, std::int64_t* graph) {
  engine::solveNaively(n, graph);
}

void apspRef(int n, double* graph) {
  engine::solveNaively(n, graph);
}
