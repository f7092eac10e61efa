#include "verify/bellman_ford.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/size.h"
#include "base/tolerance.h"
#include "negative/potentials.h"
#include "negative/reached.h"

template <class Sum>
BellmanFord<Sum>::BellmanFord(const Graph& graph) : graph_(graph) {
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.ends());
}

template <class Sum>
std::vector<Sum> BellmanFord<Sum>::from(int source) const {
  std::vector<Sum> distances(asSize(graph_.n), kUnreachable);
  distances[asSize(source)] = 0;
  return run(std::move(distances), {source});
}

template <class Sum>
std::vector<Sum> BellmanFord<Sum>::fromAnywhere() const {
  std::vector<int> all(asSize(graph_.n));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Sum> zeros(all.size(), 0);
  return run(std::move(zeros), std::move(all));
}

/// Each pass takes the edges of the vertices that the pass before lowered.
template <class Sum>
std::vector<Sum> BellmanFord<Sum>::run(std::vector<Sum> distances, std::vector<int> lowered) const {
  std::vector<int> stamps(distances.size(), -1), next;
  withType(graph_.dtype(), [&](auto zero) {
    for (int pass = 0; !lowered.empty() && pass <= graph_.n; ++pass) {
      for (const int u : lowered) {
        forEachFrom<decltype(zero)>(u, [&](int v, Sum weight) {
          const Sum through = distances[asSize(u)] + weight;
          if (through >= distances[asSize(v)]) return;
          distances[asSize(v)] = through;
          if (std::exchange(stamps[asSize(v)], pass) != pass) next.push_back(v);
        });
      }
      lowered.swap(next);
      next.clear();
    }
  });
  return distances;
}

template <class Sum>
template <class T, class Relax>
void BellmanFord<Sum>::forEachFrom(int u, Relax relax) const {
  if (!graph_.dense()) {
    const Edges<T>& edges = graph_.edges<T>();
    for (std::size_t at = first_[asSize(u)]; at < first_[asSize(u) + 1]; ++at)
      relax(edges[at].to, static_cast<Sum>(edges[at].weight));
    return;
  }
  const T* const row = graph_.matrix().row<T>(u);
  for (int v = 0; v < graph_.n; ++v)
    if (row[v] < kInfinity<T> && v != u) relax(v, static_cast<Sum>(row[v]));
}

template class BellmanFord<std::int64_t>;
template class BellmanFord<Int128>;
template class BellmanFord<double>;
template class BellmanFord<long double>;

SignedTolerance::SignedTolerance(const Graph& graph, int solvers)
    : dtype_(graph.dtype()),
      solvers_(solvers),
      relative_(tolerance(graph.n, graph.dtype(), solvers)) {
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const auto potentials = BellmanFord<SumOf<T>>(graph).fromAnywhere();
      potentials_.assign(potentials.begin(), potentials.end());
      T least = 0;
      forEachEdge(graph, [&](const auto& e) {
        least = std::min(least, static_cast<T>(e.weight));  // which is of type T already
      });
      // Weights are rounded to units (negative/potentials.h), sums of potentials to doubles, and
      // numbers near 0 to subnormal ones. The three terms bound these errors.
      const double n = graph.n,
                   deepest = n > 0 ? -*std::min_element(potentials_.begin(), potentials_.end()) : 0;
      absolute_ = n * (n * -static_cast<double>(least) * 0x1p-59 + deepest * 0x1p-52 +
                       std::numeric_limits<T>::denorm_min());
      rounding_ = std::numeric_limits<T>::epsilon() / 2;
    } else {
      refuseType(graph.dtype(), Dtype::kFloat32);
    }
  });
}

SignedTolerance signedToleranceFor(const Selection* asked, const Graph& graph, int solvers) {
  if (asked == nullptr || asked->sources.empty()) return {graph, solvers};
  return withEdgesFor(asked, graph, [&](const Graph& some) {
    realPotentialsOf(some);  // throws where the solver did
    return SignedTolerance(some, solvers);
  });
}

double SignedTolerance::along(int edges, int u, int v, double d) const {
  return of(u, v, d, tolerance(edges + 1, dtype_, solvers_));
}

double SignedTolerance::of(int u, int v, double d, double relative) const {
  const double reweighted = d + potentials_[asSize(u)] - potentials_[asSize(v)];
  return relative * std::max(0.0, reweighted) + rounding_ * std::abs(d) + absolute_;
}
