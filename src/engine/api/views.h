// The caller's arrays as sources of a graph. They are read where the graph is needed, and only then
// are their elements looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/graph_source.h"

/// An argument that is wrong. what() names it.
struct InvalidArgument : Error {
  explicit InvalidArgument(const std::string& message) : Error(Exit::kUsage, message) {}
};

/// Edges by the vertex that they leave, or in any order. weights: 4-byte elements of `dtype`; null:
/// all are 1.
template <class Offset>
struct CsrArrays {
  int n;
  const Offset* offsets;  // (n + 1)
  const std::int32_t* heads;
  const void* weights;
  Dtype dtype;
};
struct EdgeArrays {
  int n;
  std::size_t count;
  const std::int32_t *tails, *heads;
  const void* weights;
  Dtype dtype;
};
struct MatrixArray {
  int n;
  const std::int32_t* words;  // int32, or floats as words
  std::ptrdiff_t rowStride, columnStride;
  Dtype dtype;
};

/// negative: weights may be below 0. The sources throw InvalidArgument if an element is wrong.
std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int32_t>& arrays, bool negative);
std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int64_t>& arrays, bool negative);
std::shared_ptr<const GraphSource> viewOf(const EdgeArrays& arrays, bool negative);
std::shared_ptr<const GraphSource> viewOf(const MatrixArray& array, bool negative);

/// Throws InvalidArgument if some element of the matrix is no weight, or negative. It is not
/// changed.
void requireWeights(const MatrixArray& array);

/// The weight as it is stored, or nothing if it is none; noEdge: infinity is accepted, too.
std::optional<int> weightOf(std::int32_t word, Dtype dtype, bool negative, bool noEdge);
