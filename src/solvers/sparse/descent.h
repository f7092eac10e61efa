// The way down a hierarchy as a GPU goes it: who shares the steps, and in which order.
//
// A warp that goes down alone waits for memory most of the time. Vertices of different subtrees of
// the elimination tree do not depend on each other, only on their ancestors. So the way down has
// phases: in each, several warps go down different subtrees until these are small, and then all
// wait for each other. Small subtrees are many, so the warps have nearly equal shares.
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
  /// Where in `steps` each share begins, and the end: phases · sharesOfPhase + 1 places. The shares
  /// of a phase depend on those of earlier phases only.
  std::vector<int> shares;
  int phases = 0;
};

/// The vertex of each rank. The rows and columns of the graph are all its vertices.
template <class T>
std::vector<std::uint32_t> verticesOf(const Swept<T>& graph);

/// Lays out the arcs of the ranks below graph.core for so many warps. down: graph.arcs.down, or
/// graph.arcs.up for the way to targets instead of the one from sources. vertex: as verticesOf()
/// tells.
template <class T>
Descent<T> descentOf(const Swept<T>& graph, const SweepArcs<T>& down,
                     const std::vector<std::uint32_t>& vertex, int sharesOfPhase);

}  // namespace sparse
