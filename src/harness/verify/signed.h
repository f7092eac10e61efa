// Distances of graphs with negative weights, checked by themselves and the graph.
#pragma once

#include "base/graph.h"
#include "solver/distances.h"
#include "verify/bellman_ford.h"
#include "verify/verify.h"

/// Checks rows of distances: every row if there are at most `rows`, else so many of them,
/// drawn anew each time. A row of reals is compared with that of Bellman and Ford's algorithm in
/// more exact sums, within SignedTolerance (verify/bellman_ford.h). Of whole numbers, let D be the
/// row of the source i, and w the weights. It is right if and only if
///
///     D(i) = 0,
///     D(v) ≤ D(u) + w(u,v) for every edge from a vertex u with D(u) < infinity, and
///     tight edges, with D(v) = D(u) + w(u,v), lead from i to every v with D(v) < infinity.
///
/// The first two say that no distance is too large: along a shortest path they add up to
/// D(v) ≤ d(i,v). The last one says that none is too small: D(v) is the length of the path of tight
/// edges, so D(v) ≥ d(i,v). Cycles of length 0 need no care, because the path begins at i. Weights
/// may have any sign.
///
/// In a row that is wrong, Bellman and Ford's algorithm counts the wrong entries. It also finds
/// every row anew of a table that has columns for some targets only.
Verdict verifySigned(const Graph& graph, const Distances& distances, int rows);
