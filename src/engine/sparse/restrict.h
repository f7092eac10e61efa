// A table of some distances instead of all: the part of the hierarchy that it needs.
#pragma once

#include "solver/selection.h"
#include "sparse/sweep.h"

namespace engine::sparse {

/// Leaves of a graph, whose rows and columns are all its vertices, what the sweeps of a table need:
/// the positions that arcs lead up to from the table's sources, or from which arcs lead down to its
/// targets. The rows and columns are those of the table afterwards. Throws std::bad_alloc.
template <class T>
void restrictTo(const Selection& asked, Swept<T>& graph);

}  // namespace engine::sparse
