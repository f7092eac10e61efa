// What the submissions of the tests share. A file that includes this is a submission for the GPU if
// nvcc compiles it, and one for host memory if a C++ compiler does.
#pragma once

#include <climits>
#include <cstddef>

#ifdef __CUDACC__

#include "apsp.h"
#include "cuda_utils.h"

#define ANYWHERE __host__ __device__

template <class Body>
__global__ void callBody(int rows, int columns, Body body) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows && j < columns) body(i, j);
}

/// Calls body(i, j) for all 0 ≤ i < rows, 0 ≤ j < columns at once, in no order. The next forAll()
/// begins when all calls have returned. A block has kWidth × kHeight threads.
template <int kWidth = 32, int kHeight = 8, class Body>
void forAll(int rows, int columns, Body body) {
  const dim3 threads(kWidth, kHeight);
  const dim3 blocks((columns + threads.x - 1) / threads.x, (rows + threads.y - 1) / threads.y);
  callBody<<<blocks, threads>>>(rows, columns, body);
}

inline int* allocate(std::size_t count) {
  int* memory = nullptr;
  CHK_CUDA_ERR(cudaMalloc(&memory, count * sizeof(int)));
  return memory;
}

inline void release(int* memory) {
  CHK_CUDA_ERR(cudaFree(memory));
}

inline void toHost(int* host, const int* memory, std::size_t count) {
  CHK_CUDA_ERR(cudaMemcpy(host, memory, count * sizeof(int), cudaMemcpyDeviceToHost));
}

inline void fromHost(int* memory, const int* host, std::size_t count) {
  CHK_CUDA_ERR(cudaMemcpy(memory, host, count * sizeof(int), cudaMemcpyHostToDevice));
}

#else

#include <algorithm>
#include <random>
#include <utility>

#include "apsp.h"

#define ANYWHERE

inline bool launchFailed = false;

/// Returns the last launch error and forgets it, like the function of this name that is compiled
/// into submissions in CUDA.
extern "C" const char* apspLaunchError(const char** name) {
  *name = "cudaErrorInvalidValue";
  return std::exchange(launchFailed, false) ? "invalid argument" : nullptr;
}

template <int kWidth = 32, int kHeight = 8, class Body>
void forAll(int rows, int columns, Body body) {
  if (rows == 0 || columns == 0 || kWidth * kHeight > 1024) {  // CUDA rejects such a launch
    launchFailed = true;
    return;
  }
  // A random column comes first, because no submission may rely on an order.
  thread_local std::minstd_rand random{std::random_device()()};
  const int first = static_cast<int>(random() % columns);
  for (int i = 0; i < rows; ++i) {
#pragma omp simd
    for (int j = first; j < columns; ++j) body(i, j);
#pragma omp simd
    for (int j = 0; j < first; ++j) body(i, j);
  }
}

inline int* allocate(std::size_t count) {
  return new int[count];
}

inline void release(int* memory) {
  delete[] memory;
}

inline void toHost(int* host, const int* memory, std::size_t count) {
  std::copy_n(memory, count, host);
}

inline void fromHost(int* memory, const int* host, std::size_t count) {
  std::copy_n(host, count, memory);
}

#endif

/// Step k of Floyd–Warshall at entry (i, j).
ANYWHERE inline void relax(int n, int k, int* graph, int i, int j) {  // graph: (n, n)
  const std::size_t row = static_cast<std::size_t>(i) * n;
  const int through = graph[row + k] + graph[static_cast<std::size_t>(k) * n + j];
  graph[row + j] = through < graph[row + j] ? through : graph[row + j];
}

struct Step {
  int n, k;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const { relax(n, k, graph, i, j); }
};

/// Right, but slow.
inline void solveNaively(int n, int* graph) {
  for (int k = 0; k < n; ++k) forAll(n, n, Step{n, k, graph});
}

/// Writes one entry of an array.
struct Write {
  int* array;
  std::ptrdiff_t at;

  ANYWHERE void operator()(int, int) const { array[at] = 7; }
};
