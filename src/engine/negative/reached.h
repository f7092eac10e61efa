// What the sources of a table reach. Nothing else matters to the table, and a negative cycle that
// no source reaches is no obstacle to it.
#pragma once

#include <vector>

#include "base/graph.h"
#include "base/negative_cycle.h"
#include "solver/selection.h"

namespace engine {

/// The graph without the edges that leave a vertex to which no path leads from the sources: no path
/// from a source takes them. A list keeps one, of weight 0, if otherwise it had none: it stays a
/// list. Throws Error(kMemory).
Graph edgesOfReached(const Graph& graph, const std::vector<int>& sources);

/// Returns use(graph). If use() throws NegativeCycle and a table from some vertices is asked for,
/// returns use() of the edges that matter to the table. asked: null: all.
template <class Use>
auto withEdgesFor(const Selection* asked, const Graph& graph, const Use& use) {
  if (asked == nullptr || asked->sources.empty()) return use(graph);
  try {
    return use(graph);
  } catch (const NegativeCycle&) {
    return use(edgesOfReached(graph, asked->sources));
  }
}

}  // namespace engine
