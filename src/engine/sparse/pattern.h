// Which pairs of vertices are joined by an edge, whatever its direction and weight: all that an
// order of elimination depends on.
#pragma once

#include <vector>

#include "base/graph.h"

namespace sparse {

/// The neighbours of every vertex, in ascending order. Each pair is there from both ends.
struct Pattern {
  std::vector<int> first = {0};  ///< where each vertex's neighbours begin, n + 1 entries
  std::vector<int> neighbours;

  int vertices() const { return static_cast<int>(first.size()) - 1; }
  int degree(int vertex) const {
    return first[static_cast<std::size_t>(vertex) + 1] - first[static_cast<std::size_t>(vertex)];
  }
};

/// Whether the graph may have small separators, by a look at it that takes much less time than an
/// order. In a random graph, all vertices are a few steps from each other. On a road map, a mesh or
/// a circuit there are many steps between some. Trees and nearly trees always may.
bool maySeparate(const Pattern& pattern);

/// The pattern of a list of edges. The list has no self-loop, and no pair (from, to) twice.
Pattern patternOf(int n, const std::vector<Edge>& edges);

}  // namespace sparse
