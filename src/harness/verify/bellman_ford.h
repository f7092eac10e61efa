// Bellman and Ford's algorithm on the host, for weights of any sign. It shares no code with the
// potentials of solvers/negative.
#pragma once

#include <cstddef>
#include <vector>

#include "base/graph.h"

/// Distances along the edges of a graph. Number: std::int64_t, exact for whole weights, or double.
/// Keeps a reference to the graph.
///
/// It ends after n passes at most, also if a cycle is negative, or is 0 and rounding makes it so.
/// If it ends earlier, then every distance but that of the source is the rounded sum of the one
/// before it on a path and of an edge: such edges fit exactly.
template <class Number>
class BellmanFord {
 public:
  static const Number kUnreachable;

  explicit BellmanFord(const Graph& graph);

  /// From one vertex to all (n).
  std::vector<Number> from(int source) const;
  /// To all vertices, each from wherever it is nearest (n). The path of no edge counts, so none is
  /// above 0.
  std::vector<Number> fromAnywhere() const;

 private:
  std::vector<Number> run(std::vector<Number> distances, std::vector<int> lowered) const;
  /// Calls relax(head, weight) for each edge from u.
  template <class Relax>
  void forEachFrom(int u, Relax relax) const;

  const Graph& graph_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

/// How far right float32 distances may be off where weights may be negative (docs/negative.md).
class SignedTolerance {
 public:
  /// solvers: as in tolerance() (verify/verify.h). Keeps no reference.
  SignedTolerance(const Graph& graph, int solvers);

  /// Of the distance d from u to v.
  double operator()(int u, int v, double d) const;
  /// The part that is relative to the reweighted distance.
  double relative() const { return relative_; }

 private:
  double relative_, absolute_;
  std::vector<double> potentials_;  // (n), all 0 if no weight is negative
};
