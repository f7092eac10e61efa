#include "verify/dijkstra.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

Dijkstra::Dijkstra(const Graph& graph) : graph_(graph) {
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.edges());
}

std::vector<double> Dijkstra::from(int source) const {
  return graph_.dense() ? overMatrix(source) : overEdges(source);
}

/// A binary heap with stale entries left in it: O(E log E).
std::vector<double> Dijkstra::overEdges(int source) const {
  std::vector<double> distance(static_cast<std::size_t>(graph_.n), kUnreachable);
  using Entry = std::pair<double, int>;  // (distance, vertex)
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  distance[static_cast<std::size_t>(source)] = 0;
  heap.push({0, source});
  while (!heap.empty()) {
    const auto [d, v] = heap.top();
    heap.pop();
    if (d > distance[static_cast<std::size_t>(v)]) continue;
    const std::size_t end = first_[static_cast<std::size_t>(v) + 1];
    for (std::size_t at = first_[static_cast<std::size_t>(v)]; at < end; ++at) {
      const Edge& e = graph_.edges()[at];
      double& known = distance[static_cast<std::size_t>(e.to)];
      const double through = d + toDouble(e.weight, graph_.dtype);
      if (through >= known) continue;
      known = through;
      heap.push({known, e.to});
    }
  }
  return distance;
}

/// The nearest open vertex by a scan, as suits a dense graph: O(n²).
std::vector<double> Dijkstra::overMatrix(int source) const {
  const auto n = static_cast<std::size_t>(graph_.n);
  std::vector<double> distance(n, kUnreachable);
  std::vector<char> done(n, 0);
  const int none = infinity(graph_.dtype);
  distance[static_cast<std::size_t>(source)] = 0;
  for (;;) {
    std::size_t nearest = n;
    for (std::size_t v = 0; v < n; ++v) {
      if (!done[v] && distance[v] != kUnreachable &&
          (nearest == n || distance[v] < distance[nearest])) {
        nearest = v;
      }
    }
    if (nearest == n) return distance;
    done[nearest] = 1;
    const int* weights = graph_.matrix().row(static_cast<int>(nearest));
    for (std::size_t v = 0; v < n; ++v) {
      if (weights[v] >= none) continue;
      const double through = distance[nearest] + toDouble(weights[v], graph_.dtype);
      distance[v] = std::min(distance[v], through);
    }
  }
}
