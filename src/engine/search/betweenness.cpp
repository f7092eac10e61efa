// Brandes 2001. Let s be a source, and let p(v) be the number of shortest paths from s to v. When
// Dijkstra's algorithm settles a vertex, its number is complete, because all weights are above 0:
// whole weights of 0 are made a little larger before.
// The dependency d(v) is the sum over all targets of the part of their paths that lead through v.
// It is the sum of p(v) / p(w) * (1 + d(w)) over the tight edges (v, w), so the vertices are gone
// through once more, the farthest first. Each of these terms is what the edge gets.
//
// An estimate takes sources at random. What one source adds to a value, divided by the most that it
// can add, lies between 0 and 1. Hoeffding's inequality bounds the error of the mean of s such
// numbers by e except with probability 2 exp(-2 s e^2), and the sum of these probabilities over all
// values must be 0.1.
#include "search/betweenness.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "search/bounded_search.h"
#include "search/edge_lists.h"
#include "sparse/path_counts.h"

namespace engine {

namespace {

/// Sums from some sources, one after the other.
template <class T>
class Counter {
 public:
  Counter(const EdgeLists<T>& lists, bool withEdges)
      : vertices(asSize(lists.vertices())),
        edges(withEdges ? lists.heads.size() : 0),
        lists_(lists),
        distance_(vertices.size()),
        paths_(vertices.size()),
        dependency_(vertices.size()) {}

  std::vector<double> vertices, edges;
  bool tooFar = false;

  void add(int source) {
    search(source);
    for (std::size_t i = order_.size(); i-- > 0;) {
      const auto v = asSize(order_[i]);
      double sum = 0;
      for (std::size_t e = lists_.starts[v]; e < lists_.starts[v + 1]; ++e) {
        const auto w = asSize(lists_.heads[e]);
        if (distance_[v] + lists_.weights[e] != distance_[w]) continue;
        const double part = paths_[v] / paths_[w] * (1 + dependency_[w]);
        sum += part;
        if (!edges.empty()) edges[e] += part;
      }
      dependency_[v] = sum;
      if (order_[i] != source) vertices[v] += sum;
    }
  }

 private:
  void search(int source) {
    std::fill(distance_.begin(), distance_.end(), kInfinity<T>);
    order_.clear();
    distance_[asSize(source)] = 0;
    paths_[asSize(source)] = 1;
    heap_.push_back({0, source});
    while (!heap_.empty()) {
      const Found<T> next = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), Later());
      heap_.pop_back();
      const auto u = asSize(next.vertex);
      if (next.distance != distance_[u]) continue;
      order_.push_back(next.vertex);
      for (std::size_t e = lists_.starts[u]; e < lists_.starts[u + 1]; ++e) {
        const auto v = asSize(lists_.heads[e]);
        const T length = next.distance + lists_.weights[e];
        if (length == distance_[v]) paths_[v] += paths_[u];
        if (length >= kInfinity<T>) tooFar = true;
        if (length >= distance_[v]) continue;
        distance_[v] = length;
        paths_[v] = paths_[u];
        heap_.push_back({length, lists_.heads[e]});
        std::push_heap(heap_.begin(), heap_.end(), Later());
      }
    }
  }

  const EdgeLists<T>& lists_;
  std::vector<T> distance_;
  std::vector<double> paths_, dependency_;
  std::vector<int> order_;  // the vertices as they are settled
  std::vector<Found<T>> heap_;
};

template <class T>
bool isUndirected(const EdgeLists<T>& lists) {
  return lists.reversed() == lists;
}

std::vector<int> sourcesOf(int n, const BetweennessOptions& options) {
  std::vector<int> all(asSize(n));
  std::iota(all.begin(), all.end(), 0);
  if (!options.samples || *options.samples >= n) return all;
  std::mt19937_64 random(options.seed);
  for (std::size_t i = 0; i < asSize(*options.samples); ++i)
    std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(asSize(*options.samples));
  return all;
}

/// Scales the sums of vertices and edges from some sources. Throws Error(kInput) if they are no
/// numbers.
void finish(int n, int sources, Betweenness& all) {
  const double scale = (sources > 0 ? double{1} * n / sources : 0) / (all.undirected ? 2 : 1);
  for (double& value : all.vertices) value *= scale;
  for (double& value : all.edges) value *= scale;
  all.sources = sources;
  const auto isFinite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(all.vertices.begin(), all.vertices.end(), isFinite))
    throw RangeError(
        "there are more shortest paths between two vertices than a double counts, 1.8e308");
}

template <class T>
Betweenness countAll(int n, const Edges<T>& edges, const BetweennessOptions& options) {
  const EdgeLists<T> lists(n, edges);
  const std::vector<int> sources = sourcesOf(n, options);
  const int count = static_cast<int>(sources.size());
  const int threads = std::max(1, std::min(omp_get_max_threads(), count));
  std::vector<std::unique_ptr<Counter<T>>> counters;
  for (int i = 0; i < threads; ++i)
    counters.push_back(std::make_unique<Counter<T>>(lists, options.edges));
  Progress progress("counting paths", asSize(count));
  const auto* const cancelled = cancelFlag();
  // Each counter has the same sources at each call, so that its sums are rounded in the same way.
  runPhases({{threads,
              [&](int i) {
                for (int k = i; k < count && !isSet(cancelled); k += threads) {
                  counters[asSize(i)]->add(sources[asSize(k)]);
                  progress.advance();
                }
              }}},
            threads);
  throwIfCancelled();
  Betweenness all;
  all.undirected = !options.directed && isUndirected(lists);
  all.vertices.assign(asSize(n), 0);
  all.edges.assign(options.edges ? edges.size() : 0, 0);
  for (const auto& each : counters) {
    if (each->tooFar) failTooFar<T>();
    for (std::size_t v = 0; v < all.vertices.size(); ++v) all.vertices[v] += each->vertices[v];
    for (std::size_t e = 0; e < all.edges.size(); ++e) all.edges[e] += each->edges[e];
  }
  finish(n, count, all);
  return all;
}

/// The elimination of all vertices, if it adds so few arcs that sweeps take less time than
/// searches. wanted: true or false takes the choice away.
std::optional<sparse::FullElimination> eliminationIfWorth(int n, const Edges<std::int64_t>& edges,
                                                          std::optional<bool> wanted) {
  constexpr double kEdges = 16, kArcs = 32, kTriangles = 2000;  // of each vertex, at the most
  const bool safe = !mayBeTooFar(n, edges);
  if (n < 2 || !safe || wanted == false) return std::nullopt;
  const bool few = static_cast<double>(edges.size()) <= kEdges * n;
  if (!wanted && (!few || !sparse::maySeparate(n, edges))) return std::nullopt;
  std::optional<sparse::FullElimination> full(std::in_place, n, edges);
  const bool fast =
      static_cast<double>(full->elimination.arcs) <= kArcs * n && full->triangles <= kTriangles * n;
  return wanted || fast ? std::move(full) : std::nullopt;
}

/// Of each path that reaches a vertex, one edge leads there. So the sum of these edges, without the
/// paths that end there, is that of the vertex.
Betweenness countBySweeps(const sparse::FullElimination& full, const Edges<std::int64_t>& edges,
                          const BetweennessOptions& options) {
  constexpr double kRounding = 1e-11;  // relative: what is left of equal sums
  const int n = full.elimination.vertices();
  const std::vector<int> sources = sourcesOf(n, options);
  sparse::PathCounts counts =
      sparse::countPaths(full, edges, sources, std::max(1, omp_get_max_threads()));
  Betweenness all;
  all.undirected = !options.directed && isUndirected(EdgeLists<std::int64_t>(n, edges));
  all.vertices.assign(asSize(n), 0);
  for (std::size_t e = 0; e < edges.size(); ++e)
    all.vertices[asSize(edges[e].to)] += counts.edges[e];
  for (std::size_t v = 0; v < all.vertices.size(); ++v) {
    const double ending = counts.reaching[v], through = all.vertices[v] - ending;
    all.vertices[v] = std::abs(through) <= kRounding * ending ? 0 : through;
  }
  if (options.edges) all.edges = std::move(counts.edges);
  finish(n, static_cast<int>(sources.size()), all);
  return all;
}

/// Whole weights in a unit of which n edges of weight 1 are less than one of the old: edges of
/// weight 0 get 1, so that they are infinitely short beside all others, and alike.
template <class T>
Edges<std::int64_t> withoutZeros(int n, const Edges<T>& edges) {
  Edges<std::int64_t> all = converted<std::int64_t>(edges);
  for (auto& edge : all) {
    if (static_cast<double>(edge.weight) * n * n >=
        static_cast<double>(kInfinity<std::int64_t>) / 2)
      throw RangeError(
          fmt::format("with edges of weight 0, betweenness takes weights below 2^61 / n^2, "
                      "and the edge from {} to {} has {}: scale the weights down",
                      edge.from, edge.to, edge.weight));
    edge.weight = edge.weight == 0 ? 1 : edge.weight * n;
  }
  return all;
}

}  // namespace

Betweenness betweennessOf(const Graph& graph, const BetweennessOptions& options) {
  Betweenness found;
  const double milliseconds = millisecondsOf([&] {
    withEdges(graph, [&](const auto& edges) {
      using T = std::decay_t<decltype(edges[0].weight)>;
      const auto zero = std::find_if(edges.begin(), edges.end(),
                                     [](const auto& edge) { return edge.weight == 0; });
      if constexpr (std::is_integral_v<T>) {
        const bool zeros = zero != edges.end();
        const Edges<std::int64_t> wide =
            zeros ? withoutZeros(graph.n, edges) : converted<std::int64_t>(edges);
        if (const auto full = eliminationIfWorth(graph.n, wide, options.sweeps)) {
          found = countBySweeps(*full, wide, options);
          return;
        }
        if (zeros || mayBeTooFar(graph.n, edges)) {
          found = countAll(graph.n, wide, options);
          return;
        }
      } else if (zero != edges.end()) {
        throw Error(
            ErrorCode::kInput,
            fmt::format("betweenness takes real weights above 0, and the edge from {} to {} "
                        "has 0: leave it out, or take whole weights",
                        zero->from, zero->to));
      }
      found = countAll(graph.n, edges, options);
    });
  });
  found.milliseconds = milliseconds;
  // Both directions of an undirected edge are one edge.
  if (found.undirected && !found.edges.empty())
    withEdges(graph, [&](const auto& edges) {
      const auto starts = edgeStarts(graph.n, edges);
      for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges[e].from > edges[e].to) continue;
        const auto place = [&](int vertex) {
          return edges.begin() + static_cast<std::ptrdiff_t>(starts[asSize(vertex)]);
        };
        const auto back =
            std::lower_bound(place(edges[e].to), place(edges[e].to + 1), edges[e].from,
                             [](const auto& edge, int to) { return edge.to < to; });
        double& other = found.edges[asSize(back - edges.begin())];
        other = found.edges[e] = found.edges[e] + other;
      }
    });
  return found;
}

int samplesFor(double error, int n, std::size_t values) {
  constexpr double kUnlikely = 0.1;
  const double most = std::log(2 * std::max<double>(1, static_cast<double>(values)) / kUnlikely);
  const double of = error * (n - 1) / std::max(1, n);
  const double samples = std::ceil(most / (2 * of * of));
  return samples < n ? std::max(1, static_cast<int>(samples)) : n;
}

double mostOfVertex(int n, bool undirected) {
  return n > 2 ? (n - 1.0) * (n - 2.0) / (undirected ? 2 : 1) : 0;
}

double mostOfEdge(int n, bool undirected) {
  return n > 1 ? n * (n - 1.0) / (undirected ? 2 : 1) : 0;
}

}  // namespace engine
