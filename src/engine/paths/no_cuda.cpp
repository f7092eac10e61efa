// The search for predecessors on the GPU in a build without CUDA: there is none.
#include "paths/predecessors_gpu.h"

namespace engine {

PredecessorsOnGpu predecessorsOnGpu(const ProblemGraph&, const DeviceMatrix&, bool) {
  return {};
}

std::size_t predecessorBytesOnGpu(int, bool) {
  return 0;
}

}  // namespace engine
