// Generated graphs in GPU memory. Each element depends on the spec and its row and column alone, so
// every thread makes its own. The arcs of a sparse graph are scattered: the lightest of parallel
// ones stays. Families count in whole numbers with as many bits as the weights. Real weights then
// replace these numbers in place. src/harness/generate/no_cuda.cpp stands in for this file in a
// build without CUDA.
#include "generate/generate_gpu.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/size.h"
#include "device/cuda.h"
#include "device/matrix_block.h"

namespace {

constexpr int kThreads = 256;

/// A block of whole numbers, in which a family counts its weights. Real weights are made of them
/// afterwards. S: Spec or WideSpec.
template <class S>
using Counts = BlockOf<families::WeightOf<S>>;

/// The first element of a thread, and how far apart its elements are.
__device__ std::size_t firstIndex() {
  return asSize(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ std::size_t stride() {
  return asSize(gridDim.x) * kThreads;
}

template <class Family, class S>
__global__ void fillDense(S spec, Counts<S> block) {
  for (std::size_t at = firstIndex(); at < block.size(); at += stride()) {
    const int i = block.rowOf(at), j = block.columnOf(at);
    *block.at(i, j) = element<Family>(spec, i, j);
  }
}

template <class S>
__global__ void fillEmpty(Counts<S> block) {
  for (std::size_t at = firstIndex(); at < block.size(); at += stride()) {
    const int i = block.rowOf(at), j = block.columnOf(at);
    *block.at(i, j) = i == j ? 0 : families::kNoEdge<S>;
  }
}

/// *to = min(*to, number). Other threads do the same.
__device__ void lower(int* to, int number) {
  atomicMin(to, number);
}
__device__ void lower(std::int64_t* to, std::int64_t number) {
  atomicMin(reinterpret_cast<long long*>(to), static_cast<long long>(number));
}

template <class Family, class S>
__global__ void scatterArcs(S spec, Counts<S> block) {  // filled empty
  const auto lowerAt = [&](int i, int j, families::WeightOf<S> weight) {
    if (block.has(i, j)) lower(block.at(i, j), weight);
  };
  const std::size_t n = spec.n, arcs = Family::arcs(spec);
  for (std::size_t at = firstIndex(); at < n * arcs; at += stride()) {
    const auto e = Family::arc(spec, static_cast<int>(at / arcs), static_cast<int>(at % arcs));
    if (e.weight == families::kNoEdge<S>) continue;
    lowerAt(e.from, e.to, e.weight);
    if (spec.undirected) lowerAt(e.to, e.from, e.weight);
  }
}

/// Counts become weights of type T, as numberOf() says.
template <class T, class S>
__global__ void makeReal(S spec, Counts<S> block) {
  for (std::size_t at = firstIndex(); at < block.size(); at += stride()) {
    auto* const count = block.at(block.rowOf(at), block.columnOf(at));
    const T weight = numberOf<T>(spec, *count);
    static_assert(sizeof weight == sizeof *count);
    std::memcpy(count, &weight, sizeof weight);
  }
}

template <class Family, class T>
void generateAs(const Spec& spec, const MatrixBlock& to) {
  using S = SpecFor<T>;
  const S own = specFor<Family, T>(spec);
  auto* const counts = static_cast<families::WeightOf<S>*>(to.elements.data());
  const Counts<S> block{to.row, to.rows, to.column, to.columns, to.stride, counts};
  const unsigned blocks = stridingBlocks(block.size());
  if constexpr (Family::dense) {
    fillDense<Family><<<blocks, kThreads>>>(own, block);
  } else {
    fillEmpty<S><<<blocks, kThreads>>>(block);
    const std::size_t arcs = asSize(spec.n) * Family::arcs(spec);
    if (arcs > 0) scatterArcs<Family><<<stridingBlocks(arcs), kThreads>>>(own, block);
  }
  if constexpr (std::is_floating_point_v<T>) makeReal<T><<<blocks, kThreads>>>(own, block);
}

}  // namespace

void generateOnGpu(const Spec& spec, const MatrixBlock& to) {
  if (to.dtype() != spec.dtype) refuseType(to.dtype(), spec.dtype);
  if (to.size() == 0) return;
  withFamily(spec, [&](auto family) {
    withType(spec.dtype,
             [&](auto zero) { generateAs<decltype(family), decltype(zero)>(spec, to); });
  });
  CHECK_CUDA(cudaGetLastError());
}
