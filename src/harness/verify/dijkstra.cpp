#include "verify/dijkstra.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "base/size.h"

template <class Sum>
Dijkstra<Sum>::Dijkstra(const Graph& graph) : graph_(graph) {
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.ends());
}

template <class Sum>
std::vector<Sum> Dijkstra<Sum>::from(int source, std::vector<int>* edges) const {
  std::vector<int> own;
  std::vector<int>& counted = edges != nullptr ? *edges : own;
  counted.assign(asSize(graph_.n), 0);
  return withType(graph_.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return graph_.dense() ? overMatrix<T>(source, counted) : overEdges<T>(source, counted);
  });
}

/// A binary heap with stale entries left in it: O(E log E).
template <class Sum>
template <class T>
std::vector<Sum> Dijkstra<Sum>::overEdges(int source, std::vector<int>& edges) const {
  const Edges<T>& all = graph_.edges<T>();
  std::vector<Sum> distance(asSize(graph_.n), kUnreachable);
  using Entry = std::pair<Sum, int>;  // (distance, vertex)
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  distance[asSize(source)] = 0;
  heap.push({0, source});
  while (!heap.empty()) {
    const auto [d, v] = heap.top();
    heap.pop();
    if (d > distance[asSize(v)]) continue;
    const std::size_t end = first_[asSize(v) + 1];
    for (std::size_t at = first_[asSize(v)]; at < end; ++at) {
      const Edge<T>& e = all[at];
      Sum& known = distance[asSize(e.to)];
      const Sum through = d + static_cast<Sum>(e.weight);
      if (through >= known) continue;
      known = through;
      edges[asSize(e.to)] = edges[asSize(v)] + 1;
      heap.push({known, e.to});
    }
  }
  return distance;
}

/// The nearest open vertex by a scan, as suits a dense graph: O(n²).
template <class Sum>
template <class T>
std::vector<Sum> Dijkstra<Sum>::overMatrix(int source, std::vector<int>& edges) const {
  const auto n = asSize(graph_.n);
  std::vector<Sum> distance(n, kUnreachable);
  std::vector<char> done(n, 0);
  distance[asSize(source)] = 0;
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
    const T* const weights = graph_.matrix().row<T>(static_cast<int>(nearest));
    for (std::size_t v = 0; v < n; ++v) {
      if (weights[v] >= kInfinity<T>) continue;
      const Sum through = distance[nearest] + static_cast<Sum>(weights[v]);
      if (through >= distance[v]) continue;
      distance[v] = through;
      edges[v] = edges[nearest] + 1;
    }
  }
}

template class Dijkstra<std::int64_t>;
template class Dijkstra<Int128>;
template class Dijkstra<double>;
template class Dijkstra<long double>;
