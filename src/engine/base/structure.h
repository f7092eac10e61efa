// How a graph is built: its components, its degrees, and whether its weights are a metric.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/graph.h"

namespace engine {

/// Sets of vertices that divide a graph.
struct Components {
  int count = 0;
  int largest = 0;  ///< vertices of the largest one; 0 if there is none
};

/// Vertices between which edges lead, whatever their direction.
Components weakComponents(const Graph& graph);

/// Vertices that can all be reached from each other.
Components strongComponents(const Graph& graph);

/// Numbers the strong components, and returns that of each vertex. An edge leads to a component
/// with the same number or a lower one. edges: sorted by `from`.
std::vector<int> strongComponentsOf(int n, const EndsOf& edges);

/// How many vertices have how many edges: element 0 counts those with none, element b those with
/// 2^(b−1) to 2^b − 1.
using DegreeHistogram = std::vector<int>;

struct Degrees {
  DegreeHistogram out, in;
  int mostOut = 0, mostIn = 0;
};
Degrees degreesOf(const Graph& graph);

/// An edge, and a way of two edges between its ends that is shorter.
struct Shortcut {
  int from = 0, over = 0, to = 0;
  double edge = 0, way = 0;  ///< lengths
};

/// What keeps weights from being a metric, that is, from being distances that are symmetric, above
/// 0, between all pairs, and never longer than a way over another vertex.
struct Metric {
  std::uint64_t missing = 0;     ///< ordered pairs without an edge
  std::uint64_t zeros = 0;       ///< edges of weight 0
  std::uint64_t asymmetric = 0;  ///< edges whose reverse is missing or has another weight
  std::uint64_t looked = 0;      ///< edges that were compared with ways of two edges
  std::uint64_t longer = 0;      ///< of these, those that are longer; floats by more than rounding
  bool all = true;               ///< every edge was looked at; else those of some vertices
  std::optional<Shortcut> first;

  bool holds() const { return all && missing + zeros + asymmetric + longer == 0; }
};

/// steps: about how many ways of two edges to look at. If there are more, the edges that leave some
/// vertices are looked at, chosen evenly.
Metric metricOf(const Graph& graph, double steps = 2e9);

}  // namespace engine
