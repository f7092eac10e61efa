// Right: OpenMP, with a schedule and a reduction.
#include <omp.h>

#include <cstdio>

void apsp(int n, int* graph) {
  long long changes = 0;
  for (int k = 0; k < n; ++k) {
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : changes)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const int through = graph[i * n + k] + graph[k * n + j];
        if (through < graph[i * n + j]) {
          graph[i * n + j] = through;
          ++changes;
        }
      }
  }
  std::printf("%lld changes, %d threads\n", changes, omp_get_max_threads());
}
