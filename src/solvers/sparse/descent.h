// The way down a hierarchy as a GPU goes it: who shares the steps, and in which order.
//
// A warp that goes down alone waits for memory most of the time. Vertices of different subtrees of
// the elimination tree do not depend on each other, only on their ancestors. So the way down has
// phases: in each, several warps go down different subtrees until these are small, and then all
// wait for each other. Small subtrees are many, so the warps have nearly equal shares.
#pragma once

#include <cstdint>
#include <vector>

#include "core/uninitialised.h"
#include "solvers/sparse/sweep.h"

namespace sparse {

struct Descent {
  /// The ranks below the core in the order of their steps: those of a phase descend.
  Uninitialised<int> ranks;
  /// Where in `ranks` each share begins, and the end: phases · sharesOfPhase + 1 places. The shares
  /// of a phase depend on those of earlier phases only.
  std::vector<int> shares;
  int phases = 0;
  /// A number for each rank: its place in the core, or the core's size and how many ancestors it
  /// has. Of all ranks that share a number, a phase reads the row of one for the last time before
  /// it reads that of the next: the readers of a row are below it.
  Uninitialised<int> numbers;
  int numberCount = 0;
};

/// The vertex of each rank. The rows and columns of the graph are all its vertices.
template <class T>
std::vector<std::uint32_t> verticesOf(const Swept<T>& graph);

/// Lays out the ranks below graph.core for so many warps. down: graph.arcs.down, or graph.arcs.up
/// for the way to targets instead of the one from sources.
template <class T>
Descent descentOf(const Swept<T>& graph, const SweepArcs<T>& down, int sharesOfPhase);

}  // namespace sparse
