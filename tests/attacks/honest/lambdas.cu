// Structures, operators, a class with a destructor, C++17, a host function of the same name with other parameters.
#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

struct Matrix {
  int n;
  int* entries;
  __device__ int& operator()(int i, int j) const { return entries[i * n + j]; }
};

__global__ void relax(Matrix matrix, int k) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < matrix.n) matrix(i, j) = min(matrix(i, j), matrix(i, k) + matrix(k, j));
}

static void apsp(const Matrix& matrix, const std::function<void(int)>& launch) {
  for (int k = 0; k < matrix.n; ++k) launch(k);
}

void apsp(int n, int* graph) {
  const auto freed = [](int* memory) { cudaFree(memory); };
  int* memory = nullptr;
  cudaMalloc(&memory, sizeof(int) * n * n);
  const std::unique_ptr<int, decltype(freed)> copy(memory, freed);
  cudaMemcpy(copy.get(), graph, sizeof(int) * n * n, cudaMemcpyDeviceToDevice);
  const auto [threads, blocks] = std::make_tuple(dim3(128), dim3((n + 127) / 128, n));
  const Matrix matrix{n, copy.get()};
  apsp(matrix, [&, t = threads, b = blocks](int k) { relax<<<b, t>>>(matrix, k); });
  cudaMemcpy(graph, copy.get(), sizeof(int) * n * n, cudaMemcpyDeviceToDevice);
}
