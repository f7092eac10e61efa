// The error of a graph that has no shortest distances.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/graph.h"

namespace engine {

/// A cycle of negative length. what() names its vertices, its weights and their sum.
struct NegativeCycle : Error {
  std::vector<AnyEdge> cycle;  ///< each edge begins where the one before ends, the first at the end

  explicit NegativeCycle(std::vector<AnyEdge> edges);
  /// what: negativeCycleText(), with whatever comes before it.
  NegativeCycle(const std::string& what, std::vector<AnyEdge> edges);
};

/// "negative cycle 0 -> 2 (-3) -> 0 (1), sum -2: …". It says so if an edge of negative weight leads
/// both ways, and if rounding the weights may have made the sum negative. nameOf: what a
/// vertex is called.
std::string negativeCycleText(const std::vector<AnyEdge>& cycle,
                              const std::function<std::string(int vertex)>& nameOf);

}  // namespace engine
