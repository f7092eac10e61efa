// Right: works on a stream of its own, which it does not wait for, in memory from CUDA's pool. It
// returns before the work is done.
#include <cuda_runtime.h>

#include "apsp.h"
#include "cuda_utils.h"

constexpr int kThreads = 256;

// lines: (2, n), which gets row k and column k of the graph (n, n).
__global__ void copyLines(int n, int k, const int* graph, int* lines) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  lines[i] = graph[static_cast<size_t>(k) * n + i];
  lines[n + i] = graph[static_cast<size_t>(i) * n + k];
}

// One block for each row; its threads stride over the columns.
__global__ void relaxRow(int n, const int* lines, int* graph) {
  int* const row = graph + static_cast<size_t>(blockIdx.x) * n;
  const int to = lines[n + blockIdx.x];
  for (int j = threadIdx.x; j < n; j += kThreads) row[j] = min(row[j], to + lines[j]);
}

void apsp(int n, int* graph) {
  cudaStream_t stream;
  CHK_CUDA_ERR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int* lines = nullptr;
  CHK_CUDA_ERR(cudaMallocAsync(&lines, 2 * sizeof(int) * n, stream));
  for (int k = 0; k < n; ++k) {
    copyLines<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(n, k, graph, lines);
    relaxRow<<<n, kThreads, 0, stream>>>(n, lines, graph);
  }
  CHK_CUDA_ERR(cudaFreeAsync(lines, stream));
  CHK_CUDA_ERR(cudaStreamDestroy(stream));  // once its work is done
}
