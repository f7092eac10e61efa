#include "io/formats/undirected.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

namespace {

/// Where the edges from each vertex begin.
template <class T>
std::vector<std::size_t> startsOf(int n, const Edges<T>& edges) {
  requireHostBytes(sizeof(std::size_t) * asSize(n), "an index of the edges");
  std::vector<std::size_t> starts(asSize(n), edges.size());
  for (std::size_t k = edges.size(); k-- > 0;) starts[asSize(edges[k].from)] = k;
  return starts;
}

template <class T>
OneWay oneWay(const Edge<T>& edge, std::optional<Number> reverse = {}) {
  return {{edge.from, edge.to, edge.weight}, reverse};
}

template <class T>
std::optional<OneWay> findOneWay(const Matrix& matrix) {
  constexpr T none = kInfinity<T>;
  for (int i = 0; i < matrix.n(); ++i)
    for (int j = 0; j < i; ++j) {
      const T there = matrix.row<T>(i)[j], back = matrix.row<T>(j)[i];
      if (there == back) continue;
      if (there == none) return OneWay{{j, i, back}, {}};
      return OneWay{{i, j, there}, back == none ? std::optional<Number>() : back};
    }
  return {};
}

}  // namespace

// The edges are taken in order. Those into vertex v therefore come in the order of the edges from
// v, so the next of these must be the reverse.
template <class T>
std::optional<OneWay> findOneWay(int n, const Edges<T>& edges) {
  std::vector<std::size_t> next = startsOf(n, edges);
  for (const Edge<T>& e : edges) {
    std::size_t& at = next[asSize(e.to)];
    const bool more = at < edges.size() && edges[at].from == e.to;
    if (more && edges[at].to < e.from) return oneWay(edges[at]);
    if (!more || edges[at].to != e.from) return oneWay(e);
    if (edges[at].weight != e.weight) return oneWay(e, edges[at].weight);
    ++at;
  }
  return {};
}
template std::optional<OneWay> findOneWay(int, const Edges<std::int32_t>&);
template std::optional<OneWay> findOneWay(int, const Edges<float>&);
template std::optional<OneWay> findOneWay(int, const Edges<std::int64_t>&);
template std::optional<OneWay> findOneWay(int, const Edges<double>&);

namespace {

std::optional<OneWay> findOneWay(const Graph& graph) {
  return withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return graph.dense() ? findOneWay<T>(graph.matrix()) : ::findOneWay(graph.n, graph.edges<T>());
  });
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
      ErrorCode::kUsage,
      fmt::format(
          "{}: a {} file holds an undirected graph, but edge {}->{} has {}: add the reverse "
          "edges with --undirected, or choose another format",
          path, format, edge.from, edge.to,
          reverse ? "another weight than its reverse" : "no reverse"));
}

void requireUnweighted(const std::string& path, const char* format, const Graph& graph) {
  std::optional<AnyEdge> other;
  forEachEdge(graph, [&](const auto& e) {
    if (e.weight != 1 && !other) other = {e.from, e.to, e.weight};
  });
  if (other)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: a {} file has no weights, but edge {}->{} weighs {}: choose "
                            "another format",
                            path, format, other->from, other->to, textOf(other->weight)));
}
