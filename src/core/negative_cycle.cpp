#include "core/negative_cycle.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <sstream>
#include <utility>

#include "core/screen.h"
#include "core/utf8.h"

std::string negativeCycleText(const std::vector<Edge>& cycle, const std::string& names,
                              Dtype dtype) {
  constexpr std::size_t kLongestName = 40;  // in columns of a terminal
  std::vector<std::string> lines;
  std::istringstream in(names);
  for (std::string line; std::getline(in, line);)
    lines.push_back(shortened(oneLine(line), kLongestName));
  const auto nameOf = [&](int vertex) {
    return lines.empty() ? std::to_string(vertex) : lines[static_cast<std::size_t>(vertex)];
  };
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

NegativeCycle::NegativeCycle(const std::string& where, std::vector<Edge> edges,
                             const std::string& names, Dtype type)
    : Error(Exit::kInput,
            (where.empty() ? "" : where + ": ") + negativeCycleText(edges, names, type)),
      cycle(std::move(edges)),
      dtype(type) {}
