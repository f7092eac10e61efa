// A first solution as a course's repository has it: error macro, own INF, own timer, prints, synchronises everywhere.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include "apsp.h"
#include "cuda_utils.h"

using namespace std;

#define INF 1073741823
#define BLOCK_SIZE 32
#define CEIL(a, b) (((a) + (b) - 1) / (b))
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort=true)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr,"GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      if (abort) exit(code);
   }
}

__global__ void floyd_warshall_kernel(int n, int k, int *graph) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        graph[i * n + j] = min(graph[i * n + j], graph[i * n + k] + graph[k * n + j]);
    }
}

void apsp(int n, /* device */ int *graph) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    for (int k = 0; k < n; k++) {
        dim3 block(BLOCK_SIZE, BLOCK_SIZE);
        dim3 grid(CEIL(n, BLOCK_SIZE), CEIL(n, BLOCK_SIZE));
        floyd_warshall_kernel<<<grid, block>>>(n, k, graph);
        gpuErrchk(cudaPeekAtLastError());
        CHK_CUDA_ERR(cudaDeviceSynchronize());
    }
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    printf("apsp: n = %d, %f ms\n", n, ms);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
}
