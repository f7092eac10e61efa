#include "core/negative_cycle.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <utility>

#include "core/screen.h"
#include "core/utf8.h"

std::string negativeCycleText(const std::vector<Edge>& cycle, const std::string& names) {
  constexpr std::size_t kLongestName = 40;  // in columns of a terminal
  std::vector<std::string> lines;
  std::istringstream in(names);
  for (std::string line; std::getline(in, line);)
    lines.push_back(shortened(oneLine(line), kLongestName));
  const auto nameOf = [&](int vertex) {
    return lines.empty() ? std::to_string(vertex) : lines[static_cast<std::size_t>(vertex)];
  };
  std::string text = "negative cycle " + nameOf(cycle.front().from);
  std::int64_t sum = 0;
  for (const Edge& edge : cycle) {
    text += fmt::format(" -> {} ({})", nameOf(edge.to), edge.weight);
    sum += edge.weight;
  }
  const bool bothWays = cycle.size() == 2 && cycle[0].weight == cycle[1].weight;
  return fmt::format(
      "{}, sum {}: each round makes a path shorter, so there are no shortest "
      "distances: {}",
      text, sum,
      bothWays ? "an undirected edge must not have a negative weight" : "correct the weights");
}

NegativeCycle::NegativeCycle(const std::string& where, std::vector<Edge> edges,
                             const std::string& names)
    : Error(Exit::kInput, (where.empty() ? "" : where + ": ") + negativeCycleText(edges, names)),
      cycle(std::move(edges)) {}
