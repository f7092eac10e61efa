#include "base/negative_cycle.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace engine {

std::string negativeCycleText(const std::vector<AnyEdge>& cycle,
                              const std::function<std::string(int vertex)>& nameOf) {
  const Dtype dtype = dtypeOf(cycle.front().weight);
  std::string text = "negative cycle " + nameOf(cycle.front().from);
  long double sum = 0, rounding = 0;  // rounding: what it may have changed in the sum of reals
  for (const AnyEdge& edge : cycle) {
    const long double weight =
        std::visit([](auto number) { return static_cast<long double>(number); }, edge.weight);
    text += fmt::format(" -> {} ({})", nameOf(edge.to), textOf(edge.weight));
    sum += weight;
    if (!isWhole(dtype)) rounding += std::abs(weight) * roundingOf(dtype);
  }
  const bool bothWays = cycle.size() == 2 && cycle[0].weight == cycle[1].weight;
  return fmt::format(
      "{}, sum {}: each round makes a path shorter, so there are no shortest "
      "distances: {}",
      text, isWhole(dtype) ? fmt::format("{:.0f}", sum) : fmt::format("{:.6g}", sum),
      bothWays ? std::string("an undirected edge must not have a negative weight")
      : -sum <= rounding
          ? fmt::format("rounding the weights to {} may have made the sum negative: make "
                        "them whole numbers",
                        dtype == Dtype::kFloat32 ? "float32" : "float64")
          : "correct the weights");
}

NegativeCycle::NegativeCycle(const std::string& what, std::vector<AnyEdge> edges)
    : Error(ErrorCode::kInput, what), cycle(std::move(edges)) {}

NegativeCycle::NegativeCycle(std::vector<AnyEdge> edges)
    : NegativeCycle(negativeCycleText(edges, [](int vertex) { return std::to_string(vertex); }),
                    edges) {}

}  // namespace engine
