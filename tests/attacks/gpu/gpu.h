// What the attacks on a GPU share: the naive solver, on any stream.
#pragma once

#include <cuda_runtime.h>

static __global__ void relax(int n, int k, int* graph) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  const int through = graph[static_cast<size_t>(i) * n + k] + graph[static_cast<size_t>(k) * n + j];
  if (through < graph[static_cast<size_t>(i) * n + j]) graph[static_cast<size_t>(i) * n + j] = through;
}

inline void solve(int n, int* graph, cudaStream_t stream = 0) {
  for (int k = 0; k < n; ++k) relax<<<dim3((n + 127) / 128, n), 128, 0, stream>>>(n, k, graph);
}
