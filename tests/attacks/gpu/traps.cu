// Its kernel ends with a trap, after which the context of its process cannot be used.
#include "gpu.h"

__global__ void trap() {
  asm("trap;");
}

void apsp(int n, int* graph) {
  solve(n, graph);
  trap<<<1, 1>>>();
}
