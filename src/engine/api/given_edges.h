// The edges of a planned graph as the caller gave them, so that new weights find their places.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/graph.h"

namespace engine {

/// The edges of a graph without their weights, sorted by their ends.
using Structure = std::vector<std::pair<int, int>>;

class GivenEdges {
 public:
  /// given: in the caller's order, maybe parallel, maybe from a vertex to itself. edges: those that
  /// are solved.
  GivenEdges(const std::vector<Ends>& given, const Structure& edges);

  std::size_t count() const { return count_; }
  /// The edges that are solved, with the caller's weights: (count()), in host memory. Throws
  /// InvalidArgument, and NegativeCycle.
  Graph weighed(int n, const Structure& edges, ConstElements weights, bool negative) const;

 private:
  template <class T>
  Edges<T> weighed(const Structure& edges, const T* weights, bool negative) const;

  std::size_t count_;
  /// Of each given edge: the index of its solved edge; of a loop at v, the number of solved edges
  /// + v. Empty: given edge i is solved edge i.
  std::vector<std::size_t> places_;
};

}  // namespace engine
