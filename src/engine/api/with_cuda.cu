// The caller's matrix in the GPU's memory. It may have any strides, so a thread reads each element
// where it is, and neighbouring threads write neighbouring elements.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "api/device_views.h"
#include "base/size.h"
#include "device/cuda.h"
#include "device/cuda_memory.h"
#include "device/matrix_block.h"

namespace engine {

namespace {

using Index = unsigned long long;  // what a 64-bit atomic takes

constexpr int kThreads = 256;

/// The caller's elements.
template <class T>
struct Strided {
  const T* elements;
  std::ptrdiff_t rowStride, columnStride;
  int noEdge;

  __host__ __device__ const T* at(int i, int j) const {
    return elements + i * rowStride + j * columnStride;
  }
};

template <class T>
Strided<T> stridedOf(const MatrixArray& matrix) {
  return {matrix.elements.as<T>(), matrix.rowStride, matrix.columnStride, matrix.noEdge};
}

/// The weight as solvers like it. Sets `good` to false if it is none.
template <class T>
__device__ T liked(T weight, bool negative, bool& good) {
  if constexpr (std::is_floating_point_v<T>) {
    good = weight >= 0 || (negative && weight >= std::numeric_limits<T>::lowest());
    return weight == 0 ? 0 : weight;
  } else {
    good = weight <= kInfinity<T> && weight >= (negative ? 1 - kInfinity<T> : 0);
    return weight;
  }
}

// wrong: the least i·n + j of an element that is no weight
template <class T>
__global__ void copyAll(int n, Strided<T> from, bool negative, BlockOf<T> to, Index* wrong) {
  for (std::size_t at = std::size_t{blockIdx.x} * kThreads + threadIdx.x; at < to.size();
       at += std::size_t{gridDim.x} * kThreads) {
    const int i = to.rowOf(at), j = to.columnOf(at);
    bool good = true;
    const T weight = i == j ? 0 : liked(orNoEdge(*from.at(i, j), from.noEdge), negative, good);
    if (!good) atomicMin(wrong, static_cast<Index>(i) * n + j);
    *to.at(i, j) = weight;
  }
}

template <class T>
std::optional<WrongElement> copyBlock(const MatrixArray& matrix, bool negative,
                                      const BlockOf<T>& to) {
  if (to.size() == 0) return std::nullopt;
  const DeviceBuffer flag(sizeof(Index), nullptr);
  if (!flag) throw Error(ErrorCode::kMemory, "device memory: no room for 8 bytes");
  Index wrong = ULLONG_MAX;
  CHECK_CUDA(cudaMemcpy(flag.at<Index>(0), &wrong, sizeof wrong, cudaMemcpyHostToDevice));
  const Strided<T> from = stridedOf<T>(matrix);
  copyAll<<<stridingBlocks(to.size(), kThreads), kThreads>>>(matrix.n, from, negative, to,
                                                             flag.at<Index>(0));
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(&wrong, flag.at<Index>(0), sizeof wrong, cudaMemcpyDeviceToHost));
  if (wrong == ULLONG_MAX) return std::nullopt;
  const auto n = static_cast<Index>(matrix.n);
  const int i = static_cast<int>(wrong / n), j = static_cast<int>(wrong % n);
  T found;
  CHECK_CUDA(cudaMemcpy(&found, from.at(i, j), sizeof found, cudaMemcpyDeviceToHost));
  return WrongElement{i, j, found};
}

}  // namespace

std::optional<WrongElement> copyOnGpu(const MatrixArray& from, bool negative,
                                      const MatrixBlock& to) {
  return withType(from.elements.dtype(), [&](auto zero) {
    return copyBlock(from, negative, to.as<decltype(zero)>());
  });
}

std::optional<WrongElement> copyFromGpu(const MatrixArray& from, bool negative, int row, int rows,
                                        int column, int columns, Elements to) {
  const auto stride = asSize(columns);
  const std::size_t bytes = asSize(rows) * stride * sizeOf(to.dtype());
  if (bytes == 0) return std::nullopt;
  const DeviceBuffer there(bytes, nullptr);
  if (!there) throw Error(ErrorCode::kMemory, "device memory: no room for some rows of the matrix");
  void* const elements = there.at<char>(0);
  const auto wrong = copyOnGpu(
      from, negative, {row, rows, column, columns, stride, Elements(to.dtype(), elements)});
  CHECK_CUDA(cudaMemcpy(to.data(), elements, bytes, cudaMemcpyDeviceToHost));
  return wrong;
}

}  // namespace engine
