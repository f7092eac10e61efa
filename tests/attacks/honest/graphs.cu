// Records all its launches as a CUDA graph and starts it.
#include "kernel.h"

void apsp(int n, int* graph) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int k = 0; k < n; ++k) step<<<blocks(n), threads(), 0, stream>>>(n, k, graph);
  cudaGraph_t recorded;
  cudaStreamEndCapture(stream, &recorded);
  cudaGraphExec_t executable;
  cudaGraphInstantiateWithFlags(&executable, recorded, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(recorded);
  cudaStreamDestroy(stream);
}
