#include "verify/distances_to.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "negative/potentials.h"

namespace {

/// The same graph with all edges reversed.
Graph reversed(const Graph& graph) {
  if (!graph.dense()) {
    std::vector<Edge> edges = graph.edges();
    for (Edge& edge : edges) std::swap(edge.from, edge.to);
    return fromEdges(graph.n, std::move(edges), graph.dtype);
  }
  Graph result;
  result.n = graph.n;
  result.dtype = graph.dtype;
  Matrix matrix(graph.n);
  std::copy_n(graph.matrix().data(), matrix.size(), matrix.data());
  transpose(matrix);
  result.body = std::move(matrix);
  return result;
}

}  // namespace

DistancesTo::DistancesTo(const Graph& graph, bool negative)
    : DistancesTo(negative, reversed(graph)) {}

DistancesTo::DistancesTo(bool negative, Graph reversed)
    : potentials_(negative && reversed.dtype == Dtype::kInt32 ? potentialsOf(reversed).of
                                                              : std::vector<int>()),
      reversed_(potentials_.empty() ? std::move(reversed) : reweighted(reversed, potentials_)),
      solver_(reversed_) {
  if (negative && reversed_.dtype == Dtype::kFloat32) {
    realPotentialsOf(reversed_);  // throws if there is a negative cycle
    real_.emplace(reversed_);
  }
  if (!potentials_.empty() && countEdges(reversed_) != countEdges(reversed))
    throw Error(Exit::kInput,
                fmt::format("potentials make weights of {} or more: scale the weights "
                            "down",
                            kInf));
}

std::vector<double> DistancesTo::vertex(int target) const {
  if (real_) return real_->from(target);
  std::vector<double> distances = solver_.from(target);
  for (std::size_t v = 0; v < potentials_.size(); ++v)
    distances[v] += potentials_[v] - potentials_[static_cast<std::size_t>(target)];
  return distances;
}
