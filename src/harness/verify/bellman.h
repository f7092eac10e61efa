// Bellman's equation as an oracle: rows of distances are checked by themselves and the graph, which
// is read a few rows at a time. No machine holds the whole matrix.
#pragma once

#include "solver/distances.h"
#include "solver/problem.h"
#include "verify/verify.h"

/// Checks whole rows of the distances: every row if rows ≥ n, else those of `rows` different
/// sources, drawn anew each time. Let D be the row of the source i, and w the weights. A right row
/// satisfies Bellman's equation:
///
///     D(i) = 0,  and  D(j) = min over k ≠ j of D(k) + w(k,j)  for all j ≠ i.
///
/// Too large. Take a shortest path to a vertex whose distance is too large. At the first such
/// vertex on it, the equation is broken, because the distance of its predecessor is right.
///
/// Too small. Suppose that the equation holds, and let D(j) be the smallest of the distances that
/// are too small. It equals D(k) + w(k,j) for some k. If w(k,j) > 0, D(k) is smaller, so it is
/// right, and then D(j) is the length of a path: a contradiction. Only edges of weight 0 could let
/// vertices support each other in a circle. Therefore each vertex must be grounded: it is i, or it
/// has such a k with w(k,j) > 0, or an edge of weight 0 leads to it from a grounded vertex at the
/// same distance. If some vertex is not, or too many edges have the weight 0, the row is walked
/// through once more, from i along the edges that satisfy the equation. Who is reached has the
/// length of a path.
///
/// Of reals, both sides may differ by the tolerance for two results; therefore only errors that
/// are larger are found.
///
/// A graph that is held as edges is checked along these: verifyByArcs() does it.
///
/// If `device` is a GPU that has room, it looks at all these rows first (bellman_gpu.h).
Verdict verifyByBellman(const ProblemGraph& graph, const Distances& distances, int rows,
                        const Device& device = cpuDevice);

/// Bytes of host memory that it takes. On a GPU it takes no more than is free there.
std::size_t bellmanBytes(const ProblemGraph& graph, int rows);
