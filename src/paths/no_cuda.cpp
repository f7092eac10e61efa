// The search for predecessors on the GPU in a build without CUDA: there is none.
#include "paths/predecessors_gpu.h"

PredecessorsOnGpu predecessorsOnGpu(const ProblemGraph&, const DeviceMatrix&) {
  return {};
}

std::size_t predecessorBytesOnGpu(int) {
  return 0;
}
