// Betweenness: on how many shortest paths a vertex or an edge is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/graph.h"

namespace engine {

/// The betweenness of a vertex v is the sum over all ordered pairs (s, t) of other vertices of the
/// part of the shortest paths from s to t that lead through v. That of an edge is the same of all
/// ordered pairs. In an undirected graph each pair counts once, so both are halved.
struct Betweenness {
  std::vector<double> vertices;  ///< of each
  std::vector<double> edges;     ///< of each edge, in the order of the list; empty if not wanted
  int sources = 0;               ///< from which paths were counted; if fewer than n, an estimate
  bool undirected = false;       ///< every edge has a reverse of the same weight
  double milliseconds = 0;
};

struct BetweennessOptions {
  bool edges = false;
  bool directed = false;            ///< each direction of an undirected graph counts
  std::optional<int> samples = {};  ///< so many sources, drawn without replacement; nothing: all
  std::uint64_t seed = 0;           ///< of the draw
  std::optional<bool> sweeps = {};  ///< whether sweeps count paths; nothing: if they are faster
};

/// By Dijkstra's algorithm from each source, or for whole weights by sweeps over the sparse
/// method's hierarchy, and Brandes' sums. graph: held as edges. Whole weights of 0 count as
/// infinitely small, all alike: of the shortest paths, those with the fewest of these edges count.
/// Real lengths are equal if their rounded sums are, as in NetworkX. Throws Error(kInput) if a real
/// weight is 0, if a distance reaches the infinity of its type, or if there are more shortest paths
/// than a double counts; Error(kMemory).
Betweenness betweennessOf(const Graph& graph, const BetweennessOptions& options);

/// So many samples that with probability 0.9 no normalized value is off by more than `error`, which
/// is above 0. values: how many there are, vertices or edges (Hoeffding 1963).
int samplesFor(double error, int n, std::size_t values);

/// What a value is divided by to lie between 0 and 1, as in NetworkX; 0 if no pair counts.
double mostOfVertex(int n, bool undirected);
double mostOfEdge(int n, bool undirected);

}  // namespace engine
