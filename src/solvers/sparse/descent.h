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

/// Lays out the arcs of the ranks below graph.core, the highest first, for `shares` warps. down:
/// graph.arcs.down, or graph.arcs.up for the way to the sources instead of the targets.
template <class T>
Descent<T> descentOf(const Swept<T>& graph, const SweepArcs<T>& down, int shares);

}  // namespace sparse
