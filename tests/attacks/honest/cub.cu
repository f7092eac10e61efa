// A block of CUB's loads and stores the tiles of each row.
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_reduce.cuh>

constexpr int kThreads = 128, kItems = 4, kTile = kThreads * kItems;

__global__ void step(int n, int k, int* graph) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    Load::TempStorage load;
    Store::TempStorage store;
  } shared;
  const int begin = blockIdx.x * kTile, count = min(kTile, n - begin);
  int row[kItems], pivot[kItems];
  int* const tile = graph + blockIdx.y * n + begin;
  const int first = graph[blockIdx.y * n + k];
  Load(shared.load).Load(tile, row, count, 0);
  __syncthreads();
  Load(shared.load).Load(graph + k * n + begin, pivot, count, 0);
  __syncthreads();
  for (int at = 0; at < kItems; ++at) row[at] = min(row[at], first + pivot[at]);
  Store(shared.store).Store(tile, row, count);
}

void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k) step<<<dim3((n + kTile - 1) / kTile, n), kThreads>>>(n, k, graph);
  size_t bytes = 0;
  int* most;
  void* workspace;
  cudaMalloc(&most, sizeof(int));
  cub::DeviceReduce::Max(nullptr, bytes, graph, most, n * n);
  cudaMalloc(&workspace, bytes);
  cub::DeviceReduce::Max(workspace, bytes, graph, most, n * n);
  cudaFree(workspace);
  cudaFree(most);
}
