// 64-bit weights that are solved in int32: when that is proved exact, and that it is.
#include "solver/narrowing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/error.h"
#include "seed.h"
#include "solver/solver.h"

using namespace engine;

namespace {

template <class T>
ProblemGraph graphOf(int n, Edges<T> edges) {
  return ProblemGraph(fromEdges(n, std::move(edges)));
}

/// A path 0 → 1 → … with these weights.
template <class T>
ProblemGraph pathOf(const std::vector<T>& weights) {
  Edges<T> edges;
  for (std::size_t i = 0; i < weights.size(); ++i)
    edges.push_back({static_cast<int>(i), static_cast<int>(i) + 1, weights[i]});
  return graphOf(static_cast<int>(weights.size()) + 1, std::move(edges));
}

template <class T>
ProblemGraph matrixOf(int n, const std::vector<T>& elements) {
  Graph graph;
  graph.n = n;
  Matrix matrix(n, kDtype<T>);
  std::copy(elements.begin(), elements.end(), matrix.row<T>(0));
  graph.body = std::move(matrix);
  return ProblemGraph(std::move(graph));
}

template <class T>
bool isNarrow(const std::vector<T>& weights) {
  return narrowed(pathOf(weights)).has_value();
}

TEST(Narrowing, OnlyIntegersTimesAPowerOfTwo) {
  EXPECT_TRUE(isNarrow<double>({1, 2, 3}));
  EXPECT_TRUE(isNarrow<double>({0.5, 0.25, 1024}));
  EXPECT_FALSE(isNarrow<double>({0.1, 0.2}));
  EXPECT_FALSE(isNarrow<double>({0x1p-1 + 0x1p-53}));
  EXPECT_FALSE(isNarrow<double>({1, 0x1p-40}));
  EXPECT_TRUE(isNarrow<double>({0x1p-40, 0x3p-40}));
  EXPECT_TRUE(isNarrow<double>({0x1p1000, 0x3p1000}));
  EXPECT_TRUE(isNarrow<double>({5e-324, 1e-323, 2e-323}));  // 1, 2 and 4 times 2^−1074
  EXPECT_TRUE(isNarrow<double>({0, 0}));
  EXPECT_TRUE(isNarrow<double>({}));
  EXPECT_TRUE(isNarrow<std::int64_t>({std::int64_t{1} << 40, std::int64_t{3} << 40}));
  EXPECT_FALSE(isNarrow<std::int64_t>({(std::int64_t{1} << 40) + 1, 1}));
}

TEST(Narrowing, OnlyIfNoDistanceReachesInfinity) {
  constexpr std::int64_t kMost = kInf - 1;
  EXPECT_TRUE(isNarrow<std::int64_t>({kMost}));
  EXPECT_TRUE(isNarrow<std::int64_t>({kMost - 1, 1}));
  EXPECT_FALSE(isNarrow<std::int64_t>({kMost, 1}));
  EXPECT_FALSE(isNarrow<std::int64_t>({std::int64_t{kInf}}));
  EXPECT_FALSE(narrowed(matrixOf<std::int64_t>(2, {0, kInf, kInfinity<std::int64_t>, 0})));
  EXPECT_FALSE(isNarrow<double>({double{kMost}, 1}));
  EXPECT_FALSE(isNarrow<double>({std::ldexp(kMost, -7), 0x1p-7}));
  for (const std::int64_t sum : {(std::int64_t{1} << 31) - 1, std::int64_t{1} << 31})
    EXPECT_FALSE(isNarrow<std::int64_t>({sum / 2 - 1, sum - sum / 2 + 1}));
  // The weights are small multiples of 2^e, but a distance is above what the type holds.
  EXPECT_FALSE(isNarrow<double>({0x1p1023, 0x1p1023}));
  EXPECT_FALSE(isNarrow<std::int64_t>({std::int64_t{1} << 61, std::int64_t{1} << 61}));
}

TEST(Narrowing, WeightsBelowZeroNeedThreeTimesTheRoom) {
  constexpr std::int64_t kThird = (kInf - 1) / 3;
  EXPECT_TRUE(isNarrow<std::int64_t>({-kThird}));
  EXPECT_FALSE(isNarrow<std::int64_t>({-kThird - 1}));
  EXPECT_TRUE(isNarrow<double>({-0.5, 0.25}));
}

TEST(Narrowing, AHubBoundsWhereSumsAreTooLarge) {
  // Each vertex has a heavy edge, but all are near vertex 0.
  constexpr std::int64_t kHeavy = 1000000000;
  constexpr int kN = 10;
  Edges<std::int64_t> edges;
  std::vector<std::int64_t> matrix(kN * kN, kHeavy);
  for (int v = 0; v < kN; ++v) matrix[static_cast<std::size_t>(v * kN + v)] = 0;
  for (int v = 1; v < kN; ++v) {
    edges.push_back({0, v, 1});
    edges.push_back({v, 0, 1});
    edges.push_back({v, v % (kN - 1) + 1, kHeavy});
    matrix[static_cast<std::size_t>(v)] = matrix[static_cast<std::size_t>(v * kN)] = 1;
  }
  EXPECT_TRUE(narrowed(graphOf(kN, edges)));
  EXPECT_TRUE(narrowed(matrixOf(kN, matrix)));
  edges.erase(std::remove_if(edges.begin(), edges.end(), [](const auto& e) { return e.to == 0; }),
              edges.end());
  EXPECT_FALSE(narrowed(graphOf(kN, edges)));  // nobody reaches vertex 0
  for (int v = 1; v < kN; ++v) matrix[static_cast<std::size_t>(v * kN)] = kInfinity<std::int64_t>;
  EXPECT_FALSE(narrowed(matrixOf(kN, matrix)));
}

TEST(Narrowing, OutsideTheLargestComponentSumsCount) {
  // A ring of 4 vertices, a heavy edge between two of them, a path into the ring and one out of it.
  const auto graphWith = [](std::int64_t in, std::int64_t leave, std::int64_t out) {
    Edges<std::int64_t> edges = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 0, 1}};
    for (int v = 0; v < 4; ++v) edges.push_back({v, (v + 2) % 4, kInf - 1});
    edges.push_back({4, 5, in});
    edges.push_back({5, 0, in});
    edges.push_back({2, 6, leave});
    edges.push_back({6, 7, out});
    return graphOf(8, std::move(edges));
  };
  EXPECT_TRUE(narrowed(graphWith(1, 1, 1)));
  // 6 is what the ring adds to the bound.
  constexpr std::int64_t kRoom = kInf - 1 - 6;
  EXPECT_TRUE(narrowed(graphWith(100, 200, kRoom - 400)));
  EXPECT_FALSE(narrowed(graphWith(100, 200, kRoom - 399)));
  EXPECT_FALSE(narrowed(graphWith(101, 200, kRoom - 400)));
  EXPECT_FALSE(narrowed(graphWith(100, 201, kRoom - 400)));
}

/// All distances by the plain loop, (n, n).
template <class T>
std::vector<T> plainly(const ProblemGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.n());
  std::vector<T> d(n * n);
  graph.rows(0, graph.n(), d.data());
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (d[i * n + k] == kInfinity<T> || d[k * n + j] == kInfinity<T>) continue;
        d[i * n + j] = std::min<T>(d[i * n + j], d[i * n + k] + d[k * n + j]);
      }
  return d;
}

struct Solved {
  Outcome outcome;
  Matrix distances;
};

Solved solved(const ProblemGraph& graph, Method method, Precision precision) {
  Execution where{cpuDevice};
  where.options.method = method;
  where.options.precision = precision;
  const auto run = findSolver("apsp", DeviceKind::kCpu).prepare({graph}, where);
  run->reset();
  Solved found{run->solve().outcome, {}};
  found.distances = toMatrix(run->distances());
  return found;
}

template <class T>
void expectSame(const ProblemGraph& graph, Method method, bool narrow) {
  const std::vector<T> right = plainly<T>(graph);
  for (const Precision precision : {Precision::kAuto, Precision::k64}) {
    const Solved found = solved(graph, method, precision);
    const bool narrows = narrow && precision == Precision::kAuto;
    EXPECT_EQ(found.outcome.narrowing.used, narrows);
    const Tier tier = found.outcome.tier;
    EXPECT_TRUE(narrows ? tier == Tier::kInt32 || tier == Tier::kUint16
                        : tier == tierOf(kDtype<T>));
    ASSERT_EQ(found.distances.dtype(), kDtype<T>);
    for (std::size_t i = 0; i < right.size(); ++i)
      ASSERT_EQ(found.distances.row<T>(0)[i], right[i]) << "n " << graph.n() << " element " << i;
  }
}

/// A random graph with integer weights below `range` times 2^exponent; as a matrix or as edges.
template <class T>
ProblemGraph randomGraph(std::mt19937& random, int n, int degree, int range, int exponent,
                         bool dense) {
  Edges<T> edges;
  for (int from = 0; from < n; ++from)
    for (int k = 0; k < degree; ++k) {
      const double whole = static_cast<double>(random() % static_cast<unsigned>(range));
      edges.push_back({from, static_cast<int>(random() % static_cast<unsigned>(n)),
                       static_cast<T>(std::ldexp(whole, exponent))});
    }
  Graph graph = fromEdges(n, std::move(edges));
  if (!dense) return ProblemGraph(std::move(graph));
  Graph other;
  other.n = n;
  other.body = toMatrix(std::move(graph));
  return ProblemGraph(std::move(other));
}

TEST(Narrowing, IsBitForBitWhat64BitsGive) {
  std::mt19937 random(testSeed());
  for (const int n : {1, 2, 3, 17, 64, 65, 130})
    for (const Method method : {Method::kAuto, Method::kDense, Method::kFiltered, Method::kSparse})
      for (const bool dense : {false, true})
        for (const int degree : {1, 4, n}) {
          expectSame<std::int64_t>(randomGraph<std::int64_t>(random, n, degree, 1000, 0, dense),
                                   method, true);
          expectSame<std::int64_t>(randomGraph<std::int64_t>(random, n, degree, 1000, 20, dense),
                                   method, true);
          expectSame<double>(randomGraph<double>(random, n, degree, 1000, -9, dense), method, true);
          expectSame<double>(randomGraph<double>(random, n, degree, 100, -1074, dense), method,
                             true);
          expectSame<double>(randomGraph<double>(random, n, degree, 100, 1000, dense), method,
                             true);
        }
}

TEST(Narrowing, OtherWeightsOfAPlanMayNeed64Bits) {
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  Execution where{cpuDevice};
  where.keepsPlan = true;
  const ProblemGraph narrow = pathOf<double>({1, 2, 3}), wide = pathOf<double>({0.1, 0.2, 0.3});
  for (const ProblemGraph* planned : {&narrow, &wide}) {
    const Plan plan = solver.plan({*planned}, where);
    for (const ProblemGraph* given : {&narrow, &wide, &narrow}) {
      const auto run = plan.begin({*given});
      run->reset();
      EXPECT_EQ(run->solve().outcome.narrowing.used, given == &narrow);
      const Matrix found = toMatrix(run->distances());
      EXPECT_EQ(found.row<double>(0)[3], given == &narrow ? 6 : 0.1 + 0.2 + 0.3);
    }
  }
}

TEST(Narrowing, TablesAndSummaries) {
  const ProblemGraph graph = pathOf<double>({0.5, 0.25, 8});
  const Selection asked{{2, 0}, {3, 1, 0}};
  const auto run = prepareAsked(findSolver("apsp", DeviceKind::kCpu), {graph, &asked}, {cpuDevice});
  run->reset();
  EXPECT_TRUE(run->solve().outcome.narrowing.used);
  std::vector<double> found;
  run->distances().rows(0, 2, [&](int, int count, ConstElements rows) {
    found.insert(found.end(), rows.as<double>(), rows.as<double>() + count * 3);
  });
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(found, (std::vector<double>{8, none, none, 8.75, 0.5, 0}));
}

TEST(Narrowing, FewerBitsAreRefusedIfTheyAreTooFew) {
  Solver one = findSolver("apsp", DeviceKind::kCpu);
  one.can.options = true;  // as the GPU's solver, which obeys --precision 16
  const Solver solver = orNarrowed(one);
  const ProblemGraph wide = pathOf<double>({0.1, 0.2}), narrow = pathOf<double>({0.5, 0.25});
  for (const Precision precision : {Precision::k16, Precision::k32}) {
    Execution where{cpuDevice};
    where.options.precision = precision;
    EXPECT_THROW(solver.plan({wide}, where), Error);
    EXPECT_NO_THROW(solver.plan({narrow}, where));
  }
}

}  // namespace
