// Distances and paths between single pairs, against the plain loop.
#include "search/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
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

/// What finds a path, if paths were asked for from the beginning.
enum class Paths { kSearched, kClimbed };

template <class T>
void expectPath(const Graph& graph, Pairs& pairs, int from, int to, T right) {
  Number length;
  const std::vector<int> path = pairs.path(from, to, length);
  if (right == kInfinity<T>) {
    ASSERT_TRUE(path.empty());
    ASSERT_EQ(infinityOf(dtypeOf(length)), length);
    return;
  }
  ASSERT_FALSE(path.empty());
  ASSERT_EQ(from, path.front());
  ASSERT_EQ(to, path.back());
  ASSERT_EQ(path.size(), std::set<int>(path.begin(), path.end()).size()) << "a vertex comes twice";
  ASSERT_EQ(toDouble(length), static_cast<double>(lengthAlong<T>(graph, path)));
  ASSERT_TRUE(
      agree(toDouble(length), static_cast<double>(right), tolerance(graph.n, kDtype<T>, 2)));
}

template <class T>
void expectRight(const ProblemGraph& problem, bool climbs, Paths paths,
                 const EliminationOrder* order = nullptr) {
  const Graph& graph = problem.onHost();
  const Matrix all = byPlainLoop(problem);
  Pairs alone(graph, order), pairs(graph, order, true);
  ASSERT_EQ(climbs, alone.climbs()) << graph.n;
  ASSERT_EQ(climbs, pairs.climbs()) << graph.n;
  ASSERT_FALSE(alone.climbsPaths());
  ASSERT_EQ(paths == Paths::kClimbed, pairs.climbsPaths());
  for (int from = 0; from < graph.n; from += 1 + graph.n / 25)
    for (int to = 0; to < graph.n; to += 1 + graph.n / 40) {
      const T right = all.row<T>(from)[to];
      const bool none = right == kInfinity<T>;
      for (Pairs* const asked : {&alone, &pairs}) {
        const Number found = asked->distance(from, to);
        ASSERT_EQ(none, found == infinityOf(dtypeOf(found)));
        if (!none) {
          ASSERT_TRUE(
              agree(toDouble(found), static_cast<double>(right), tolerance(graph.n, kDtype<T>, 2)));
        }
        ASSERT_NO_FATAL_FAILURE(expectPath<T>(graph, *asked, from, to, right));
      }
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
    expectRight<std::int32_t>(grid<std::int32_t>(22, heaviest, 1), true, Paths::kClimbed);
    expectRight<double>(grid<double>(22, heaviest, 2), true, Paths::kClimbed);
    expectRight<std::int64_t>(grid<std::int64_t>(22, heaviest, 3), true, Paths::kClimbed);
    expectRight<float>(grid<float>(22, heaviest, 4), true, Paths::kClimbed);
  }
}

TEST(Pairs, AreSearchedForWithoutSeparators) {
  std::mt19937 random(5);
  Edges<std::int32_t> edges;
  for (int e = 0; e < 8000; ++e)
    edges.push_back({static_cast<int>(random() % 800), static_cast<int>(random() % 800),
                     static_cast<std::int32_t>(random() % 100)});
  expectRight<std::int32_t>(ProblemGraph(fromEdges(800, std::move(edges))), false,
                            Paths::kSearched);
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
  // The order is a bad one: without a core, nearly all vertices would have arcs to all others.
  expectRight<std::int32_t>(graph, true, Paths::kSearched, &order);
  expectRight<std::int32_t>(graph, false, Paths::kSearched);  // no order is looked for
}

/// From 0 up to 3 and down to 2 along edges of weight 0, both through 1, which is the lowest.
TEST(Pairs, HavePathsWithoutWaysOfNoLength) {
  const ProblemGraph graph(
      fromEdges(4, Edges<std::int32_t>{{0, 1, 0}, {1, 2, 0}, {1, 3, 0}, {3, 1, 0}}));
  const EliminationOrder order = {1, 0, 2, 3};
  Pairs pairs(graph.onHost(), &order, true);
  ASSERT_TRUE(pairs.climbsPaths());
  Number length;
  EXPECT_EQ((std::vector<int>{0, 1, 2}), pairs.path(0, 2, length));
  EXPECT_EQ(Number(std::int32_t{0}), length);
  EXPECT_EQ((std::vector<int>{0, 1, 3}), pairs.path(0, 3, length)) << "what was left out is new";
}

TEST(Pairs, OfInt32AreNeverTooFar) {
  Edges<std::int32_t> edges;
  for (int v = 0; v < 3000; ++v) edges.push_back({v, v + 1, 1 << 29});
  const ProblemGraph graph(fromEdges(3001, std::move(edges)));
  Pairs pairs(graph.onHost());
  EXPECT_EQ(3000.0 * (1 << 29), toDouble(pairs.distance(0, 3000)));
  const Number none = pairs.distance(3000, 0);
  EXPECT_EQ(infinityOf(dtypeOf(none)), none);
  Number length;
  EXPECT_EQ(3001u, Pairs(graph.onHost(), nullptr, true).path(0, 3000, length).size());
  EXPECT_EQ(3000.0 * (1 << 29), toDouble(length));
}

/// The distance of two vertices is beyond the type: climbs do not notice, so searches find paths.
TEST(Pairs, HaveNoPathThatIsTooFar) {
  Edges<float> edges;
  for (int v = 0; v < 20; ++v) edges.push_back({v, v + 1, 3e37F});
  const ProblemGraph graph(fromEdges(21, std::move(edges)));
  Pairs pairs(graph.onHost(), nullptr, true);
  EXPECT_FALSE(pairs.climbsPaths());
  Number length;
  EXPECT_EQ(6u, pairs.path(0, 5, length).size());
  EXPECT_THROW(pairs.path(0, 20, length), RangeError);
}

}  // namespace
