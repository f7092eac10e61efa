// The distances of all vertices to one, for paths of a graph that is not solved.
#pragma once

#include <cstdint>
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
  /// Infinity where there is no path. Distance: double, which is not exact for int64 from 2⁵³ on;
  /// or std::int64_t, which is exact, if the weights are whole.
  template <class Distance = double>
  std::vector<Distance> vertex(int target) const;

 private:
  DistancesTo(bool negative, Graph reversed);
  /// Distances of whole weights of type T.
  template <class T>
  std::vector<std::int64_t> exact(int target) const;

  std::vector<std::int64_t> potentials_;     // of the reversed graph; empty: none are needed
  const Graph reversed_;                     // reweighted, if there are any
  std::optional<BellmanFord<double>> real_;  // of reversed_; takes the place of Dijkstra's
};

template <>
std::vector<double> DistancesTo::vertex(int target) const;
template <>
std::vector<std::int64_t> DistancesTo::vertex(int target) const;
