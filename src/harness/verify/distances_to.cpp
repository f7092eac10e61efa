#include "verify/distances_to.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/size.h"
#include "negative/potentials.h"

DistancesTo::DistancesTo(const Graph& graph, bool negative)
    : DistancesTo(negative, reversed(graph)) {}

DistancesTo::DistancesTo(bool negative, Graph reversed)
    : potentials_(negative && isWhole(reversed.dtype()) ? potentialsOf(reversed).of
                                                        : std::vector<std::int64_t>()),
      reversed_(potentials_.empty() ? std::move(reversed) : reweighted(reversed, potentials_)) {
  if (negative && !isWhole(reversed_.dtype())) {
    realPotentialsOf(reversed_);  // throws if there is a negative cycle
    real_.emplace(reversed_);
  }
  if (!potentials_.empty() && countEdges(reversed_) != countEdges(reversed))
    throw Error(ErrorCode::kInput,
                fmt::format("potentials make weights of {} or more: scale the weights "
                            "down",
                            textOf(infinityOf(reversed_.dtype()))));
}

template <>
std::vector<double> DistancesTo::vertex(int target) const {
  if (real_) return real_->from(target);
  std::vector<double> distances = Dijkstra<double>(reversed_).from(target);
  for (std::size_t v = 0; v < potentials_.size(); ++v)
    distances[v] += static_cast<double>(potentials_[v] - potentials_[asSize(target)]);
  return distances;
}

template <>
std::vector<std::int64_t> DistancesTo::vertex(int target) const {
  return reversed_.dtype() == Dtype::kInt32 ? exact<std::int32_t>(target)
                                            : exact<std::int64_t>(target);
}

template <class T>
std::vector<std::int64_t> DistancesTo::exact(int target) const {
  if (reversed_.dtype() != kDtype<T>) refuseType(reversed_.dtype(), kDtype<T>);
  using Sum = SumOf<T>;
  const std::vector<Sum> distances = Dijkstra<Sum>(reversed_).from(target);
  std::vector<std::int64_t> all(distances.size(), kInfinity<std::int64_t>);
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (distances[v] == kNoPath<Sum>) continue;
    const std::int64_t shift =
        potentials_.empty() ? 0 : potentials_[v] - potentials_[asSize(target)];
    all[v] = nearestTo<std::int64_t>(distances[v] + shift);
  }
  return all;
}
