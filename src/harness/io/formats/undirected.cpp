#include "io/formats/undirected.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory.h"

namespace {

/// Where the edges from each vertex begin.
std::vector<std::size_t> startsOf(int n, const std::vector<Edge>& edges) {
  requireHostBytes(sizeof(std::size_t) * static_cast<std::size_t>(n), "an index of the edges");
  std::vector<std::size_t> starts(static_cast<std::size_t>(n), edges.size());
  for (std::size_t k = edges.size(); k-- > 0;) starts[static_cast<std::size_t>(edges[k].from)] = k;
  return starts;
}

std::optional<OneWay> findOneWay(const Matrix& matrix, int none) {
  for (int i = 0; i < matrix.n(); ++i)
    for (int j = 0; j < i; ++j) {
      const int there = matrix.row(i)[j], back = matrix.row(j)[i];
      if (there == back) continue;
      if (there == none) return OneWay{{j, i, back}, {}};
      return OneWay{{i, j, there}, back == none ? std::optional<int>() : back};
    }
  return {};
}

}  // namespace

// The edges are taken in order. Those into vertex v therefore come in the order of the edges from
// v, so the next of these must be the reverse.
std::optional<OneWay> findOneWay(int n, const std::vector<Edge>& edges) {
  std::vector<std::size_t> next = startsOf(n, edges);
  for (const Edge& e : edges) {
    std::size_t& at = next[static_cast<std::size_t>(e.to)];
    const bool more = at < edges.size() && edges[at].from == e.to;
    if (more && edges[at].to < e.from) return OneWay{edges[at], {}};
    if (!more || edges[at].to != e.from) return OneWay{e, {}};
    if (edges[at].weight != e.weight) return OneWay{e, edges[at].weight};
    ++at;
  }
  return {};
}

namespace {

std::optional<OneWay> findOneWay(const Graph& graph) {
  return graph.dense() ? findOneWay(graph.matrix(), infinity(graph.dtype))
                       : findOneWay(graph.n, graph.edges());
}

}  // namespace

bool isUndirected(const Graph& graph) {
  return !findOneWay(graph);
}

void requireUndirected(const std::string& path, const char* format, const Graph& graph) {
  const std::optional<OneWay> found = findOneWay(graph);
  if (!found) return;
  const auto& [edge, reverse] = *found;
  throw Error(
      Exit::kUsage,
      fmt::format(
          "{}: a {} file holds an undirected graph, but edge {}->{} has {}: add the reverse "
          "edges with --undirected, or choose another format",
          path, format, edge.from, edge.to,
          reverse ? "another weight than its reverse" : "no reverse"));
}

void requireUnweighted(const std::string& path, const char* format, const Graph& graph) {
  const int one = graph.dtype == Dtype::kInt32 ? 1 : toWord(1);
  std::optional<Edge> other;
  forEachEdge(graph, [&](const Edge& e) {
    if (e.weight != one && !other) other = e;
  });
  if (other)
    throw Error(
        Exit::kUsage,
        fmt::format("{}: a {} file has no weights, but edge {}->{} weighs {}: choose "
                    "another format",
                    path, format, other->from, other->to, weightText(other->weight, graph.dtype)));
}
