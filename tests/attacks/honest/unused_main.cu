// Has a main of its own, with which its author tried it, and an apspRef.
#include <cstdio>

#include "kernel.h"

void apspRef(int n, int* graph) {
  for (int k = 0; k < n; ++k) step<<<blocks(n), threads()>>>(n, k, graph);
}

void apsp(int n, int* graph) {
  apspRef(n, graph);
}

int main(int argc, char** argv) {
  int *graph, weight = 0;
  cudaMalloc(&graph, sizeof(int));
  cudaMemset(graph, 0, sizeof(int));
  apsp(1, graph);
  cudaMemcpy(&weight, graph, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%s: %d %d\n", argv[0], argc, weight);
  return 0;
}
