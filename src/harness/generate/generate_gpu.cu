// Generated graphs in GPU memory. Each element depends on the spec and its row and column alone, so every thread makes
// its own. The arcs of a sparse graph are scattered: the lightest of parallel ones stays.
// src/harness/generate/no_cuda.cpp stands in for this file in a build without CUDA.
#include "generate/generate_gpu.h"

#include <algorithm>

#include "device/cuda.h"
#include "device/matrix_block.h"

namespace {

constexpr int kThreads = 256;

/// Enough blocks of kThreads to cover `count` elements, or to fill any GPU; kernels stride over the
/// rest.
unsigned blocksFor(std::size_t count) {
  return static_cast<unsigned>(
      std::clamp<std::size_t>(ceilDiv<std::size_t>(count, kThreads), 1, 8192));
}

__device__ std::size_t firstIndex() {
  return static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ std::size_t stride() {
  return static_cast<std::size_t>(gridDim.x) * kThreads;
}

template <class Family>
__global__ void fillDense(Spec spec, MatrixBlock block) {
  for (std::size_t at = firstIndex(); at < block.size(); at += stride()) {
    const int i = block.rowOf(at), j = block.columnOf(at);
    *block.at(i, j) = element<Family>(spec, i, j);
  }
}

__global__ void fillEmpty(MatrixBlock block) {
  for (std::size_t at = firstIndex(); at < block.size(); at += stride()) {
    const int i = block.rowOf(at), j = block.columnOf(at);
    *block.at(i, j) = i == j ? 0 : kInf;
  }
}

template <class Family>
__global__ void scatterArcs(Spec spec, MatrixBlock block) {  // filled empty
  const auto lower = [&](int i, int j, int weight) {
    if (block.has(i, j)) atomicMin(block.at(i, j), weight);
  };
  const std::size_t n = spec.n, arcs = Family::arcs(spec);
  for (std::size_t at = firstIndex(); at < n * arcs; at += stride()) {
    const Edge e = Family::arc(spec, static_cast<int>(at / arcs), static_cast<int>(at % arcs));
    if (e.weight == kInf) continue;
    lower(e.from, e.to, e.weight);
    if (spec.undirected) lower(e.to, e.from, e.weight);
  }
}

/// int32 weights become floats as floatWord() says.
__global__ void floatAll(MatrixBlock block) {
  for (std::size_t at = firstIndex(); at < block.size(); at += stride()) {
    int* const word = block.at(block.rowOf(at), block.columnOf(at));
    *word = *word == kInf ? infinity(Dtype::kFloat32) : __float_as_int(static_cast<float>(*word));
  }
}

}  // namespace

void generateOnGpu(const Spec& spec, const MatrixBlock& block) {
  if (block.size() == 0) return;
  const unsigned blocks = blocksFor(block.size());
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (Family::dense) {
      fillDense<Family><<<blocks, kThreads>>>(spec, block);
    } else {
      fillEmpty<<<blocks, kThreads>>>(block);
      const std::size_t arcs = static_cast<std::size_t>(spec.n) * Family::arcs(spec);
      if (arcs > 0) scatterArcs<Family><<<blocksFor(arcs), kThreads>>>(spec, block);
    }
  });
  if (spec.dtype == Dtype::kFloat32) floatAll<<<blocks, kThreads>>>(block);
  CHECK_CUDA(cudaGetLastError());
}
