// Dijkstra's algorithm on the host: the oracle for whole rows, which shares no code with any
// solver.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/graph.h"

/// Distances from one source at a time. Keeps a reference to the graph.
class Dijkstra {
 public:
  static constexpr double kUnreachable = std::numeric_limits<double>::infinity();

  explicit Dijkstra(const Graph& graph);

  /// The n distances from `source`, in double precision: exact for int32 weights (n·kInf < 2⁵³
  /// for any matrix that there is memory for), and never overflowing, so that one at or above
  /// infinity shows.
  std::vector<double> from(int source) const;

 private:
  std::vector<double> overEdges(int source) const;
  std::vector<double> overMatrix(int source) const;

  const Graph& graph_;
  std::vector<std::size_t>
      first_;  // of an edge list: where each vertex's edges begin, n + 1 entries
};
