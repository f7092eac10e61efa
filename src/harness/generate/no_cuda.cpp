// Stands in for generate_gpu.cu in a build without CUDA: there is no GPU to generate on.
#include "base/error.h"
#include "generate/generate_gpu.h"

void generateOnGpu(const Spec&, const MatrixBlock&) {
  throw Error(ErrorCode::kGpu, "this program was built without CUDA");
}
