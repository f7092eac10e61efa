#include "api/given_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "api/views.h"
#include "base/memory.h"
#include "base/negative_cycle.h"

namespace engine {

GivenEdges::GivenEdges(const std::vector<Ends>& given, const Structure& edges)
    : count_(given.size()) {
  const auto same = [](const Ends& a, const std::pair<int, int>& b) {
    return a.from == b.first && a.to == b.second;
  };
  if (std::equal(given.begin(), given.end(), edges.begin(), edges.end(), same)) return;
  requireHostBytes(count_ * sizeof(std::size_t), "where the plan's edges are");
  places_.reserve(count_);
  for (const Ends& ends : given) {
    const auto at = std::lower_bound(edges.begin(), edges.end(), std::pair(ends.from, ends.to));
    const bool loop = ends.from == ends.to;
    if (!loop && (at == edges.end() || !same(ends, *at)))
      throw InvalidArgument("the graph changes while it is read");
    places_.push_back(loop ? edges.size() + asSize(ends.from) : asSize(at - edges.begin()));
  }
}

template <class T>
Edges<T> GivenEdges::weighed(const Structure& edges, const T* weights, bool negative) const {
  Edges<T> all;
  all.reserve(edges.size());
  for (const auto& [from, to] : edges) all.push_back({from, to, kInfinity<T>});
  for (std::size_t e = 0; e < count_; ++e) {
    T weight;
    std::memcpy(&weight, weights + e, sizeof weight);
    if (!isWeight(weight, negative, false))
      refuseWeight(fmt::format("weights[{}]", e), weight, negative);
    const std::size_t place = places_.empty() ? e : places_[e];
    if (place < all.size()) {
      all[place].weight = std::min(all[place].weight, weight + T{0});  // -0.0 becomes 0.0
    } else if (weight < 0) {
      const int loop = static_cast<int>(place - all.size());
      throw NegativeCycle({{loop, loop, weight}});
    }
  }
  return all;
}

Graph GivenEdges::weighed(int n, const Structure& edges, ConstElements weights,
                          bool negative) const {
  requireHostBytes(edges.size() * 2 * sizeof(double), "the graph's edges");
  Graph graph = emptyGraph(n, weights.dtype());
  withElements(weights,
               [&](const auto* numbers) { graph.body = weighed(edges, numbers, negative); });
  return graph;
}

}  // namespace engine
