// Diameter, radius, center and periphery, against all distances.
#include "search/extremes.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "devices.h"
#include "generate/families.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "solver/range.h"
#include "solver/solver.h"

namespace {

template <class T>
struct Right {
  T diameter = 0, radius = kInfinity<T>;
  std::vector<int> periphery, center;

  explicit Right(const Matrix& all) {
    std::vector<T> eccentricities;
    std::vector<bool> reachesAll;
    for (int i = 0; i < all.n(); ++i) {
      const T* const row = all.row<T>(i);
      T far = 0;
      bool reaches = true, any = false;
      for (int j = 0; j < all.n(); ++j) {
        if (j == i) continue;
        row[j] == kInfinity<T> ? void(reaches = false)
                               : void((far = std::max(far, row[j]), any = true));
      }
      eccentricities.push_back(any ? far : T(-1));
      reachesAll.push_back(reaches);
      diameter = std::max(diameter, far);
      if (reaches) radius = std::min(radius, far);
    }
    for (int i = 0; i < all.n(); ++i) {
      if (eccentricities[asSize(i)] == diameter) periphery.push_back(i);
      if (reachesAll[asSize(i)] && std::max(T(0), eccentricities[asSize(i)]) == radius)
        center.push_back(i);
    }
  }
};

std::vector<int> firstOf(const std::vector<FarPair>& pairs) {
  std::vector<int> all;
  for (const auto& pair : pairs) all.push_back(pair.first);
  return all;
}

template <class T>
void expectRight(const ProblemGraph& graph) {
  const Matrix all = byPlainLoop(graph);
  const Right<T> right(all);
  const Execution where{cpuDevice};
  const Extremes found = extremesOf(graph, where, findSolver("apsp", DeviceKind::kCpu));
  ASSERT_EQ(static_cast<double>(right.diameter), toDouble(found.diameter));
  ASSERT_EQ(right.radius < kInfinity<T>, found.radius.has_value());
  if (found.radius) {
    ASSERT_EQ(static_cast<double>(right.radius), toDouble(*found.radius));
  }
  if (right.diameter > 0) {
    ASSERT_EQ(right.periphery, firstOf(found.periphery));
  }
  ASSERT_EQ(right.center, firstOf(found.center));
  for (const auto& [from, to] : found.periphery) ASSERT_EQ(right.diameter, all.row<T>(from)[to]);
  for (const auto& [from, to] : found.center) ASSERT_EQ(right.radius, all.row<T>(from)[to]);
}

/// edges: some of them also backwards.
template <class T>
ProblemGraph randomGraph(int n, int edges, int heaviest, int oneWay, std::mt19937& random) {
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
  };
  Edges<T> list;
  for (int e = 0; e < edges; ++e) {
    const int from = below(n), to = below(n);
    const T weight = static_cast<T>(below(heaviest + 1));
    list.push_back({from, to, weight});
    if (below(100) >= oneWay) list.push_back({to, from, weight});
  }
  return ProblemGraph(fromEdges(n, std::move(list)));
}

TEST(Extremes, AreThoseOfAllDistances) {
  std::mt19937 random(11);
  for (const int n : {1, 2, 3, 9, 40, 150})
    for (const int edges : {n / 2, n, 2 * n, 5 * n})
      for (const int heaviest : {0, 1, 10, 1000})
        for (const int oneWay : {0, 20, 100}) {
          expectRight<std::int32_t>(randomGraph<std::int32_t>(n, edges, heaviest, oneWay, random));
          expectRight<double>(randomGraph<double>(n, edges, heaviest, oneWay, random));
        }
}

/// The same graph with all weights equal, in type T.
template <class T>
ProblemGraph withWeight(const ProblemGraph& graph, T weight) {
  Edges<T> edges;
  forEachEdge(graph.onHost(), [&](const auto& edge) {
    edges.push_back({edge.from, edge.to, weight});
  });
  return ProblemGraph(fromEdges(graph.n(), std::move(edges)));
}

TEST(Extremes, AreThoseOfEqualWeights) {
  std::mt19937 random(12);
  for (const int n : {1, 2, 3, 9, 40, 150})
    for (const int edges : {n / 2, n, 3 * n / 2, 2 * n, 5 * n})
      for (const int oneWay : {0, 20, 100}) {
        const auto graph = randomGraph<std::int32_t>(n, edges, 9, oneWay, random);
        expectRight<std::int32_t>(withWeight<std::int32_t>(graph, 1));
        expectRight<std::int32_t>(withWeight<std::int32_t>(graph, 7));
        expectRight<std::int64_t>(withWeight<std::int64_t>(graph, std::int64_t{1} << 40));
        expectRight<float>(withWeight<float>(graph, 0.25F));
      }
}

TEST(Extremes, AreFoundIfAllVerticesAreAlike) {
  Edges<std::int32_t> ring;
  for (int v = 0; v < 600; ++v) ring.push_back({v, (v + 1) % 600, 1});
  const ProblemGraph graph(fromEdges(600, ring));
  expectRight<std::int32_t>(graph);
  const Extremes found =
      extremesOf(graph, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu));
  EXPECT_GT(found.solved, 200);  // bounds do not help: all are solved together
}

TEST(Extremes, TakeFewSearchesOnAMap) {
  Spec spec;
  spec.family = familyIndex("grid");
  spec.n = 900;
  const ProblemGraph graph(spec);
  const Extremes found =
      extremesOf(graph, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu));
  EXPECT_EQ(0, found.solved);
  EXPECT_LT(found.searches, 100U);
  const Right<std::int32_t> right(byPlainLoop(graph));
  EXPECT_EQ(right.periphery, firstOf(found.periphery));
  EXPECT_EQ(right.center, firstOf(found.center));
}

TEST(Extremes, TakeFewSearchesByOneThread) {
  Spec spec;
  spec.family = familyIndex("grid");
  spec.n = 900;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Extremes found =
      extremesOf(ProblemGraph(spec), Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu));
  omp_set_num_threads(threads);
  EXPECT_LT(found.searches, 20U);
}

/// How far the farthest vertex is, by a breadth-first search.
int eccentricity(const std::vector<std::vector<int>>& heads, int source) {
  std::vector<int> distance(heads.size(), -1), queue = {source};
  distance[asSize(source)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const int head : heads[asSize(queue[i])])
      if (distance[asSize(head)] < 0) {
        distance[asSize(head)] = distance[asSize(queue[i])] + 1;
        queue.push_back(head);
      }
  return distance[asSize(queue.back())];
}

/// Half of all pages have links, to any others. There is one large component, and many vertices
/// that lead into it or that it leads to.
TEST(Extremes, TakeFewSearchesOnAWeb) {
  const int n = 4000;
  std::uint64_t state = 1;
  const auto below = [&](int limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(limit));
  };
  std::vector<std::vector<int>> heads(n);
  Edges<std::int32_t> edges;
  for (int v = 0; v < n / 2; ++v)
    for (int links = 1 + below(6); links > 0; --links) {
      const int head = below(n);
      if (head == v) continue;
      heads[asSize(v)].push_back(head);
      edges.push_back({v, head, 1});
    }
  const Extremes found = extremesOf(ProblemGraph(fromEdges(n, std::move(edges))),
                                    Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu));
  EXPECT_EQ(0, found.solved);
  EXPECT_LT(found.searches, 300U);
  std::vector<int> all;
  for (int v = 0; v < n; ++v) all.push_back(eccentricity(heads, v));
  const int diameter = *std::max_element(all.begin(), all.end());
  std::vector<int> periphery;
  for (int v = 0; v < n; ++v)
    if (all[asSize(v)] == diameter) periphery.push_back(v);
  EXPECT_EQ(Number(std::int32_t{diameter}), found.diameter);
  EXPECT_EQ(periphery, firstOf(found.periphery));
  EXPECT_FALSE(found.radius.has_value());
}

TEST(Extremes, RealDistancesMayBeTooFar) {
  Edges<float> edges;
  for (int v = 0; v < 4; ++v) edges.push_back({v, v + 1, 1e38F});
  const ProblemGraph graph(fromEdges(5, std::move(edges)));
  EXPECT_THROW(extremesOf(graph, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu)),
               RangeError);
}

TEST(Extremes, Int32DistancesAreNeverTooFar) {
  const Edges<std::int32_t> edges = {{0, 1, 1 << 29}, {1, 2, 1 << 29}, {2, 3, 1 << 29}};
  const ProblemGraph graph(fromEdges(4, edges));
  const Extremes found =
      extremesOf(graph, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu));
  EXPECT_EQ(3.0 * (1 << 29), toDouble(found.diameter));
}

}  // namespace
