// Which way a shortest path goes, found from distances after they are known.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/graph.h"
#include "base/size.h"

namespace engine {

/// A path: k + 1 vertices and the k weights between them, of the graph's type. It visits no vertex
/// twice.
struct Path {
  std::vector<int> vertices;
  std::vector<Number> weights;
};

/// The edges of a graph by the vertex that they leave. Keeps a reference to the graph.
class Leaving {
 public:
  explicit Leaving(const Graph& graph);
  /// Calls visit(to, weight) for the edges that leave a vertex. T: the type of the weights.
  template <class T, class Visit>
  void edges(int from, Visit visit) const {
    if (graph_.dense()) {
      const T* const row = graph_.matrix().row<T>(from);
      for (int to = 0; to < graph_.n; ++to)
        if (to != from && row[to] < kInfinity<T>) visit(to, row[to]);
      return;
    }
    const Edges<T>& edges = graph_.edges<T>();
    for (std::size_t at = first_[asSize(from)]; at < first_[asSize(from) + 1]; ++at)
      visit(edges[at].to, edges[at].weight);
  }
  const Graph& graph() const { return graph_; }

 private:
  const Graph& graph_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

/// How far the distance d from u to v may be off, if its weights are real and may be negative.
using SignedError = std::function<double(int u, int v, double d)>;

/// A shortest path. toTarget: (n), the distance from each vertex to `target`; infinity where there
/// is none. Sum: double, or std::int64_t if the weights are whole. Doubles are exact below 2⁵³
/// only. tolerance: how far the distances may be off, relative to themselves; 0: they are exact.
/// The path itself may be off by what its own number of edges can have been rounded, no more.
/// Nothing if no path has that length: then these are no distances of this graph. toTarget[from]
/// must be finite. real: where real weights may be negative, how far each distance may be off; it
/// takes the place of `tolerance`.
template <class Sum>
std::optional<Path> followDistances(const Leaving& edges, const std::vector<Sum>& toTarget,
                                    int from, int target, double tolerance,
                                    const SignedError& real = nullptr);

/// An edge that makes a way to a target shorter than toTarget says: then these are no distances of
/// this graph. If there is none, and toTarget[target] is 0, then a path of the length toTarget[v]
/// is a shortest one from v, and where that is infinite there is no path.
/// toTarget, tolerance, real: as followDistances() takes them.
template <class Sum>
std::optional<AnyEdge> findShortcut(const Leaving& edges, const std::vector<Sum>& toTarget,
                                    int target, double tolerance,
                                    const SignedError& real = nullptr);

/// The length of a path, which is the sum of its weights: an int64 if they are whole, else a
/// double. dtype: the type of the weights.
Number lengthOf(const Path& path, Dtype dtype);

}  // namespace engine
