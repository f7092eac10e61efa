// The way down a hierarchy as a GPU goes it: who shares the steps, and in which order.
//
// A warp that goes down alone waits for memory most of the time. Vertices of different subtrees of
// the elimination tree do not depend on each other, only on their ancestors. So the way down has
// phases: in each, several warps go down different subtrees until these are small, and then all
// wait for each other. Small subtrees are many, so the warps have nearly equal shares.
#pragma once

#include <cstdint>
#include <vector>

#include "base/uninitialised.h"
#include "sparse/sweep.h"

namespace engine::sparse {

struct Descent {
  /// The positions below the core that are passed, in the order of their steps: those of a phase
  /// descend.
  Uninitialised<int> positions;
  /// Where in `positions` each share begins, and the end: phases · sharesOfPhase + 1 places. The
  /// shares of a phase depend on those of earlier phases only.
  std::vector<int> shares;
  int phases = 0;
  /// A number for each position. In the core it is the position's place there. Below the core it is
  /// the size of the core plus the number of the position's ancestors below the core. Two positions
  /// may have the same number. Then a phase has finished reading the row of one before it reads the
  /// row of the other, because only vertices of a position's subtree read its row.
  Uninitialised<int> numbers;
  int numberCount = 0;
  /// Of each position below the core, the lowest one of its subtree: the positions from there up to
  /// itself are those of the vertices whose ancestor it is, and its own.
  Uninitialised<int> lowest;
};

/// The vertex of each position. The rows and columns of the graph are all its vertices.
template <class T>
std::vector<std::uint32_t> verticesOf(const Swept<T>& graph);

/// Of each position, whether its row is needed if only the rows of some positions are wanted:
/// those, and the positions that arcs lead to from there.
template <class T>
std::vector<char> neededFor(const Swept<T>& graph, const SweepArcs<T>& down,
                            const std::vector<int>& positions);

/// Lays out the positions below graph.core for so many warps. down: graph.arcs.down, or
/// graph.arcs.up for the way to targets instead of the one from sources. needed: whether the way
/// passes each position below graph.core, and perhaps more; empty: all of them.
template <class T>
Descent descentOf(const Swept<T>& graph, const SweepArcs<T>& down, int sharesOfPhase,
                  const std::vector<char>& needed = {});

}  // namespace engine::sparse
