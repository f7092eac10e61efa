// A block of an n×n matrix in GPU memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "base/elements.h"
#include "base/size.h"

namespace engine {

/// A block of an n×n matrix in GPU memory, of elements of type T, as kernels take it: `rows` rows
/// from `row` on, and `columns` columns from `column` on. From one row to the next there are
/// `stride` elements.
template <class T>
struct BlockOf {
  int row, rows, column, columns;
  std::size_t stride;
  T* elements;

  __host__ __device__ std::size_t size() const { return asSize(rows) * columns; }
  /// The row and the column, in the whole matrix, of element number `at`.
  __device__ int rowOf(std::size_t at) const { return row + static_cast<int>(at / columns); }
  __device__ int columnOf(std::size_t at) const { return column + static_cast<int>(at % columns); }
  __device__ bool has(int i, int j) const {
    return i >= row && i < row + rows && j >= column && j < column + columns;
  }
  __device__ T* at(int i, int j) const { return elements + (i - row) * stride + (j - column); }
};

/// The same of elements that know their type.
struct MatrixBlock {
  int row, rows, column, columns;
  std::size_t stride;
  Elements elements;

  Dtype dtype() const { return elements.dtype(); }
  std::size_t size() const { return asSize(rows) * asSize(columns); }
  /// The type must be T.
  template <class T>
  BlockOf<T> as() const {
    return {row, rows, column, columns, stride, elements.as<T>()};
  }
};

/// Every weight below infinity becomes 0, on the default stream. Throws Error(kGpu).
void zeroOnGpu(std::size_t count, Elements elements);

}  // namespace engine
