// The way down a hierarchy as a GPU goes it: who shares the steps, and in which order.
//
// A warp that goes down alone waits for memory most of the time. Vertices of different subtrees of
// the elimination tree do not depend on each other, only on their ancestors. So the top of the tree
// is done first, by one warp. Below it hang subtrees, and several warps share them out.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/sparse/sweep.h"

namespace sparse {

/// A vertex on the way down. Its arcs are those from `begin` to before `end`.
struct Step {
  std::uint32_t vertex, rank, begin, end;
};

template <class T>
struct Descent {
  std::vector<Step> steps;
  std::vector<typename SweepArcs<T>::Arc> arcs;  ///< their heads are vertices, not ranks
  /// Where in `steps` each share begins, and the end. Share 0 is the top: it comes first. No other
  /// share depends on another.
  std::vector<int> shares;
};

/// The vertex of each rank. The rows and columns of the graph are all its vertices.
template <class T>
std::vector<std::uint32_t> verticesOf(const Swept<T>& graph);

/// Lays out the arcs of the ranks below graph.core, the highest first, for `shares` warps. down:
/// graph.arcs.down, or graph.arcs.up for the way to targets instead of the one from sources.
/// vertex: as verticesOf() tells.
template <class T>
Descent<T> descentOf(const Swept<T>& graph, const SweepArcs<T>& down,
                     const std::vector<std::uint32_t>& vertex, int shares);

}  // namespace sparse
