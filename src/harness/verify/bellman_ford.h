// Bellman and Ford's algorithm on the host, for weights of any sign. It shares no code with the
// potentials of solvers/negative.
#pragma once

#include <cstddef>
#include <vector>

#include "base/graph.h"
#include "solver/selection.h"
#include "verify/sums.h"

/// Distances along the edges of a graph. Sum: what they are added up in; SumOf the weights' type is
/// exact for whole weights. Keeps a reference to the graph.
///
/// It ends after n passes at most, also if a cycle is negative, or is 0 and rounding makes it so.
/// If it ends earlier, then every distance but that of the source is the rounded sum of the one
/// before it on a path and of an edge: such edges fit exactly.
template <class Sum>
class BellmanFord {
 public:
  static constexpr Sum kUnreachable = kNoPath<Sum>;

  explicit BellmanFord(const Graph& graph);

  /// From one vertex to all (n).
  std::vector<Sum> from(int source) const;
  /// To all vertices, each from wherever it is nearest (n). The path of no edge counts, so none is
  /// above 0.
  std::vector<Sum> fromAnywhere() const;

 private:
  std::vector<Sum> run(std::vector<Sum> distances, std::vector<int> lowered) const;
  /// Calls relax(head, weight) for each edge from u. T: the type of the weights.
  template <class T, class Relax>
  void forEachFrom(int u, Relax relax) const;

  const Graph& graph_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

extern template class BellmanFord<std::int64_t>;
extern template class BellmanFord<Int128>;
extern template class BellmanFord<double>;
extern template class BellmanFord<long double>;

/// How far right real distances may be off where weights may be negative (docs/negative.md).
class SignedTolerance {
 public:
  /// solvers: as in tolerance() (base/tolerance.h). Keeps no reference.
  SignedTolerance(const Graph& graph, int solvers);

  /// Of the distance d from u to v.
  double operator()(int u, int v, double d) const { return of(u, v, d, relative_); }
  /// The same, if both results are sums along paths of so many edges.
  double along(int edges, int u, int v, double d) const;
  /// The part that is relative to the reweighted distance.
  double relative() const { return relative_; }

 private:
  double of(int u, int v, double d, double relative) const;

  Dtype dtype_;
  int solvers_;
  double relative_, rounding_, absolute_;  // rounding_: of one number, relative to itself
  std::vector<double> potentials_;         // (n), all 0 if no weight is negative
};

/// That of a table, whose solver left out what the sources do not reach if a negative cycle was
/// there. asked: what it has; null: all distances. Throws NegativeCycle if the sources reach one.
SignedTolerance signedToleranceFor(const Selection* asked, const Graph& graph, int solvers);
