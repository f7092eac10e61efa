// A folder: the solver, a header beside it and one below.
#include "config.h"
#include "include/kernels.cuh"

void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k) relax<<<dim3((n + THREADS - 1) / THREADS, n), THREADS>>>(n, k, graph);
}
