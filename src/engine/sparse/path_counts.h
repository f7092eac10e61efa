// How many shortest paths lead along each edge, by sweeps over the hierarchy.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/elimination.h"

namespace engine::sparse {

/// The elimination of all vertices, without a core.
struct FullElimination {
  Pattern pattern;
  Elimination elimination;
  double triangles = 0;  ///< how many there are

  /// edges: as surveyOf() takes them.
  FullElimination(int n, const EndsOf& edges);
};

/// Of each edge the sum over the pairs of a source and another vertex of the part of their shortest
/// paths that lead along it, in the order of the edges; and of each vertex, how many other sources
/// reach it. Paths and parts are doubles, which may be infinite. Weights are above 0, and n times
/// the heaviest is below infinity. Throws Error(kMemory).
struct PathCounts {
  std::vector<double> edges;
  std::vector<int> reaching;
};
PathCounts countPaths(const FullElimination& full, const Edges<std::int64_t>& edges,
                      const std::vector<int>& sources, int threads);

}  // namespace engine::sparse
