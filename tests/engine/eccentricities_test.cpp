// Eccentricities from rows of distances, of which a few are held at a time, against the plain loop.
#include "search/eccentricities.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "devices.h"
#include "solver/solver.h"

namespace {

using Eccentricity = std::pair<double, int>;  // and to whom

template <class T>
Eccentricity rightOf(const Matrix& all, int vertex) {
  const T* const row = all.row<T>(vertex);
  Eccentricity right = {0, -1};
  for (int j = 0; j < all.n(); ++j) {
    if (j == vertex || row[j] == kInfinity<T>) continue;
    const double distance = static_cast<double>(row[j]);
    if (right.second < 0 || distance > right.first) right = {distance, j};
  }
  return right;
}

Execution by(Method method) {
  Execution where{cpuDevice};
  where.options.method = method;
  return where;
}

/// What is found of all vertices but those that are closed, until so many are known.
std::map<int, Eccentricity> found(const ProblemGraph& graph, int together, Method method,
                                  const std::vector<char>& closed, int& solved,
                                  std::size_t most = SIZE_MAX) {
  std::map<int, Eccentricity> all;
  std::vector<int> vertices(closed.size());
  std::iota(vertices.begin(), vertices.end(), 0);
  const auto isOpen = [&](int v) {
    return closed[asSize(v)] == 0 && all.count(v) == 0 && all.size() < most;
  };
  const auto take = [&](int v, const Number& eccentricity, int far) {
    all[v] = {toDouble(eccentricity), far};
  };
  solved = eccentricitiesOf(graph, vertices, together, by(method),
                            findSolver("apsp", DeviceKind::kCpu), {isOpen, take});
  return all;
}

class Eccentricities : public testing::Test {
 protected:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }

  /// Sparse enough that some vertices reach few others, and some none. The weights are from
  /// `lightest` to `heaviest`.
  template <class T>
  ProblemGraph graphOf(int n, int lightest, int heaviest) {
    Edges<T> list;
    for (int e = 0; e < 2 * n; ++e)
      list.push_back(
          {below(n), below(n), static_cast<T>(lightest + below(heaviest - lightest + 1))});
    return ProblemGraph(fromEdges(n, std::move(list)));
  }

  template <class T>
  void expectRight(const ProblemGraph& graph, Method method) {
    const Matrix all = byPlainLoop(graph);
    for (const int together : {50, 128, 1000}) {
      int solved = 0;
      const auto got = found(graph, together, method, std::vector<char>(asSize(graph.n())), solved);
      ASSERT_EQ(graph.n(), solved);
      ASSERT_EQ(asSize(graph.n()), got.size());
      for (const auto& [vertex, eccentricity] : got)
        ASSERT_EQ(rightOf<T>(all, vertex), eccentricity)
            << nameOf(method) << ", " << together << " together, vertex " << vertex;
    }
  }

  std::mt19937 random_{5};
};

TEST_F(Eccentricities, AreThoseOfAllDistances) {
  for (const int n : {1, 40, 300}) {
    for (const Method method : {Method::kAuto, Method::kSparse}) {
      expectRight<std::int32_t>(graphOf<std::int32_t>(n, 0, 9), method);
      expectRight<std::int64_t>(graphOf<std::int64_t>(n, 1, 1000), method);
      expectRight<double>(graphOf<double>(n, 0, 3), method);
    }
  }
}

TEST_F(Eccentricities, AreFoundByLevelsIfAllWeightsAreEqual) {
  for (const int weight : {0, 1, 7}) {
    expectRight<std::int32_t>(graphOf<std::int32_t>(300, weight, weight), Method::kBfs);
    expectRight<std::int64_t>(graphOf<std::int64_t>(200, weight, weight), Method::kBfs);
    expectRight<double>(graphOf<double>(100, weight, weight), Method::kBfs);
  }
}

TEST_F(Eccentricities, OfClosedVerticesAreNotSolved) {
  const ProblemGraph graph = graphOf<std::int32_t>(200, 1, 1);
  const Matrix all = byPlainLoop(graph);
  std::vector<char> closed(200, 1);
  for (int v = 0; v < 200; v += 3) closed[asSize(v)] = 0;
  for (const Method method : {Method::kBfs, Method::kSparse}) {
    int solved = 0;
    const auto got = found(graph, 1, method, closed, solved);
    EXPECT_EQ(67, solved) << nameOf(method);
    for (int v = 0; v < 200; v += 3) EXPECT_EQ(rightOf<std::int32_t>(all, v), got.at(v));
  }
}

TEST_F(Eccentricities, MayCloseOthers) {
  const ProblemGraph graph = graphOf<std::int32_t>(200, 1, 1);
  int solved = 0;
  EXPECT_EQ(5U, found(graph, 1, Method::kBfs, std::vector<char>(200), solved, 5).size());
  EXPECT_EQ(5, solved) << "the others are of no interest any more";
}

TEST_F(Eccentricities, RowsThatASinkTakesAreNotKept) {
  const ProblemGraph graph = graphOf<std::int32_t>(300, 1, 1);
  Selection asked;
  for (int v = 0; v < 300; v += 2) asked.sources.push_back(v);
  for (const Method method : {Method::kBfs, Method::kSparse}) {
    int rows = 0;
    Execution where = by(method);
    where.keepsPlan = where.streams = true;
    where.sink = [&](int first, int count, ConstElements) {
      EXPECT_EQ(rows, first);
      rows += count;
    };
    const Plan plan = findSolver("apsp", DeviceKind::kCpu).plan({graph, &asked}, where);
    EXPECT_EQ(Destination::kStreamed, plan.place);
    const auto run = beginAsked(plan, {graph, &asked});
    run->reset();
    run->solve();
    EXPECT_EQ(150, rows) << nameOf(method);
  }
}

TEST_F(Eccentricities, HoldFewRows) {
  EXPECT_EQ(1072, rowsTogether(62586, Dtype::kInt32));
  EXPECT_EQ(64, rowsTogether(10000000, Dtype::kFloat64));
  EXPECT_EQ(8192, rowsTogether(0, Dtype::kInt32));
}

}  // namespace
