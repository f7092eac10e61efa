#include "negative/reached.h"

#include <algorithm>
#include <utility>

namespace engine {

namespace {

/// Calls visit(v) for each edge u→v.
template <class Visit>
void forHeads(const Graph& graph, int u, Visit visit) {
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (graph.dense()) {
      const T* const row = graph.matrix().row<T>(u);
      for (int v = 0; v < graph.n; ++v)
        if (row[v] < kInfinity<T>) visit(v);
      return;
    }
    const Edges<T>& edges = graph.edges<T>();
    const auto before = [](const Edge<T>& e, int tail) { return e.from < tail; };
    for (auto e = std::lower_bound(edges.begin(), edges.end(), u, before);
         e != edges.end() && e->from == u; ++e)
      visit(e->to);
  });
}

/// Whether a path leads to each vertex (n) from one of the sources. A path may have no edge.
std::vector<bool> reachedFrom(const Graph& graph, const std::vector<int>& sources) {
  std::vector<bool> reached(asSize(graph.n), false);
  std::vector<int> waiting;
  const auto reach = [&](int v) {
    if (reached[asSize(v)]) return;
    reached[asSize(v)] = true;
    waiting.push_back(v);
  };
  for (const int source : sources) reach(source);
  while (!waiting.empty()) {
    const int u = waiting.back();
    waiting.pop_back();
    forHeads(graph, u, reach);
  }
  return reached;
}

}  // namespace

Graph edgesOfReached(const Graph& graph, const std::vector<int>& sources) {
  const std::vector<bool> reached = reachedFrom(graph, sources);
  Graph part;
  part.n = graph.n;
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (!graph.dense()) {
      Edges<T> edges;
      for (const Edge<T>& e : graph.edges<T>())
        if (reached[asSize(e.from)]) edges.push_back(e);
      if (const Edges<T>& all = graph.edges<T>(); edges.empty() && !all.empty())
        edges.push_back({all[0].from, all[0].to, 0});
      part.body = std::move(edges);
      return;
    }
    Matrix matrix(graph.n, graph.dtype());
    for (int u = 0; u < graph.n; ++u) {
      T* const row = matrix.row<T>(u);
      if (reached[asSize(u)]) {
        std::copy_n(graph.matrix().row<T>(u), graph.n, row);
      } else {
        std::fill_n(row, graph.n, kInfinity<T>);
        row[u] = 0;
      }
    }
    part.body = std::move(matrix);
  });
  return part;
}

}  // namespace engine
