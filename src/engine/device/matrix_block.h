// A block of an n×n matrix in GPU memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "base/dtype.h"

/// A block of an n×n matrix in GPU memory: `rows` rows from `row` on, and `columns` columns from
/// `column` on. `stride` words lie from one row to the next.
struct MatrixBlock {
  int row, rows, column, columns;
  std::size_t stride;
  int* words;

  __host__ __device__ std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
  /// The row and the column, in the whole matrix, of element number `at`.
  __device__ int rowOf(std::size_t at) const { return row + static_cast<int>(at / columns); }
  __device__ int columnOf(std::size_t at) const { return column + static_cast<int>(at % columns); }
  __device__ bool has(int i, int j) const {
    return i >= row && i < row + rows && j >= column && j < column + columns;
  }
  __device__ int* at(int i, int j) const { return words + (i - row) * stride + (j - column); }
};

/// Every weight below infinity becomes 0, on the default stream. Throws Error(kGpu).
void zeroOnGpu(std::size_t count, int* words, Dtype dtype);
