// One launch solves for all k. The whole grid synchronises after each k.
#include <cooperative_groups.h>

__global__ void solveAll(int n, int* graph) {
  const auto grid = cooperative_groups::this_grid();
  for (int k = 0; k < n; ++k) {
    for (unsigned long long at = grid.thread_rank(); at < 1ull * n * n; at += grid.size()) {
      const int through = graph[at / n * n + k] + graph[1ull * k * n + at % n];
      if (through < graph[at]) graph[at] = through;
    }
    grid.sync();
  }
}

void apsp(int n, int* graph) {
  int device, processors, each;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, solveAll, 256, 0);
  void* arguments[] = {&n, &graph};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(solveAll), dim3(processors * each), dim3(256), arguments, 0, 0);
}
