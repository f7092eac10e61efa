// Small graphs on the GPU in a build without CUDA: there is none.
#include "base/error.h"
#include "batch/batch_gpu.h"

namespace engine {

void batch::solveOnGpu(std::size_t, int, Elements, CUstream_st*) {
  throw Error(ErrorCode::kGpu, "built without CUDA");
}

void batch::solveOneOnGpu(int, Elements) {
  throw Error(ErrorCode::kGpu, "built without CUDA");
}

}  // namespace engine
