// What filtering a graph on a GPU is expected to gain, told from its edges.
#pragma once

#include <cstddef>

#include "base/graph.h"
#include "solver/options.h"

namespace engine {

/// From so many vertices on, filtering in vain costs a GPU less than 10 % of the dense solver's
/// time.
inline constexpr int kCheapToFilter = 4000;

/// About the levels of a breadth-first search from a vertex: estimated from a search that stops
/// after n/8 + 64 + `more` edges.
double levelsFrom(const OutEdges& leaving, int first, std::size_t more = 0);

/// Whether some vertices are in cliques: nearly all neighbours of the vertex are neighbours of each
/// other, and some of them have edges to other vertices.
bool hasCliques(const OutEdges& leaving);

/// Looks at a few vertices only. edges: those of `leaving`; T: of the weights. The outlook is poor
/// if some vertices have many steps between them, because a GPU takes a step after the other; if a
/// graph below kCheapToFilter has cliques and different weights; and if a vertex has more edges
/// than the GPU can keep. From kCheapToFilter on, the last makes it doubtful. The outlook is good
/// if a GPU can keep the edges that matter, and unknown if there are too many edges to tell.
template <class T>
Outlook outlookOnGpu(const OutEdges& leaving, const Edges<T>& edges);

}  // namespace engine
