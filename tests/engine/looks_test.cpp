// What a look at a graph tells before its solver is chosen.
#include "plan/looks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "devices.h"
#include "sample.h"

namespace {

using plan::hasSmallParts;
using plan::isJoinedByHubs;
using plan::Wanted;
using plan::weightOf;

using Pairs = std::vector<std::pair<int, int>>;

/// An edge of weight 1 + i % 9 for each pair i, in both directions.
Graph bothWays(int n, const Pairs& pairs) {
  Edges<std::int32_t> edges;
  for (const auto& [a, b] : pairs) {
    const auto weight = static_cast<std::int32_t>(1 + edges.size() / 2 % 9);
    edges.push_back({a, b, weight});
    edges.push_back({b, a, weight});
  }
  return fromEdges(n, edges);
}

/// Adds all pairs of `size` vertices, from `first` on.
void addClique(int first, int size, Pairs& pairs) {
  for (int i = first; i < first + size; ++i)
    for (int j = i + 1; j < first + size; ++j) pairs.emplace_back(i, j);
}

TEST(Looks, FindSmallPartsOfManyEdges) {
  const int n = 960;
  for (const int size : {40, 60, 120, 160}) {
    Pairs pairs;
    for (int first = 0; first < n; first += size) addClique(first, size, pairs);
    // Cliques of 40 have too few edges, and those of 160 are more than an eighth of all vertices.
    EXPECT_EQ(size == 60 || size == 120, hasSmallParts({cpuDevice, bothWays(n, pairs)})) << size;
    for (int first = size; first < n; first += size) pairs.emplace_back(first - 1, first);
    EXPECT_FALSE(hasSmallParts({cpuDevice, bothWays(n, pairs)})) << size << ", joined";
  }
}

TEST(Looks, TellThatHubsJoinAGraph) {
  const int n = 1000, hubs = 10;
  Pairs pairs;
  for (int v = hubs; v < n; ++v)
    for (int each = 0; each < 3; ++each) pairs.emplace_back(v, (v + each) % hubs);
  EXPECT_TRUE(isJoinedByHubs({cpuDevice, bothWays(n, pairs)}));
  addClique(0, hubs, pairs);
  EXPECT_TRUE(isJoinedByHubs({cpuDevice, bothWays(n, pairs)})) << "hubs are joined, too";
  for (int v = hubs; v + 1 < n; ++v) pairs.emplace_back(v, v + 1);
  EXPECT_FALSE(isJoinedByHubs({cpuDevice, bothWays(n, pairs)})) << "the others are a path";
  Pairs ring;
  for (int v = 0; v < n; ++v) ring.emplace_back(v, (v + 1) % n);
  EXPECT_FALSE(isJoinedByHubs({cpuDevice, bothWays(n, ring)})) << "no vertex is a hub";
}

TEST(Looks, CompareWeightsOnce) {
  Graph graph = fromEdges<std::int32_t>(3, {{0, 1, 4}, {1, 2, 4}});
  const Wanted wanted = {cpuDevice, graph};
  EXPECT_EQ(Number(std::int32_t{4}), weightOf(wanted));
  graph.edges<std::int32_t>()[1].weight = 5;
  EXPECT_EQ(Number(std::int32_t{4}), weightOf(wanted)) << "it is kept";
  EXPECT_EQ(std::nullopt, weightOf({cpuDevice, graph}));
}

}  // namespace
