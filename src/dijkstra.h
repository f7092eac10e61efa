// Dijkstra's algorithm on the host: the oracle for whole rows, which shares no code with any
// solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph.h"

/// Distances from one source at a time. Keeps a reference to the graph.
class Dijkstra {
 public:
  static constexpr std::int64_t kUnreachable = INT64_MAX;

  explicit Dijkstra(const Graph& graph);

  /// The n distances from `source`, in 64 bits: they never overflow, so that one at or above kInf
  /// shows.
  std::vector<std::int64_t> from(int source) const;

 private:
  std::vector<std::int64_t> overEdges(int source) const;
  std::vector<std::int64_t> overMatrix(int source) const;

  const Graph& graph_;
  std::vector<std::size_t>
      first_;  // of an edge list: where each vertex's edges begin, n + 1 entries
};
