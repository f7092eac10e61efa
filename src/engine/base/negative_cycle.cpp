#include "base/negative_cycle.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

std::string negativeCycleText(const std::vector<Edge>& cycle, Dtype dtype,
                              const std::function<std::string(int vertex)>& nameOf) {
  std::string text = "negative cycle " + nameOf(cycle.front().from);
  double sum = 0, rounding = 0;  // exact of int32; rounding: what it may have changed in the sum
  for (const Edge& edge : cycle) {
    const double weight = toDouble(edge.weight, dtype);
    text += fmt::format(" -> {} ({})", nameOf(edge.to), weightText(edge.weight, dtype));
    sum += weight;
    if (dtype == Dtype::kFloat32) rounding += std::abs(weight) * 0x1p-24;
  }
  const bool bothWays = cycle.size() == 2 && cycle[0].weight == cycle[1].weight;
  return fmt::format(
      "{}, sum {}: each round makes a path shorter, so there are no shortest "
      "distances: {}",
      text, dtype == Dtype::kInt32 ? fmt::format("{:.0f}", sum) : fmt::format("{:.6g}", sum),
      bothWays           ? "an undirected edge must not have a negative weight"
      : -sum <= rounding ? "rounding the weights to float32 may have made the sum negative: make "
                           "them whole numbers"
                         : "correct the weights");
}

NegativeCycle::NegativeCycle(const std::string& what, std::vector<Edge> edges, Dtype type)
    : Error(Exit::kInput, what), cycle(std::move(edges)), dtype(type) {}

NegativeCycle::NegativeCycle(std::vector<Edge> edges, Dtype type)
    : NegativeCycle(
          negativeCycleText(edges, type, [](int vertex) { return std::to_string(vertex); }), edges,
          type) {}
