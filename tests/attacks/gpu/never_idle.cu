// Its kernel never ends.
#include "gpu.h"

__global__ void wait(volatile int* graph) {
  while (graph[0] != 1) continue;
}

void apsp(int, int* graph) {
  wait<<<1, 1>>>(graph);
}
