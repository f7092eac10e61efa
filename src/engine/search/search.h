// Distances from few vertices, by a search from each of them along the edges, on the CPU.
#pragma once

#include <cstddef>

#include "base/elements.h"
#include "base/graph.h"
#include "solver/selection.h"

/// Writes the distances that are asked for: (rows, columns). graph: held as edges, whose weights
/// are not negative. Throws Error(kMemory).
void searchTable(const Graph& graph, const Selection& asked, Elements table);

/// The milliseconds that one search is expected to take, and all of them, which threads share.
double searchMilliseconds(const Graph& graph);
double searchMilliseconds(const Graph& graph, int sources);

/// Bytes that so many searches take beside the graph and the distances.
std::size_t searchBytes(const Graph& graph, int sources);
