// Small distances in GPU memory in a build without CUDA: there are none.
#include "base/error.h"
#include "search/small_gpu.h"

namespace engine::search {

std::unique_ptr<SmallOnGpu> smallOnGpu(const SmallAsked&, SparseRows&, const SmallSizes&) {
  throw Error(ErrorCode::kGpu, "built without CUDA");
}

GpuSize presentGpuSize() {
  return {};
}

}  // namespace engine::search
