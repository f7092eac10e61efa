// Distances and paths between single pairs, against the plain loop.
#include "search/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "base/tolerance.h"
#include "devices.h"
#include "generate/families.h"
#include "generate/generate.h"
#include "generate/source.h"

namespace {

/// The sum of the weights along a path.
template <class T>
T lengthAlong(const Graph& graph, const std::vector<int>& path) {
  T length = 0;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    T weight = kInfinity<T>;
    forEachEdge(graph, [&](const auto& edge) {
      if (edge.from == path[i] && edge.to == path[i + 1]) weight = static_cast<T>(edge.weight);
    });
    length += weight;
  }
  return length;
}

template <class T>
void expectRight(const ProblemGraph& problem, bool climbs,
                 const EliminationOrder* order = nullptr) {
  const Graph& graph = problem.onHost();
  const Matrix all = byPlainLoop(problem);
  Pairs pairs(graph, order);
  ASSERT_EQ(climbs, pairs.climbs()) << graph.n;
  for (int from = 0; from < graph.n; from += 1 + graph.n / 25)
    for (int to = 0; to < graph.n; to += 1 + graph.n / 40) {
      const T right = all.row<T>(from)[to];
      const Number found = pairs.distance(from, to);
      const bool none = right == kInfinity<T>;
      ASSERT_EQ(none, found == infinityOf(dtypeOf(found)));
      if (!none) {
        ASSERT_TRUE(
            agree(toDouble(found), static_cast<double>(right), tolerance(graph.n, kDtype<T>, 2)));
      }
      Number length;
      const std::vector<int> path = pairs.path(from, to, length);
      ASSERT_EQ(none, path.empty());
      if (none) continue;
      ASSERT_EQ(from, path.front());
      ASSERT_EQ(to, path.back());
      ASSERT_EQ(toDouble(length), static_cast<double>(lengthAlong<T>(graph, path)));
    }
}

template <class T>
ProblemGraph grid(int side, int heaviest, std::uint32_t seed) {
  std::mt19937 random(seed);
  Edges<T> edges;
  const auto add = [&](int from, int to) {
    edges.push_back(
        {from, to, static_cast<T>(random() % static_cast<std::uint32_t>(heaviest + 1))});
  };
  for (int v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) add(v, v + 1), add(v + 1, v);
    if (v + side < side * side && random() % 8 != 0) add(v, v + side), add(v + side, v);
  }
  return ProblemGraph(fromEdges(side * side + 2, std::move(edges)));  // two vertices are alone
}

TEST(Pairs, ClimbAHierarchy) {
  for (const int heaviest : {0, 3, 1000}) {
    expectRight<std::int32_t>(grid<std::int32_t>(22, heaviest, 1), true);
    expectRight<double>(grid<double>(22, heaviest, 2), true);
    expectRight<std::int64_t>(grid<std::int64_t>(22, heaviest, 3), true);
    expectRight<float>(grid<float>(22, heaviest, 4), true);
  }
}

TEST(Pairs, AreSearchedForWithoutSeparators) {
  std::mt19937 random(5);
  Edges<std::int32_t> edges;
  for (int e = 0; e < 8000; ++e)
    edges.push_back({static_cast<int>(random() % 800), static_cast<int>(random() % 800),
                     static_cast<std::int32_t>(random() % 100)});
  expectRight<std::int32_t>(ProblemGraph(fromEdges(800, std::move(edges))), false);
}

TEST(Pairs, ClimbByTheOrderThatIsGiven) {
  std::mt19937 random(6);
  Edges<std::int32_t> edges;
  for (int e = 0; e < 3000; ++e)
    edges.push_back({static_cast<int>(random() % 300), static_cast<int>(random() % 300),
                     static_cast<std::int32_t>(random() % 100)});
  const ProblemGraph graph(fromEdges(300, std::move(edges)));
  EliminationOrder order(300);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  expectRight<std::int32_t>(graph, true, &order);
  expectRight<std::int32_t>(graph, false);  // no order is looked for
}

TEST(Pairs, OfInt32AreNeverTooFar) {
  Edges<std::int32_t> edges;
  for (int v = 0; v < 3000; ++v) edges.push_back({v, v + 1, 1 << 29});
  const ProblemGraph graph(fromEdges(3001, std::move(edges)));
  Pairs pairs(graph.onHost());
  EXPECT_EQ(3000.0 * (1 << 29), toDouble(pairs.distance(0, 3000)));
  const Number none = pairs.distance(3000, 0);
  EXPECT_EQ(infinityOf(dtypeOf(none)), none);
}

}  // namespace
