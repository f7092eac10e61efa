#include "sparse/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sparse {

namespace {

/// Neighbours a vertex in a graph that is nearly a tree.
constexpr double kOfTrees = 3;
/// Random graphs with so many neighbours have fewer steps between vertices, in logarithms of n to
/// the base 2.
constexpr double kRandomSteps = 3;

/// How many steps the vertex that is farthest from the first one is away, in the component with the
/// most vertices.
int stepsOf(const Pattern& pattern) {
  const int n = pattern.vertices();
  std::vector<char> seen(static_cast<std::size_t>(n), 0);
  std::vector<int> queue;
  queue.reserve(static_cast<std::size_t>(n));
  int steps = 0;
  std::size_t most = 0;
  for (int first = 0; first < n; ++first) {
    if (seen[static_cast<std::size_t>(first)] != 0) continue;
    const std::size_t begin = queue.size();
    int levels = -1;
    queue.push_back(first);
    seen[static_cast<std::size_t>(first)] = 1;
    for (std::size_t level = begin; level < queue.size(); ++levels) {
      for (const std::size_t end = queue.size(); level < end; ++level) {
        const auto v = static_cast<std::size_t>(queue[level]);
        for (int a = pattern.first[v]; a < pattern.first[v + 1]; ++a) {
          const int neighbour = pattern.neighbours[static_cast<std::size_t>(a)];
          if (seen[static_cast<std::size_t>(neighbour)] != 0) continue;
          seen[static_cast<std::size_t>(neighbour)] = 1;
          queue.push_back(neighbour);
        }
      }
    }
    if (queue.size() - begin <= most) continue;
    most = queue.size() - begin;
    steps = levels;
  }
  return steps;
}

}  // namespace

bool maySeparate(const Pattern& pattern) {
  const double n = pattern.vertices();
  if (static_cast<double>(pattern.neighbours.size()) <= kOfTrees * n) return true;
  return stepsOf(pattern) > kRandomSteps * std::log2(n);
}

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
