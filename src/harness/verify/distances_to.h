// The distances of all vertices to one, for paths of a graph that is not solved.
#pragma once

#include <optional>
#include <vector>

#include "base/graph.h"
#include "verify/bellman_ford.h"
#include "verify/dijkstra.h"

/// The distances of all vertices to one, by Dijkstra's algorithm. Whole weights below 0 are shifted
/// by potentials before, and the distances back. Where real weights may be negative, Bellman and
/// Ford's algorithm finds them.
class DistancesTo {
 public:
  /// Makes a copy of the graph with all edges reversed. negative: its weights may be negative.
  /// Throws Error(kMemory), and what potentialsOf() throws.
  explicit DistancesTo(const Graph& graph, bool negative = false);
  DistancesTo(const DistancesTo&) = delete;
  DistancesTo& operator=(const DistancesTo&) = delete;
  std::vector<double> vertex(int target) const;

 private:
  DistancesTo(bool negative, Graph reversed);

  std::vector<int> potentials_;              // of the reversed graph; empty: none are needed
  const Graph reversed_;                     // reweighted, if there are any
  const Dijkstra solver_;                    // of reversed_
  std::optional<BellmanFord<double>> real_;  // of reversed_; takes the place of solver_
};
