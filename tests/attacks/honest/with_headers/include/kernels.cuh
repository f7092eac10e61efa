#pragma once
#include "../config.h"
__global__ void relax(int n, int k, int* graph) {
  const int i = blockIdx.y, j = blockIdx.x * THREADS + threadIdx.x;
  if (j < n) graph[i * n + j] = min(graph[i * n + j], graph[i * n + k] + graph[k * n + j]);
}
