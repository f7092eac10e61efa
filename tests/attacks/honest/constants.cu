// The size and the pointer lie in constant memory, the pivot's row in a device array of fixed size.
#define MAX_N 20000
__constant__ int cN;
__constant__ int *cGraph;
__device__ int pivotRow[MAX_N];

__global__ void savePivot(int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < cN) pivotRow[j] = cGraph[(size_t)k * cN + j];
}

__global__ void relaxAll(int k) {
  int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int first;
  if (threadIdx.x == 0) first = cGraph[(size_t)i * cN + k];
  __syncthreads();
  if (j < cN) {
    int d = first + pivotRow[j];
    if (d < cGraph[(size_t)i * cN + j]) cGraph[(size_t)i * cN + j] = d;
  }
}

void apsp(int n, int *graph) {
  cudaMemcpyToSymbol(cN, &n, sizeof n);
  cudaMemcpyToSymbol(cGraph, &graph, sizeof graph);
  for (int k = 0; k < n; k++) {
    savePivot<<<(n + 255) / 256, 256>>>(k);
    relaxAll<<<dim3((n + 255) / 256, n), 256>>>(k);
  }
}
