// Prints from the host and from the device.
#include <cstdio>
#include <iostream>

#include "kernel.h"

__global__ void say(int n) {
  if (threadIdx.x == 0) printf("device: n = %d\n", n);
}

void apsp(int n, int* graph) {
  std::cout << "solving " << n << " vertices" << std::endl;
  say<<<1, 32>>>(n);
  for (int k = 0; k < n; ++k) step<<<blocks(n), threads()>>>(n, k, graph);
  cudaDeviceSynchronize();
  fprintf(stderr, "solved\n");
}
