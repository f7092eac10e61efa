#include <cuda_runtime.h>
// 弗洛伊德算法: a comment and a name in UTF-8, and no newline at the end.
#define 距离 d
__global__ void kernel(int n, int k, int *graph)
{
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && j < n) {
		int d = graph[i * n + k] \
		      + graph[k * n + j];
		if (d < graph[i * n + j])
			graph[i * n + j] = d;
	}
}

void apsp(int n, int *graph)
{
	dim3 threads(16, 16), blocks((n + 15) / 16, (n + 15) / 16);
	for (int k = 0; k < n; k++)
		kernel<<<blocks, threads>>>(n, k, graph);
	cudaDeviceSynchronize();
}