#include "solvers/sparse/pattern.h"

#include <algorithm>

namespace sparse {

Pattern patternOf(int n, const std::vector<Edge>& edges) {
  const auto vertices = static_cast<std::size_t>(n);
  Pattern all;
  all.first.assign(vertices + 1, 0);
  for (const Edge& edge : edges) {
    ++all.first[static_cast<std::size_t>(edge.from) + 1];
    ++all.first[static_cast<std::size_t>(edge.to) + 1];
  }
  for (std::size_t v = 0; v < vertices; ++v) all.first[v + 1] += all.first[v];
  all.neighbours.resize(static_cast<std::size_t>(all.first[vertices]));
  std::vector<int> at(all.first.begin(), all.first.end() - 1);
  for (const Edge& edge : edges) {
    const auto put = [&](int to, int neighbour) {
      all.neighbours[static_cast<std::size_t>(at[static_cast<std::size_t>(to)]++)] = neighbour;
    };
    put(edge.from, edge.to);
    put(edge.to, edge.from);
  }
  // Two edges between the same vertices are one neighbour.
  auto end = all.neighbours.begin();
  for (std::size_t v = 0, begin = 0; v < vertices; ++v) {
    const auto from = all.neighbours.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = all.neighbours.begin() + all.first[v + 1];
    begin = static_cast<std::size_t>(all.first[v + 1]);
    std::sort(from, to);
    end = std::unique_copy(from, to, end);
    all.first[v + 1] = static_cast<int>(end - all.neighbours.begin());
  }
  all.neighbours.erase(end, all.neighbours.end());
  return all;
}

}  // namespace sparse
