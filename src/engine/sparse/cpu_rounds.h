// Order, elimination and customisation in one pass, on the threads of a CPU.
#pragma once

#include <cstddef>
#include <memory>

#include "base/graph.h"
#include "sparse/elimination.h"
#include "sparse/hierarchy.h"

namespace engine::sparse {

/// What eliminating a graph in rounds leaves. The lists of arcs with their weights are inside.
class Rounds {
 public:
  virtual ~Rounds() = default;
  Elimination elimination;
  int rounds = 0;         ///< after which the core began
  std::size_t bytes = 0;  ///< of the lists
};

/// Eliminates the vertices of a graph that is held as edges, as many of them as pays. The result
/// depends on the rates and the graph alone, and not on the number of threads that work. Throws
/// Error(kMemory).
std::shared_ptr<const Rounds> eliminateInRounds(const Graph& graph, const Rates& rates,
                                                int threads);

/// Milliseconds that this is expected to take.
double roundsMilliseconds(int n, double edges, const Rates& rates, int threads);

/// Whether these are the rounds of a graph with such edges, and such weights, too.
template <class T>
bool areOf(const Rounds& rounds, const Edges<T>& edges);

/// The customised hierarchy of that graph. Throws Error(kMemory).
template <class T>
Hierarchy<T> hierarchyOf(const Rounds& rounds, const Edges<T>& edges, int threads);

}  // namespace engine::sparse
