// 64-bit numbers that are solved in 32 bits, because that is exact.
//
// Most weights of 64 bits are small whole numbers: metres, milliseconds, 1.0. Let every weight be
// an integer k times the same power of two, 2^e, and let no distance reach (2^30 − 1) · 2^e. Then
// the integers k are a graph of int32, and its distances times 2^e are those of the given graph,
// bit for bit: no sum of 64 bits on the way is rounded, because it has at most 31 significant bits.
// So the graph is solved in int32 (in 16 bits, if that solver proves this exact, too), and its
// distances are widened when they are looked at.
//
// The bound on the distances is proved before anything is solved, in one of two ways:
//
//   sum   A shortest path leaves each vertex at most once, and enters each at most once. So no
//         distance is above the sum over all vertices of the heaviest edge that leaves it, nor
//         above that of the heaviest edges that enter.
//   hub   d(i,j) ≤ d(i,h) + d(h,j). So if all vertices reach h, and h reaches all, then walks to h
//         and from h bound all distances. If the graph is held as edges, h is any vertex of the
//         largest strong component. A path that leaves this component never returns to it. So a
//         path consists of at most one part inside the component, one edge that leaves it, and
//         edges that begin outside. Walks to h and from h bound the first, the heaviest such edge
//         the second, and the sum over the vertices outside the third.
//
// With weights below 0 only the sum of absolute values counts. Three times that bounds distances,
// potentials and reweighted distances (negative/shift.h).
#pragma once

#include <optional>

#include "solver/solver.h"

namespace engine {

/// A graph in int32: each number times 2^exponent is one of the given graph.
struct NarrowGraph {
  int exponent = 0;
  bool negative = false;    ///< a weight is below 0
  double milliseconds = 0;  ///< that it took to find this
  ProblemGraph graph;
};

/// A graph of int64 or float64 in int32; nothing if it cannot be proved that this is exact. Throws
/// Error(kMemory), and what the graph's source throws.
std::optional<NarrowGraph> narrowed(const ProblemGraph& graph);

/// The same solver, which solves 64-bit weights in int32 if narrowed() proves that this is exact,
/// unless Precision::k64 is asked for. If it is not exact, and fewer bits are asked for, a solver
/// with options throws Error(kUsage).
Solver orNarrowed(Solver one);

}  // namespace engine
