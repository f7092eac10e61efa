// Graphs from the edges that a file holds, with or without the ids that no edge has.
#pragma once

#include "base/graph.h"
#include "io/formats/file_graph.h"
#include "io/formats/formats.h"

/// The graph of n vertices. With options.compact it keeps only the vertices of the edges, also of
/// self-loops, in ascending order, reports their ids as their names, and calls options.onSize().
/// first: the id of vertex 0 in the file.
template <class T>
FileGraph graphOf(int n, Edges<T> edges, const ReadOptions& options, int first);
