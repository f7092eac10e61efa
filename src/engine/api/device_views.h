// The same views of arrays that are in the GPU's memory. Edges are copied to host memory, where
// solvers take them from. A matrix is read where it is.
#pragma once

#include <memory>
#include <optional>

#include "api/views.h"

namespace engine {

struct MatrixBlock;  // device/matrix_block.h

/// Throws Error(kMemory), Error(kGpu), NoDevice, and InvalidArgument if offsets are wrong.
std::shared_ptr<const GraphSource> deviceViewOf(const CsrArrays<std::int32_t>& arrays,
                                                bool negative);
std::shared_ptr<const GraphSource> deviceViewOf(const CsrArrays<std::int64_t>& arrays,
                                                bool negative);
std::shared_ptr<const GraphSource> deviceViewOf(const EdgeArrays& arrays, bool negative);
std::shared_ptr<const GraphSource> deviceViewOf(const MatrixArray& array, bool negative);

/// Where a matrix holds something that is no weight, and what it is.
struct WrongElement {
  int i, j;
  Number number;
};

/// Writes a block of the caller's matrix as solvers like it: 0 on the diagonal, and no -0.0. On the
/// default stream. Returns the first element, row after row, that is no weight. The block has the
/// matrix's type. Throws Error(kGpu).
std::optional<WrongElement> copyOnGpu(const MatrixArray& from, bool negative,
                                      const MatrixBlock& to);
/// The same, of whole columns, into host memory: (rows, columns).
std::optional<WrongElement> copyFromGpu(const MatrixArray& from, bool negative, int row, int rows,
                                        int column, int columns, Elements to);

}  // namespace engine
