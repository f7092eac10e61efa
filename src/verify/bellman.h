// Bellman's equation as an oracle: rows of distances are checked by themselves and the graph, which
// is read a few rows at a time. No machine holds the whole matrix.
#pragma once

#include "solvers/distances.h"
#include "solvers/problem.h"
#include "verify/verify.h"

/// Checks whole rows of the distances: every row if rows ≥ n, else those of `rows` different
/// sources, drawn anew each time. Let D be a row of the source i, and w the weights. The row is
/// right if and only if
///
///     D(i) = 0,  and  D(j) = min over k ≠ j of D(k) + w(k,j)  for all j ≠ i,
///
/// provided that no cycle has the length 0. A distance that is too large breaks the equation at the
/// first vertex of a shortest path where it is too large, because its predecessor is right. Suppose
/// some are too small. The smallest of these, D(j), equals D(k) + w(k,j) for some k. If w(k,j) > 0,
/// D(k) is smaller, so it is right, and D(j) is the length of a path. Edges of weight 0
/// could support vertices in a circle. Therefore a vertex counts as grounded if it is i, if it has
/// such a k with w(k,j) > 0, or if an edge of weight 0 leads to it from a grounded vertex at the
/// same distance. If some vertex is not grounded, or too many edges have the weight 0, the row is
/// walked through once more, from i along the edges that satisfy the equation: who is reached has
/// the length of a path.
///
/// Of float32, both sides may differ by the tolerance for one solver; therefore only errors that
/// are larger are found.
Verdict verifyByBellman(const ProblemGraph& graph, const Distances& distances, int rows);

/// Bytes of host memory that it takes.
std::size_t bellmanBytes(int n, int rows);
