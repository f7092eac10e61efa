// The caller's arrays as sources of a graph. They are read where the graph is needed, and only then
// are their elements looked at.
#pragma once

#include <apsp/apsp.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/graph_source.h"

namespace engine {

/// An argument that is wrong. what() names it.
struct InvalidArgument : Error {
  explicit InvalidArgument(const std::string& message) : Error(ErrorCode::kUsage, message) {}
};

/// Edges by the vertex that they leave, or in any order. The type of the graph is that of the
/// weights; null: all are 1.
template <class Offset>
struct CsrArrays {
  int n;
  const Offset* offsets;  // (n + 1)
  const std::int32_t* heads;
  ConstElements weights;
};
struct EdgeArrays {
  int n;
  std::size_t count;
  const std::int32_t *tails, *heads;
  ConstElements weights;
};
/// Strides are in elements. noEdge: a sum of apsp_no_edge.
struct MatrixArray {
  int n;
  ConstElements elements;
  std::ptrdiff_t rowStride, columnStride;
  int noEdge = 0;
};

/// The element, or infinity if it stands for "no edge". constexpr, because a GPU calls it, too.
template <class T>
constexpr T orNoEdge(T element, int noEdge) {
  const bool none = ((noEdge & APSP_NO_EDGE_ZERO) != 0 && element == 0) ||
                    ((noEdge & APSP_NO_EDGE_NAN) != 0 && element != element);
  return none ? kInfinity<T> : element;
}

/// The least weight that a graph holds.
template <class T>
constexpr T leastWeight(bool negative) {
  if (!negative) return 0;
  return std::is_integral_v<T> ? static_cast<T>(1 - kInfinity<T>)
                               : std::numeric_limits<T>::lowest();
}

/// Whether that is a weight; noEdge: infinity is accepted, too.
template <class T>
bool isWeight(T number, bool negative, bool noEdge) {
  return number >= leastWeight<T>(negative) && number <= kInfinity<T> &&
         (noEdge || number != kInfinity<T>);
}

/// Edges, which lie in the caller's order.
class EdgeSource : public GraphSource {
 public:
  /// The ends of all that the caller gave, in his order. Throws as whole() does.
  virtual std::vector<Ends> ends() const = 0;
};

/// negative: weights may be below 0. The sources throw InvalidArgument if an element is wrong.
std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int32_t>& arrays, bool negative);
std::shared_ptr<const GraphSource> viewOf(const CsrArrays<std::int64_t>& arrays, bool negative);
std::shared_ptr<const GraphSource> viewOf(const EdgeArrays& arrays, bool negative);
std::shared_ptr<const GraphSource> viewOf(const MatrixArray& array, bool negative);

/// Throws InvalidArgument if some element of the matrix is no weight, or negative. It is not
/// changed.
void requireWeights(const MatrixArray& array);

/// The matrix of a source in host memory, made a few rows at a time. Throws what the source throws.
Graph matrixOf(const GraphSource& source);

/// Throws InvalidArgument, because this element of a matrix is no weight.
[[noreturn]] void refuseElement(int i, int j, const Number& number, bool negative);
/// The same, because what is `where` in the caller's arrays is no weight: "weights[7]".
[[noreturn]] void refuseWeight(const std::string& where, const Number& number, bool negative);

}  // namespace engine
