// Small distances in GPU memory in a build without CUDA: there are none.
#include "search/small_gpu.h"

namespace engine::search {

std::unique_ptr<SmallOnGpu> smallOnGpu(const SmallAsked&, SparseRows&, const SmallSizes&) {
  return nullptr;
}

GpuSize presentGpuSize() {
  return {};
}

}  // namespace engine::search
