// The error of a graph that has no shortest distances.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/graph.h"

/// A cycle of negative length. what() names its vertices, its weights and their sum.
struct NegativeCycle : Error {
  std::vector<Edge> cycle;  ///< each edge begins where the one before ends, the first at the end
  Dtype dtype;              ///< of its weights

  /// where: what comes before the message, for example a file; "": nothing. names: Graph::names.
  NegativeCycle(const std::string& where, std::vector<Edge> edges, const std::string& names = "",
                Dtype type = Dtype::kInt32);
};

/// "negative cycle 0 -> 2 (-3) -> 0 (1), sum -2: …". It says so if an edge of negative weight leads
/// both ways, and if rounding the weights to float32 may have made the sum negative.
std::string negativeCycleText(const std::vector<Edge>& cycle, const std::string& names,
                              Dtype dtype);
