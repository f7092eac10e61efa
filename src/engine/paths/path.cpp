// Let d(v) be the distance from v to the target. An edge (v, u) is tight if d(v) = w(v, u) + d(u).
// A path from s along tight edges to the target has the length d(s), so it is a shortest one. There
// is one for every s from which the target can be reached: all edges of a shortest path are tight.
//
// The search is depth first, and it enters no vertex twice. Therefore it ends, finds the target if
// tight edges lead there, and its path visits no vertex twice, also if some weights are 0 and tight
// edges form a cycle. Of the tight edges it first tries the one that ends nearest to the target. If
// all weights are above 0, every tight edge leads nearer to the target, no step is taken back, and
// each step costs the degree of one vertex. Nothing of this needs weights that are not negative,
// but that no cycle is.
//
// Sums of real numbers depend on their order. Distances that a solver found are therefore compared
// with a tolerance, and the edge that fits best is tried first. The search still ends, and its path
// still visits no vertex twice. Small errors of many edges could add up to a large one. Therefore
// the whole path is added up, and may differ from the distance only by what two sums of so many
// edges can have been rounded.
//
// Whole distances are compared as whole numbers. A weight and a distance, both below infinity, add
// up to less than 2⁶³.
#include "paths/path.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "base/size.h"
#include "base/tolerance.h"

namespace engine {

namespace {

template <class T, class Sum>
struct TightEdge {
  double error;  ///< by which it is not tight
  Sum toTarget;  ///< from where it ends
  int to;
  T weight;
  bool operator<(const TightEdge& other) const {
    return std::tie(error, toTarget) < std::tie(other.error, other.toTarget);
  }
};

/// A vertex on the path, and the tight edges that are left to try, the best one last.
template <class T, class Sum>
struct Visit {
  int vertex;
  std::vector<TightEdge<T, Sum>> edges;
};

/// allowed: allowed(v, its distance, u, its distance) says how far the edge (v, u) may be from
/// tight.
template <class T, class Sum, class Allowed>
Visit<T, Sum> visitOf(int vertex, const Leaving& leaving, const std::vector<Sum>& toTarget,
                      Allowed allowed) {
  Visit<T, Sum> visit{vertex, {}};
  const Sum distance = toTarget[asSize(vertex)];
  leaving.edges<T>(vertex, [&](int to, T weight) {
    const Sum rest = toTarget[asSize(to)];
    if constexpr (std::is_integral_v<Sum>) {
      if (rest != kInfinity<Sum> && Sum{weight} + rest == distance)
        visit.edges.push_back({0, rest, to, weight});
    } else {
      const double error = std::abs(static_cast<double>(weight) + rest - distance);
      if (error <= allowed(vertex, distance, to, rest))
        visit.edges.push_back({error, rest, to, weight});
    }
  });
  std::sort(visit.edges.rbegin(), visit.edges.rend());
  return visit;
}

template <class T, class Sum>
std::optional<Path> follow(const Leaving& leaving, const std::vector<Sum>& toTarget, int from,
                           int target, double tolerance, const SignedError& real) {
  const auto allowed = [&](int vertex, double distance, int to, double rest) {
    if (!real) return tolerance * distance;
    return real(vertex, target, distance) + real(to, target, rest);
  };
  std::vector<char> entered(toTarget.size(), 0);
  Path path;
  std::vector<Visit<T, Sum>> visits;
  const auto enter = [&](int vertex) {
    entered[asSize(vertex)] = 1;
    path.vertices.push_back(vertex);
    visits.push_back(visitOf<T>(vertex, leaving, toTarget, allowed));
  };
  enter(from);
  while (path.vertices.back() != target) {
    Visit<T, Sum>& here = visits.back();
    if (here.edges.empty()) {  // no way leads on from here
      if (visits.size() == 1) return std::nullopt;
      visits.pop_back();
      path.vertices.pop_back();
      path.weights.pop_back();
      continue;
    }
    const TightEdge<T, Sum> edge = here.edges.back();
    here.edges.pop_back();
    if (entered[asSize(edge.to)]) continue;
    path.weights.emplace_back(edge.weight);
    enter(edge.to);
  }
  return path;
}

/// Whether a path is as long as a real distance, which a solver has added up in another order.
bool agrees(const Path& path, Dtype dtype, double distance) {
  const double length = toDouble(lengthOf(path, dtype));
  const int edges = static_cast<int>(path.weights.size());
  return std::abs(length - distance) <= tolerance(edges + 1, dtype, 2) * length;
}

// Let v = v0, v1, ..., vk = target be any path. If no edge is a shortcut, d(vi) ≤ w(vi, vi+1) +
// d(vi+1) for all i. The sum of these says that d(v) is at most the length of the path, because
// d(target) is 0. So no path is shorter than d(v), and if d(v) is infinite, there is none.
template <class T, class Sum>
std::optional<AnyEdge> shortcut(const Leaving& leaving, const std::vector<Sum>& toTarget,
                                int target, double tolerance, const SignedError& real) {
  const int n = leaving.graph().n;
  const auto shortcutFrom = [&](int v) {
    const Sum distance = toTarget[asSize(v)];
    std::optional<AnyEdge> found;
    leaving.edges<T>(v, [&](int to, T weight) {
      const Sum rest = toTarget[asSize(to)];
      if (found || rest == kInfinity<Sum>) return;
      const Sum way = static_cast<Sum>(weight) + rest;
      if (!(way < distance)) return;
      if constexpr (std::is_floating_point_v<Sum>) {
        const double allowed = !real ? tolerance * std::abs(distance)
                                     : real(v, target, distance) + real(to, target, rest);
        if (!std::isinf(distance) && !(distance - way > allowed)) return;
      }
      found = AnyEdge{v, to, weight};
    });
    return found;
  };
  int first = n;  // the least vertex that a shortcut leaves
#pragma omp parallel for schedule(dynamic, 64) reduction(min : first) if (n >= kWorthThreads)
  for (int v = 0; v < n; ++v)
    if (v < first && shortcutFrom(v)) first = v;
  return first == n ? std::nullopt : shortcutFrom(first);
}

/// Calls work() with a 0 of the type of a graph's weights. Throws std::logic_error if they are real
/// and Sum is whole.
template <class Sum, class Work>
auto withWeights(const Graph& graph, Work work) {
  return withType(graph.dtype(), [&](auto zero) -> decltype(work(Sum{})) {
    if constexpr (std::is_floating_point_v<decltype(zero)> && std::is_integral_v<Sum>)
      refuseType(kDtype<Sum>, kDtype<decltype(zero)>);
    else
      return work(zero);
  });
}

}  // namespace

Leaving::Leaving(const Graph& graph) : graph_(graph) {
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.ends());
}

template <class Sum>
std::optional<Path> followDistances(const Leaving& leaving, const std::vector<Sum>& toTarget,
                                    int from, int target, double tolerance,
                                    const SignedError& real) {
  auto path = withWeights<Sum>(leaving.graph(), [&](auto zero) {
    return follow<decltype(zero)>(leaving, toTarget, from, target, tolerance, real);
  });
  const bool doubtful = path && tolerance > 0 && !real;
  if (doubtful &&
      !agrees(*path, leaving.graph().dtype(), static_cast<double>(toTarget[asSize(from)])))
    path.reset();
  return path;
}

template <class Sum>
std::optional<AnyEdge> findShortcut(const Leaving& leaving, const std::vector<Sum>& toTarget,
                                    int target, double tolerance, const SignedError& real) {
  return withWeights<Sum>(leaving.graph(), [&](auto zero) {
    return shortcut<decltype(zero)>(leaving, toTarget, target, tolerance, real);
  });
}

template std::optional<Path> followDistances(const Leaving&, const std::vector<double>&, int, int,
                                             double, const SignedError&);
template std::optional<Path> followDistances(const Leaving&, const std::vector<std::int64_t>&, int,
                                             int, double, const SignedError&);
template std::optional<AnyEdge> findShortcut(const Leaving&, const std::vector<double>&, int,
                                             double, const SignedError&);
template std::optional<AnyEdge> findShortcut(const Leaving&, const std::vector<std::int64_t>&, int,
                                             double, const SignedError&);

Number lengthOf(const Path& path, Dtype dtype) {
  return withType(dtype, [&](auto zero) -> Number {
    using T = decltype(zero);
    std::conditional_t<std::is_integral_v<T>, std::int64_t, double> sum = 0;
    for (const Number& weight : path.weights) sum += std::get<T>(weight);
    return sum;
  });
}

}  // namespace engine
