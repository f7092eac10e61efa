// What a GPU's filter is expected to gain, told from a graph's edges.
#include "filtered/outlook.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>

#include "base/graph.h"

using namespace engine;

namespace {

constexpr int kMany = 3000;

template <class T = std::int32_t>
Outlook outlookOf(int n, Edges<T> edges) {
  const Graph graph = fromEdges(n, std::move(edges));
  return outlookOnGpu({n, graph.ends()}, graph.edges<T>());
}

bool hasCliques(int n, Edges<std::int32_t> edges) {
  const Graph graph = fromEdges(n, std::move(edges));
  return engine::hasCliques({n, graph.ends()});
}

Edges<std::int32_t> bandOf(int n, int width) {
  Edges<std::int32_t> edges;
  for (int v = 0; v < n; ++v)
    for (int u = v + 1; u <= v + width && u < n; ++u) {
      edges.push_back({v, u, 1});
      edges.push_back({u, v, 1});
    }
  return edges;
}

/// Edges to random vertices of the same group of `size` vertices.
Edges<std::int32_t> randomEdges(int n, int degree, int size, int heaviest) {
  std::mt19937 random(7);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
  };
  Edges<std::int32_t> edges;
  for (int v = 0; v < n; ++v)
    for (int k = 0; k < degree; ++k)
      edges.push_back({v, v / size * size + below(size), 1 + below(heaviest)});
  return edges;
}

template <class T>
Edges<T> multiplied(const Edges<std::int32_t>& edges, T by) {
  Edges<T> all;
  for (const auto& edge : edges) all.push_back({edge.from, edge.to, edge.weight * by});
  return all;
}

TEST(Outlook, IsPoorIfVerticesAreFarApart) {
  EXPECT_EQ(outlookOf(kMany, bandOf(kMany, 1)), Outlook::kPoor);
  EXPECT_EQ(outlookOf(kMany, bandOf(kMany, 5)), Outlook::kPoor);
  Edges<std::int32_t> oneWay;
  for (int v = 1; v < kMany; ++v) oneWay.push_back({v - 1, v, 1});
  EXPECT_EQ(outlookOf(kMany, oneWay), Outlook::kPoor);
}

TEST(Outlook, IsGoodOfFewEdgesThatLeadAnywhere) {
  EXPECT_EQ(outlookOf(kMany, randomEdges(kMany, 3, kMany, 100)), Outlook::kGood);
  EXPECT_EQ(outlookOf<>(kMany, {}), Outlook::kGood);
  Edges<std::int32_t> grid;
  for (int v = 0; v < kMany; ++v) {
    if (v % 50 != 0) grid.push_back({v, v - 1, 1}), grid.push_back({v - 1, v, 1});
    if (v >= 50) grid.push_back({v, v - 50, 1}), grid.push_back({v - 50, v, 1});
  }
  EXPECT_EQ(outlookOf(kMany, grid), Outlook::kGood);
}

/// Cliques of `size` vertices. joined: the last vertex of each has an edge to the next clique.
Edges<std::int32_t> cliquesOf(int n, int size, bool joined) {
  Edges<std::int32_t> edges;
  for (int v = 0; v < n; ++v)
    for (int u = v / size * size; u < (v / size + 1) * size; ++u)
      if (u != v) edges.push_back({v, u, 1 + (u * 7 + v) % 50});
  for (int v = size; joined && v < n; v += size) {
    edges.push_back({v - 1, v, 1});
    edges.push_back({v, v - 1, 1});
  }
  return edges;
}

TEST(Outlook, OfCliquesIsPoorInASmallGraph) {
  for (const int size : {10, 30, 100}) {
    const auto joined = cliquesOf(kMany, size, true), apart = cliquesOf(kMany, size, false);
    EXPECT_TRUE(hasCliques(kMany, joined));
    EXPECT_FALSE(hasCliques(kMany, apart)) << "each is a small graph by itself";
    EXPECT_EQ(outlookOf(kMany, joined), Outlook::kPoor);
    EXPECT_EQ(outlookOf(kMany, apart), Outlook::kGood);
    EXPECT_EQ(outlookOf(6000, cliquesOf(6000, size, true)), Outlook::kGood);
    auto equal = joined;
    for (auto& edge : equal) edge.weight = 1;
    EXPECT_NE(outlookOf(kMany, equal), Outlook::kPoor);
  }
  auto crossed = cliquesOf(kMany, 30, false);  // each vertex has edges to two other cliques
  for (int v = 0; v < kMany; ++v)
    for (const int step : {30, kMany - 30}) crossed.push_back({v, (v + step) % kMany, 7});
  EXPECT_TRUE(hasCliques(kMany, crossed)) << "all vertices have equally many edges";
  for (const int size : {5, 150})
    EXPECT_FALSE(hasCliques(kMany, cliquesOf(kMany, size, true))) << "too few edges, or too many";
  EXPECT_FALSE(hasCliques(kMany, bandOf(kMany, 10)));
  EXPECT_FALSE(hasCliques(kMany, randomEdges(kMany, 20, kMany, 100)));
}

TEST(Outlook, OfManyEdgesTellsWhetherTheyMatter) {
  EXPECT_EQ(outlookOf(kMany, randomEdges(kMany, 120, kMany, 1000)), Outlook::kGood);
  EXPECT_EQ(outlookOf(kMany, randomEdges(kMany, 400, 300, 1000)), Outlook::kGood);
  EXPECT_EQ(outlookOf(kMany, randomEdges(kMany, 120, kMany, 1)), Outlook::kUnknown)
      << "all are equal, and none is longer than a detour";
}

/// Whole weights, and reals that are thirds of them.
TEST(Outlook, IsTheSameOfAllTypesOfWeights) {
  for (const int heaviest : {1, 1000}) {
    const Edges<std::int32_t> whole = randomEdges(kMany, 120, kMany, heaviest);
    const Outlook expected = outlookOf(kMany, whole);
    EXPECT_EQ(outlookOf(kMany, multiplied<std::int64_t>(whole, std::int64_t{1} << 40)), expected);
    if (heaviest == 1) continue;
    EXPECT_EQ(outlookOf(kMany, multiplied<float>(whole, 1.0F / 3)), expected);
    EXPECT_EQ(outlookOf(kMany, multiplied<double>(whole, 1.0 / 3)), expected);
    EXPECT_EQ(outlookOf(kMany, multiplied<double>(whole, 1e300)), expected);
    EXPECT_EQ(outlookOf(kMany, multiplied<double>(whole, 0x1p-1074)), expected);
  }
}

TEST(Outlook, OfAVertexWithMoreEdgesThanAGpuKeeps) {
  for (const int n : {kMany, 10000}) {
    Edges<std::int32_t> star;
    for (int v = 1; v < n; ++v) star.push_back({0, v, 1}), star.push_back({v, 0, 1});
    EXPECT_EQ(outlookOf(n, star), n < 4000 ? Outlook::kPoor : Outlook::kDoubtful)
        << "of a large graph, filtering in vain costs little";
  }
}

TEST(Outlook, IsUnknownOfSmallAndOfFullGraphs) {
  EXPECT_EQ(outlookOf<>(0, {}), Outlook::kUnknown);
  EXPECT_EQ(levelsFrom({0, Edges<std::int32_t>{}}, 0), 0)
      << "a graph without vertices has none to begin with";
  EXPECT_EQ(outlookOf(1000, bandOf(1000, 1)), Outlook::kUnknown);
  EXPECT_EQ(outlookOf(2000, randomEdges(2000, 700, 2000, 1000000)), Outlook::kUnknown);
}

}  // namespace
