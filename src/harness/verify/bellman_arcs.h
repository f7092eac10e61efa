// Bellman's equation on the arcs of a graph that is held as edges: n·m steps for all distances,
// about as many as sweeping them took. So every entry of a result can be checked, of any size.
#pragma once

#include "base/graph.h"
#include "solver/distances.h"
#include "verify/verify.h"

/// Checks whole rows of the distances, as verifyByBellman() does: every row if rows ≥ n, else those
/// of `rows` different sources, drawn anew each time. For a row D of the source s:
///
///     D(s) = 0,  and  D(v) = min over the arcs (u,v) of D(u) + w(u,v)  for all v ≠ s.
///
/// If every cycle has a length above 0, only the distances satisfy this. None can be too large:
/// on a shortest path, the first such vertex has a right predecessor. Suppose that some are too
/// small. Each of them is so because of a predecessor that is too small itself, by as much or more,
/// and never because of s. Follow the predecessors: a vertex comes up again, with the same
/// distance. So the arcs in between form a cycle of length 0.
///
/// Cycles of length 0 are contracted before: vertices that arcs of weight 0 lead between in both
/// directions (strongly connected components of those arcs) have the same distance. They are one
/// vertex, whose arcs are those that enter it from outside.
///
/// Of reals, both sides may differ by the tolerance for two results; therefore only errors that
/// are larger are found.
///
/// If `device` is a GPU that has room, it looks at all these rows first (bellman_gpu.h).
Verdict verifyByArcs(const Graph& graph, const Distances& distances, int rows,
                     const Device& device = cpuDevice);

/// Bytes of host memory that it takes, beside the graph and the rows that it looks at.
std::size_t arcsBytes(const Graph& graph);
