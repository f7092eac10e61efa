// Solves in memory from a pool of its own, on a stream of its own.
#include "kernel.h"

void apsp(int n, int* graph) {
  static cudaMemPool_t pool = [] {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaGetDevice(&properties.location.id);
    cudaMemPool_t made;
    cudaMemPoolCreate(&made, &properties);
    unsigned long long all = ~0ull;
    cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &all);
    return made;
  }();
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const size_t bytes = sizeof(int) * n * n;
  int *copy, *fromDefault;
  cudaMallocFromPoolAsync(&copy, bytes, pool, stream);
  cudaMallocAsync(&fromDefault, bytes, stream);
  cudaMemcpyAsync(fromDefault, graph, bytes, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(copy, fromDefault, bytes, cudaMemcpyDeviceToDevice, stream);
  for (int k = 0; k < n; ++k) step<<<blocks(n), threads(), 0, stream>>>(n, k, copy);
  cudaMemcpyAsync(graph, copy, bytes, cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(copy, stream);
  cudaFreeAsync(fromDefault, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
