// What distances say about each vertex and about the whole graph, without keeping them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/distances.h"

/// Of the distances from one vertex to those that it reaches, without itself.
struct VertexSummary {
  int vertex = 0;        ///< that they begin at
  int others = 0;        ///< vertices that are looked at
  int reachable = 0;     ///< how many of them it reaches
  int eccentricity = 0;  ///< the largest, as it is stored, which may be negative; 0 if none
  double sum = 0;
  double mean() const { return reachable == 0 ? 0 : sum / reachable; }

  /// Of the distances to this vertex from the vertices that rows begin at; none: it has no column.
  std::optional<ColumnSummary> incoming = {};
  int otherSources = 0;  ///< vertices, beside itself, that rows begin at

  /// 1 / mean(): of the outgoing distances, and not scaled. 0 if it reaches none, infinite if all
  /// distances are 0.
  double outCloseness() const;
  /// As NetworkX defines it: of the incoming distances, scaled as Wasserman and Faust do.
  std::optional<double> networkxCloseness() const;
};

struct Summary {
  Dtype dtype = Dtype::kInt32;
  bool table = false;  ///< of some rows or columns only
  std::vector<VertexSummary> vertices;

  std::uint64_t pairs() const;  ///< (i, j), i ≠ j, such that i reaches j
  double mean() const;          ///< distance of these
  int diameter() const;         ///< the largest distance, as it is stored; 0 without any
  /// The least eccentricity of the vertices that reach all others, if there are any.
  std::optional<int> radius() const;
};

/// Looks at a few rows at a time, on all cores.
Summary summaryOf(const Distances& distances);
