// What distances say about each vertex and about the whole graph, without keeping them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/distances.h"

namespace engine {

/// Of the distances from one vertex to those that it reaches, without itself.
struct VertexSummary {
  int vertex = 0;           ///< that they begin at
  int others = 0;           ///< vertices that are looked at
  int reachable = 0;        ///< how many of them it reaches
  Number eccentricity = 0;  ///< the largest, which may be negative; 0 if none
  double sum = 0;
  double harmonic = 0;  ///< the sum of 1/d over distances d other than 0
  double mean() const { return reachable == 0 ? 0 : sum / reachable; }

  /// Of the distances to this vertex from the vertices that rows begin at; none: it has no column.
  std::optional<ColumnSummary> incoming = {};
  int otherSources = 0;  ///< vertices, beside itself, that rows begin at

  /// 1 / mean(): of the outgoing distances, and not scaled. 0 if it reaches none, infinite if all
  /// distances are 0.
  double outCloseness() const;
  /// As NetworkX defines it: of the incoming distances, scaled as Wasserman and Faust do.
  std::optional<double> networkxCloseness() const;
  /// The same without that scale (wf_improved=False).
  std::optional<double> networkxPlainCloseness() const;
  /// NetworkX's harmonic centrality: the sum of 1/d over incoming distances d other than 0.
  std::optional<double> networkxHarmonic() const;
};

struct Summary {
  Dtype dtype = Dtype::kInt32;
  bool table = false;  ///< of some rows or columns only
  std::vector<VertexSummary> vertices;
  Total total = {};  ///< of all distances

  std::uint64_t pairs() const;  ///< (i, j), i ≠ j, such that i reaches j
  double mean() const;          ///< distance of these
  Number diameter() const;      ///< the largest distance; 0 without any
  /// The least eccentricity of the vertices that reach all others, if there are any.
  std::optional<Number> radius() const;
  /// The mean of 1/d over all pairs (i, j), i ≠ j, also those without a path. It is 0 for these,
  /// and for d = 0, as in NetworkX. 0 without pairs.
  double efficiency() const;
  /// The sum of the distances of all pairs; nothing if there is no path for some pair.
  std::optional<Total> wiener() const;

 private:
  std::uint64_t otherPairs() const;  // (i, j), i ≠ j, that are looked at
};

/// Looks at a few rows at a time, on all cores.
Summary summaryOf(const Distances& distances);

}  // namespace engine
