// Warp operations, atomics, streams with priorities and events between them: the even rows on one, the odd on another.
__global__ void rows(int n, int k, int parity, int* graph) {
  const int i = 2 * blockIdx.y + parity, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int first = __shfl_sync(0xffffffffu, graph[i * n + k], 0);
  if (j < n) atomicMin(&graph[i * n + j], first + graph[k * n + j]);
}

void apsp(int n, int* graph) {
  cudaStream_t streams[2];
  cudaEvent_t done[2];
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  for (int part = 0; part < 2; ++part) {
    cudaStreamCreateWithPriority(&streams[part], cudaStreamNonBlocking, part == 0 ? least : greatest);
    cudaEventCreateWithFlags(&done[part], cudaEventDisableTiming);
  }
  for (int k = 0; k < n; ++k) {
    for (int part = 0; part < 2; ++part) {
      rows<<<dim3((n + 127) / 128, (n + 1) / 2), 128, 0, streams[part]>>>(n, k, part, graph);
      cudaEventRecord(done[part], streams[part]);
    }
    for (int part = 0; part < 2; ++part) cudaStreamWaitEvent(streams[part], done[1 - part], 0);
  }
  for (int part = 0; part < 2; ++part) {
    cudaStreamSynchronize(streams[part]);
    cudaStreamDestroy(streams[part]);
    cudaEventDestroy(done[part]);
  }
}
