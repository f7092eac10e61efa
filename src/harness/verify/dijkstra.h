// Dijkstra's algorithm on the host: the oracle for whole rows, which shares no code with any
// solver.
#pragma once

#include <cstddef>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "verify/sums.h"

/// Distances from one source at a time. Sum: what they are added up in. With SumOf the weights'
/// type they are exact for whole weights, and never overflow, so that one at or above infinity
/// shows. Doubles are exact for int32 weights, too (n·kInf < 2⁵³ for any matrix that there is
/// memory for). Keeps a reference to the graph.
template <class Sum = double>
class Dijkstra {
 public:
  static constexpr Sum kUnreachable = kNoPath<Sum>;

  explicit Dijkstra(const Graph& graph);

  /// The n distances from `source`. edges: gets how many edges the path to each vertex has that was
  /// found (n); 0 if there is none.
  std::vector<Sum> from(int source, std::vector<int>* edges = nullptr) const;

 private:
  template <class T>
  std::vector<Sum> overEdges(int source, std::vector<int>& edges) const;
  template <class T>
  std::vector<Sum> overMatrix(int source, std::vector<int>& edges) const;

  const Graph& graph_;
  std::vector<std::size_t>
      first_;  // of an edge list: where each vertex's edges begin, n + 1 entries
};

extern template class Dijkstra<std::int64_t>;
extern template class Dijkstra<Int128>;
extern template class Dijkstra<double>;
extern template class Dijkstra<long double>;
