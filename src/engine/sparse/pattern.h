// Which pairs of vertices are joined by an edge, whatever its direction and weight: all that an
// order of elimination depends on.
#pragma once

#include <vector>

#include "base/graph.h"
#include "base/size.h"

namespace engine::sparse {

/// The neighbours of every vertex, in ascending order. Each pair is there from both ends.
struct Pattern {
  std::vector<int> first = {0};  ///< where each vertex's neighbours begin, n + 1 entries
  std::vector<int> neighbours;

  int vertices() const { return static_cast<int>(first.size()) - 1; }
  int degree(int vertex) const { return first[asSize(vertex) + 1] - first[asSize(vertex)]; }
};

/// Whether it is clear without a pattern that a graph has no small separators: most vertices are
/// three steps from the first one, and no degree is far above the average.
bool spreadsAtOnce(const OutEdges& leaving);

/// Whether the graph may have small separators, by a look at it that takes much less time than an
/// order. In a random graph, all vertices are a few steps from each other. On a road map, a mesh or
/// a circuit there are many steps between some. Trees and nearly trees always may, and so may what
/// falls apart without a few hubs.
bool maySeparate(const Pattern& pattern);
bool maySeparate(int n, const EndsOf& edges);

/// The pattern of a list of edges, which is sorted by (from, to). It has no self-loop, and no pair
/// twice.
Pattern patternOf(int n, const EndsOf& edges);

}  // namespace engine::sparse
