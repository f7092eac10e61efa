#include "verify/bellman_ford.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/tolerance.h"

template <class Number>
const Number BellmanFord<Number>::kUnreachable = std::is_same_v<Number, double>
                                                     ? std::numeric_limits<Number>::infinity()
                                                     : std::numeric_limits<Number>::max();

template <class Number>
BellmanFord<Number>::BellmanFord(const Graph& graph) : graph_(graph) {
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.edges());
}

template <class Number>
std::vector<Number> BellmanFord<Number>::from(int source) const {
  std::vector<Number> distances(static_cast<std::size_t>(graph_.n), kUnreachable);
  distances[static_cast<std::size_t>(source)] = 0;
  return run(std::move(distances), {source});
}

template <class Number>
std::vector<Number> BellmanFord<Number>::fromAnywhere() const {
  std::vector<int> all(static_cast<std::size_t>(graph_.n));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Number> zeros(all.size(), 0);
  return run(std::move(zeros), std::move(all));
}

/// Each pass takes the edges of the vertices that the pass before lowered.
template <class Number>
std::vector<Number> BellmanFord<Number>::run(std::vector<Number> distances,
                                             std::vector<int> lowered) const {
  std::vector<int> stamps(distances.size(), -1), next;
  for (int pass = 0; !lowered.empty() && pass <= graph_.n; ++pass) {
    for (const int u : lowered) {
      forEachFrom(u, [&](int v, Number weight) {
        const Number through = distances[static_cast<std::size_t>(u)] + weight;
        if (through >= distances[static_cast<std::size_t>(v)]) return;
        distances[static_cast<std::size_t>(v)] = through;
        if (std::exchange(stamps[static_cast<std::size_t>(v)], pass) != pass) next.push_back(v);
      });
    }
    lowered.swap(next);
    next.clear();
  }
  return distances;
}

template <class Number>
template <class Relax>
void BellmanFord<Number>::forEachFrom(int u, Relax relax) const {
  const auto numberOf = [dtype = graph_.dtype](int weight) {
    return withNumber(weight, dtype, [](auto number) { return static_cast<Number>(number); });
  };
  if (!graph_.dense()) {
    for (std::size_t at = first_[static_cast<std::size_t>(u)];
         at < first_[static_cast<std::size_t>(u) + 1]; ++at)
      relax(graph_.edges()[at].to, numberOf(graph_.edges()[at].weight));
    return;
  }
  const int* const row = graph_.matrix().row(u);
  const int none = infinity(graph_.dtype);
  for (int v = 0; v < graph_.n; ++v)
    if (row[v] < none && v != u) relax(v, numberOf(row[v]));
}

template class BellmanFord<std::int64_t>;
template class BellmanFord<double>;

SignedTolerance::SignedTolerance(const Graph& graph, int solvers)
    : relative_(tolerance(graph.n, graph.dtype, solvers)),
      potentials_(BellmanFord<double>(graph).fromAnywhere()) {
  double least = 0;
  forEachEdge(graph,
              [&](const Edge& e) { least = std::min(least, toDouble(e.weight, graph.dtype)); });
  // Rounding to units (negative/potentials.h), of sums of doubles, and near 0 of floats.
  const double n = graph.n,
               deepest = n > 0 ? -*std::min_element(potentials_.begin(), potentials_.end()) : 0;
  absolute_ =
      n * (n * -least * 0x1p-59 + deepest * 0x1p-52 + std::numeric_limits<float>::denorm_min());
}

double SignedTolerance::operator()(int u, int v, double d) const {
  const double reweighted =
      d + potentials_[static_cast<std::size_t>(u)] - potentials_[static_cast<std::size_t>(v)];
  return relative_ * std::max(0.0, reweighted) + 0x1p-24 * std::abs(d) + absolute_;
}
