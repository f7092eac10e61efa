#include "verify/distances_to.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "negative/potentials.h"

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
