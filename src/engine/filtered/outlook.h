// What filtering a graph on a GPU is expected to gain, told from its edges.
#pragma once

#include <cstddef>

#include "base/graph.h"
#include "solver/options.h"

namespace engine {

/// About the levels of a breadth-first search from a vertex, told from those of a few hundred
/// edges, or so many more.
double levelsFrom(const OutEdges& leaving, int first, std::size_t more = 0);

/// Looks at a few vertices only. edges: those of `leaving`; T: of the weights. It is poor if some
/// vertices have many steps between them, because a GPU takes a step after the other, or if a
/// vertex has more edges than it can keep; of a large graph that is doubtful. It is good if a GPU
/// can keep the edges that matter, and unknown if there are too many edges to tell.
template <class T>
Outlook outlookOnGpu(const OutEdges& leaving, const Edges<T>& edges);

}  // namespace engine
