// Distances from few vertices, by a search from each of them along the edges, on the CPU.
#pragma once

#include <cstddef>
#include <functional>

#include "base/elements.h"
#include "base/graph.h"
#include "solver/selection.h"

namespace engine {

/// Writes `count` rows of a table, from row `first` on: (count, columns), with all threads. Throws
/// Error(kMemory), Cancelled.
using FindRows = std::function<void(int first, int count, Elements rows)>;

/// Finds rows by searches. graph: held as edges, whose weights are not negative; the edges are
/// copied. asked: a reference is kept. Throws Error(kMemory).
FindRows searchesOf(const Graph& graph, const Selection& asked);

/// The milliseconds that one search is expected to take, and all of them, which threads share.
double searchMilliseconds(const Graph& graph);
double searchMilliseconds(const Graph& graph, int sources);

/// Bytes that so many searches take beside the graph and the distances.
std::size_t searchBytes(const Graph& graph, int sources);

}  // namespace engine
