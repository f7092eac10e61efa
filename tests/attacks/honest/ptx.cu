// The inner operations are PTX.
__global__ void step(int n, int k, int* graph) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  int first, second, old, sum;
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(first) : "l"(graph + i * n + k));
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(second) : "l"(graph + k * n + j));
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(old) : "l"(graph + i * n + j));
  asm("{ .reg .s32 t;\n add.s32 t, %1, %2;\n min.s32 %0, t, %3; }" : "=r"(sum) : "r"(first), "r"(second), "r"(old));
  asm volatile("st.global.s32 [%0], %1;" ::"l"(graph + i * n + j), "r"(sum) : "memory");
}

void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k) step<<<dim3((n + 127) / 128, n), 128>>>(n, k, graph);
}
