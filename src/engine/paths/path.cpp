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
// Sums of floats depend on their order. Distances that a solver found are therefore compared with a
// tolerance, and the edge that fits best is tried first. The search still ends, and its path still
// visits no vertex twice.
#include "paths/path.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace {

struct TightEdge {
  double error;     ///< by which it is not tight
  double toTarget;  ///< from where it ends
  int to, weight;
  bool operator<(const TightEdge& other) const {
    return std::tie(error, toTarget) < std::tie(other.error, other.toTarget);
  }
};

/// A vertex on the path, and the tight edges that are left to try, the best one last.
struct Visit {
  int vertex;
  std::vector<TightEdge> edges;
};

/// allowed: allowed(v, its distance, u, its distance) says how far the edge (v, u) may be from
/// tight.
template <class Allowed>
Visit visitOf(int vertex, const Leaving& leaving, const std::vector<double>& toTarget,
              Allowed allowed) {
  Visit visit{vertex, {}};
  const double distance = toTarget[static_cast<std::size_t>(vertex)];
  leaving.edges(vertex, [&](int to, int weight) {
    const double rest = toTarget[static_cast<std::size_t>(to)];
    const double error = std::abs(toDouble(weight, leaving.graph().dtype) + rest - distance);
    if (error <= allowed(vertex, distance, to, rest))
      visit.edges.push_back({error, rest, to, weight});
  });
  std::sort(visit.edges.rbegin(), visit.edges.rend());
  return visit;
}

}  // namespace

Leaving::Leaving(const Graph& graph) : graph_(graph) {
  if (!graph.dense()) first_ = edgeStarts(graph.n, graph.edges());
}

std::optional<Path> followDistances(const Leaving& leaving, const std::vector<double>& toTarget,
                                    int from, int target, double tolerance,
                                    const SignedError& real) {
  const auto allowed = [&](int vertex, double distance, int to, double rest) {
    if (!real) return tolerance * distance;
    return real(vertex, target, distance) + real(to, target, rest);
  };
  std::vector<char> entered(toTarget.size(), 0);
  Path path;
  std::vector<Visit> visits;
  const auto enter = [&](int vertex) {
    entered[static_cast<std::size_t>(vertex)] = 1;
    path.vertices.push_back(vertex);
    visits.push_back(visitOf(vertex, leaving, toTarget, allowed));
  };
  enter(from);
  while (path.vertices.back() != target) {
    Visit& here = visits.back();
    if (here.edges.empty()) {  // no way leads on from here
      if (visits.size() == 1) return std::nullopt;
      visits.pop_back();
      path.vertices.pop_back();
      path.weights.pop_back();
      continue;
    }
    const TightEdge edge = here.edges.back();
    here.edges.pop_back();
    if (entered[static_cast<std::size_t>(edge.to)]) continue;
    path.weights.push_back(edge.weight);
    enter(edge.to);
  }
  return path;
}

// Let v = v0, v1, ..., vk = target be any path. If no edge is a shortcut, d(vi) ≤ w(vi, vi+1) +
// d(vi+1) for all i. The sum of these says that d(v) is at most the length of the path, because
// d(target) is 0. So no path is shorter than d(v), and if d(v) is infinite, there is none.
std::optional<Edge> findShortcut(const Leaving& leaving, const std::vector<double>& toTarget,
                                 int target, double tolerance, const SignedError& real) {
  const int n = leaving.graph().n;
  const Dtype dtype = leaving.graph().dtype;
  const auto shortcutFrom = [&](int v) {
    const double distance = toTarget[static_cast<std::size_t>(v)];
    std::optional<Edge> found;
    leaving.edges(v, [&](int to, int weight) {
      const double rest = toTarget[static_cast<std::size_t>(to)];
      const double way = toDouble(weight, dtype) + rest;
      if (found || !(way < distance)) return;
      const double allowed = !real ? tolerance * std::abs(distance)
                                   : real(v, target, distance) + real(to, target, rest);
      if (std::isinf(distance) || distance - way > allowed) found = Edge{v, to, weight};
    });
    return found;
  };
  int first = n;  // the least vertex that a shortcut leaves
#pragma omp parallel for schedule(dynamic, 64) reduction(min : first) if (n >= kWorthThreads)
  for (int v = 0; v < n; ++v)
    if (v < first && shortcutFrom(v)) first = v;
  return first == n ? std::nullopt : shortcutFrom(first);
}

double lengthOf(const Path& path, Dtype dtype) {
  double sum = 0;
  for (const int weight : path.weights) sum += toDouble(weight, dtype);
  return sum;
}
