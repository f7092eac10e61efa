// Wrong, for host memory: no thread waits for the others between two steps. Right if there is only
// one thread.
#include "anywhere.h"

void apsp(int n, int* graph) {
#pragma omp parallel
  for (int k = 0; k < n; ++k) {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) relax(n, k, graph, i, j);
    }
  }
}
