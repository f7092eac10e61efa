// A matrix that is in the GPU's memory already, solved there on the caller's stream, in CUDA.
#include <apsp/apsp.h>

#include <cstdio>

__global__ void fill(int n, int* matrix) {  // matrix: (n, n); a ring of unit steps
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n) matrix[static_cast<size_t>(i) * n + j] = i == j ? 0 : j == (i + 1) % n ? 1 : APSP_INFINITY;
}

int main() {
  constexpr int n = 2000;
  int* matrix = nullptr;
  cudaStream_t stream;
  if (cudaStreamCreate(&stream) != cudaSuccess || cudaMalloc(&matrix, sizeof(int) * n * n) != cudaSuccess) {
    std::fprintf(stderr, "on_the_gpu: no GPU, or no memory\n");
    return 1;
  }
  fill<<<dim3((n + 255) / 256, n), 256, 0, stream>>>(n, matrix);
  apsp_options options;
  apsp_options_init(&options, sizeof options);
  options.stream = stream;
  if (const apsp_status status = apsp_solve_matrix(n, APSP_INT32, matrix, APSP_DEVICE, &options)) {
    std::fprintf(stderr, "on_the_gpu: %s\n", apsp_last_error());
    return status;
  }
  int farthest = 0;
  cudaMemcpyAsync(&farthest, matrix + n - 1, sizeof farthest, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("from vertex 0 to vertex %d: %d\n", n - 1, farthest);
  cudaFree(matrix);
  cudaStreamDestroy(stream);
  return farthest == n - 1 ? 0 : 1;
}
