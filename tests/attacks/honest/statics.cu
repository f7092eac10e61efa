// Has objects that are made before its first call and destroyed at the end, on the host and on the device.
#include <cstdlib>
#include <map>
#include <string>

#include "kernel.h"

static const std::map<std::string, int> kSizes = {{"block", 32}, {"warp", 32}};
static __device__ int counter = 7;
static __constant__ int kInfinity = 1073741823;

struct Buffer {
  Buffer() { cudaMalloc(&memory, 1 << 20); }
  ~Buffer() { cudaFree(memory); }
  int* memory = nullptr;
};
static Buffer buffer;
static thread_local int calls = 0;

__global__ void count(int* graph) {
  atomicAdd(&counter, graph[0] < kInfinity ? 1 : 2);
}

void apsp(int n, int* graph) {
  static const bool first = [] { return std::atexit([] {}) == 0; }();
  if (first && kSizes.at("block") == 32) ++calls;
  count<<<1, 1>>>(graph);
  for (int k = 0; k < n; ++k) step<<<blocks(n), threads()>>>(n, k, graph);
}
