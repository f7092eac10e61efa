/* apsp() with the names of C, and code that is C as far as possible. */
#include <stdio.h>
#include <stdlib.h>

__global__ void step_kernel(int n, int k, int *graph)
{
    int i, j;
    for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (j = 0; j < n; j++)
            if (graph[i * n + k] + graph[k * n + j] < graph[i * n + j])
                graph[i * n + j] = graph[i * n + k] + graph[k * n + j];
}

#ifdef __cplusplus
extern "C" {
#endif

void apsp(int n, int *graph)
{
    int k;
    for (k = 0; k < n; k++)
        step_kernel<<<16, 64>>>(n, k, graph);
    cudaDeviceSynchronize();
}

#ifdef __cplusplus
}
#endif
