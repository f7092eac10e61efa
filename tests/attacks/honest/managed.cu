// Solves in managed memory, part of it on the host, and in pinned and mapped host memory.
#include "kernel.h"

void apsp(int n, int* graph) {
  const size_t bytes = sizeof(int) * n * n;
  int *managed, *pinned;
  cudaMallocManaged(&managed, bytes);
  cudaHostAlloc(&pinned, bytes, cudaHostAllocMapped);
  cudaMemcpy(managed, graph, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (managed[i * n] + managed[j] < managed[i * n + j]) managed[i * n + j] = managed[i * n] + managed[j];
  for (int k = 1; k < n; ++k) step<<<blocks(n), threads()>>>(n, k, managed);
  cudaMemcpy(pinned, managed, bytes, cudaMemcpyDefault);
  cudaMemcpy(graph, pinned, bytes, cudaMemcpyHostToDevice);
  cudaFreeHost(pinned);
  cudaFree(managed);
}
