// Compares relaxation along all edges with the plain loop, and tests when it is chosen.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/size.h"
#include "base/structure.h"
#include "base/tolerance.h"
#include "devices.h"
#include "seed.h"
#include "solver/solver.h"
#include "sparse/relaxation.h"
#include "threads.h"
#include "verify/verify.h"

namespace {

using sparse::EdgeRelaxation;

std::vector<int> allOf(int n) {
  std::vector<int> vertices(asSize(n));
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

struct Kind {
  const char* name;
  bool ascends;  // edges lead to higher numbers only
  int degree;
};

/// Weights of type T that stand for whole numbers from 0 on: those of int64 need more than 32 bits,
/// and those of reals are fractions.
template <class T>
T weightFrom(int number) {
  if constexpr (std::is_same_v<T, std::int32_t>) return number;
  if constexpr (std::is_same_v<T, float>) return static_cast<T>(number) / 8;
  if constexpr (std::is_same_v<T, std::int64_t>)
    return number == 0 ? 0 : (std::int64_t{1} << 40) + number;
  return static_cast<T>(number) / 10;
}

/// weight: makes a weight of a number up to `heaviest`.
template <class T>
Graph randomGraph(const Kind& kind, int n, int heaviest, std::mt19937& random,
                  T (*weight)(int) = weightFrom<T>) {
  Edges<T> edges;
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
  };
  for (int e = 0; e < kind.degree * n; ++e) {
    int from = below(n), to = below(n);
    if (kind.ascends && from > to) std::swap(from, to);
    edges.push_back({from, to, weight(below(heaviest + 1))});
  }
  return fromEdges(n, std::move(edges));
}

ProblemGraph copyOf(const Graph& graph) {
  return withEdges(graph,
                   [&](const auto& edges) { return ProblemGraph(fromEdges(graph.n, edges)); });
}

/// Elements of some rows that are not those of all distances.
int wrongIn(const Matrix& all, int first, int count, ConstElements rows) {
  const double allowed = tolerance(all.n(), all.dtype(), 2);
  return withElements(rows, [&](const auto* got) {
    const auto* const right = all.row<NumberAt<decltype(got)>>(first);
    int wrong = 0;
    for (int i = 0; i < count * all.n(); ++i) wrong += !agree(got[i], right[i], allowed);
    return wrong;
  });
}

/// Solved with what was expected, and without.
template <class T>
void expectRight(const Graph& graph, const std::vector<int>& sources,
                 const std::vector<int>& targets, const std::string& what) {
  const double allowed = tolerance(graph.n, kDtype<T>, 2);
  const Matrix all = byPlainLoop(copyOf(graph));
  for (const bool looks : {false, true}) {
    EdgeRelaxation relaxation(graph, sources, targets);
    ASSERT_TRUE(!looks || relaxation.expect(1e9)) << what;
    std::vector<T> rows(sources.size() * targets.size() + 1, T(-7));
    ASSERT_TRUE(relaxation.solve(rows.data())) << what;
    EXPECT_EQ(T(-7), rows.back()) << what;
    int wrong = 0;
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (std::size_t j = 0; j < targets.size(); ++j)
        wrong += !agree(rows[i * targets.size() + j], all.row<T>(sources[i])[targets[j]], allowed);
    EXPECT_EQ(0, wrong) << what << (looks ? ", with samples" : "");
    if (kDtype<T> != Dtype::kInt32) {
      EXPECT_EQ(tierOf(kDtype<T>), relaxation.tier()) << what;
    }
  }
}

TEST(EdgeRelaxation, FindsWhatThePlainLoopFinds) {
  const std::uint32_t seed = testSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const Kind& kind :
       {Kind{"sparse", false, 1}, {"without cycles", true, 4}, {"dense", false, 9}})
    for (const int n : {1, 2, 31, 32, 33, 64, 127, 128, 129, 300})
      for (const int heaviest : {0, 1, 1000, 40000})
        for (const Dtype dtype : kDtypes)
          withType(dtype, [&](auto zero) {
            using T = decltype(zero);
            const Graph graph = randomGraph<T>(kind, n, heaviest, random);
            const std::string what = std::string(kind.name) + ", n = " + std::to_string(n) +
                                     ", up to " + std::to_string(heaviest) + ", " + nameOf(dtype);
            expectRight<T>(graph, allOf(n), allOf(n), what);
            std::vector<int> some;
            for (int i = 0; i < 40; ++i)
              some.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(n)));
            expectRight<T>(graph, some, {n - 1, 0, n / 2}, what + ", a table");
          });
}

/// Very large doubles, and those that are so small that they have fewer digits.
TEST(EdgeRelaxation, TakesDoublesOfAllMagnitudes) {
  std::mt19937 random(8);
  double (*const kWeights[])(int) = {[](int number) { return number * 1e300; },
                                     [](int number) { return number * 0x1p-1074; },
                                     [](int number) { return number % 2 == 0 ? 1e-310 : 1e300; }};
  for (const auto weight : kWeights)
    for (const int n : {33, 200}) {
      const Graph graph = randomGraph<double>({"some", false, 3}, n, 1000, random, weight);
      expectRight<double>(graph, allOf(n), allOf(n), "n = " + std::to_string(n));
    }
}

/// A ring, whose distances end around the largest one that 16 bits hold, 2¹⁵ − 2.
TEST(EdgeRelaxation, KnowsWhatSixteenBitsHold) {
  constexpr int n = 200;
  for (const int last :
       {1, 2, 100, 12'000, 12'700, 12'767, 12'768, 12'769, 12'800, 13'000, 20'000}) {
    Edges<std::int32_t> edges;
    for (int u = 0; u < n; ++u) edges.push_back({u, (u + 1) % n, u == n - 2 ? last : 100});
    const Graph graph = fromEdges(n, std::move(edges));
    expectRight<std::int32_t>(graph, allOf(n), allOf(n), "last " + std::to_string(last));
    EdgeRelaxation relaxation(graph, allOf(n), allOf(n));
    ASSERT_TRUE(relaxation.expect(1e9));
    const int farthest = 100 * (n - 2) + last;
    const bool fits = farthest + std::max(100, last) < 32767;
    EXPECT_EQ(fits ? Tier::kUint16 : Tier::kInt32, relaxation.tier()) << last;
    EdgeRelaxation wide(graph, allOf(n), allOf(n), false);
    ASSERT_TRUE(wide.expect(1e9));
    EXPECT_EQ(Tier::kInt32, wide.tier()) << last;
  }
}

/// Samples see none of the sources from which some vertex is too far for 16 bits.
TEST(EdgeRelaxation, SolvesABlockOnceMoreIfItIsTooFar) {
  constexpr int n = 128 * 12;
  Edges<std::int32_t> edges;
  for (int u = 0; u + 1 < n; ++u) edges.push_back({u, u + 1, u < 3 ? 20000 : 1});
  const Graph graph = fromEdges(n, std::move(edges));
  EdgeRelaxation relaxation(graph, allOf(n), allOf(n));
  ASSERT_TRUE(relaxation.expect(1e9));
  ASSERT_EQ(Tier::kUint16, relaxation.tier());
  expectRight<std::int32_t>(graph, allOf(n), allOf(n), "a path");
}

TEST(EdgeRelaxation, ExpectsNothingIfItMayTakeNoTime) {
  std::mt19937 random(3);
  const Graph graph = randomGraph<std::int32_t>({"sparse", false, 5}, 2000, 1000, random);
  EdgeRelaxation relaxation(graph, allOf(2000), allOf(2000));
  EXPECT_FALSE(relaxation.expect(1e-6));
}

TEST(Structure, EdgesLeadToComponentsWithLowerNumbers) {
  std::mt19937 random(4);
  const Graph graph = randomGraph<std::int32_t>({"sparse", false, 1}, 500, 9, random);
  const std::vector<int> component = strongComponentsOf(graph.n, graph.ends());
  for (const Ends edge : graph.ends())
    EXPECT_GE(component[asSize(edge.from)], component[asSize(edge.to)]);
  const Components found = strongComponents(graph);
  EXPECT_EQ(found.count, 1 + *std::max_element(component.begin(), component.end()));
}

/// What auto takes for a graph without cycles, also if its vertices are renumbered.
TEST(EdgeRelaxation, IsChosenForGraphsWithoutCycles) {
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      std::mt19937 random(5);
      const ProblemGraph graph(randomGraph<decltype(zero)>({"", true, 5}, 2000, 1000, random));
      for (const int first : {0, 1, 700}) {
        Execution where{cpuDevice};
        where.renumbers = true;
        if (sizeOf(dtype) == 8) where.options.precision = Precision::k64;
        const auto run = findSolver("apsp", DeviceKind::kCpu).prepare({graph}, where);
        run->reset(first);
        const Outcome outcome = run->solve().outcome;
        EXPECT_EQ(Method::kFiltered, outcome.method) << nameOf(dtype);
        EXPECT_GT(6, outcome.filtering.kept);
        EXPECT_TRUE(verifyByDijkstra(graph.onHost(), run->distances(), 200).passed())
            << first << " " << nameOf(dtype);
      }
    });
}

/// 32 bits may be asked for, to measure them. Which method is chosen depends on times.
TEST(EdgeRelaxation, TakesNo16BitsIf32AreAskedFor) {
  std::mt19937 random(7);
  const ProblemGraph graph(randomGraph<std::int32_t>({"", true, 5}, 2000, 10, random));
  Execution where{cpuDevice};
  where.options.precision = Precision::k32;
  const auto run = findSolver("apsp", DeviceKind::kCpu).prepare({graph}, where);
  run->reset();
  EXPECT_EQ(Tier::kInt32, run->solve().outcome.tier);
  EXPECT_TRUE(verifyByDijkstra(graph.onHost(), run->distances(), 200).passed());
}

/// A kept plan serves other weights, whose distances may be too far for 16 bits.
TEST(EdgeRelaxation, APlanServesOtherWeights) {
  std::mt19937 random(6);
  const Graph light = randomGraph<std::int32_t>({"", true, 5}, 2000, 10, random);
  auto edges = light.edges<std::int32_t>();
  for (auto& edge : edges) edge.weight *= 3000;
  const ProblemGraph one = copyOf(light), other(fromEdges(2000, std::move(edges)));
  Execution where{cpuDevice};
  where.keepsPlan = true;
  const Plan plan = findSolver("apsp", DeviceKind::kCpu).plan({one}, where);
  EXPECT_EQ(Method::kFiltered, plan.method);
  EXPECT_GT(plan.expected, 0);
  for (const ProblemGraph* graph : {&one, &other}) {
    const auto run = plan.begin({*graph});
    run->reset();
    run->solve();
    const Matrix all = byPlainLoop(*graph);
    int wrong = 0;
    run->distances().rows(0, 2000, [&](int begin, int count, ConstElements rows) {
      wrong += wrongIn(all, begin, count, rows);
    });
    EXPECT_EQ(0, wrong);
  }
}

/// On this device, auto finds this table by relaxing. A kept plan also solves other weights.
template <class T>
void expectRelaxed(const Device& device, const Selection& asked, Destination place) {
  std::mt19937 random(7);
  constexpr int kVertices = 1000;
  for (const Kind& kind : {Kind{"without cycles", true, 5}, Kind{"random", false, 4}}) {
    const Graph light = randomGraph<T>(kind, kVertices, 20, random);
    auto edges = light.template edges<T>();
    for (auto& edge : edges) edge.weight *= static_cast<T>(3000);
    const ProblemGraph one = copyOf(light), other(fromEdges(kVertices, std::move(edges)));
    const Matrix ofOne = byPlainLoop(one), ofOther = byPlainLoop(other);
    for (const bool keeps : {false, true}) {
      Execution where{device};
      where.keepsPlan = keeps;
      where.options.precision = sizeof(T) == 8 ? Precision::k64 : Precision::kAuto;
      const Plan plan = findSolver("apsp", DeviceKind::kCpu).plan({one, &asked}, where);
      EXPECT_EQ(place, plan.place) << kind.name;
      for (const ProblemGraph* graph : {&one, &other}) {
        const auto run = plan.begin({*graph, &asked});
        run->reset();
        EXPECT_EQ(Method::kFiltered, run->solve().outcome.method) << kind.name;
        const Matrix& all = graph == &one ? ofOne : ofOther;
        int wrong = 0;
        run->distances().rows(0, asked.rows(kVertices), [&](int begin, int n, ConstElements rows) {
          for (int i = 0; i < n; ++i)
            wrong += wrongIn(all, asked.source(begin + i), 1, rows + asSize(i) * kVertices);
        });
        EXPECT_EQ(0, wrong) << kind.name << " " << nameOf(kDtype<T>);
      }
    }
  }
}

/// For many sources, relaxing is faster than one search from each source. It is chosen with room
/// for the matrix, and without.
TEST(EdgeRelaxation, IsChosenForManySources) {
  const Threads two(2);
  Selection few, many;
  for (int i = 0; i < 60; ++i) few.sources.push_back((i * 7) % 1000);
  for (int i = 0; i < 100; ++i) many.sources.push_back((i * 13 + 5) % 1000);
  const SmallDevice tight(std::size_t{3} << 20);
  for (const Selection* asked : {&few, &many}) {
    expectRelaxed<std::int32_t>(cpuDevice, *asked, Destination::kEither);
    expectRelaxed<std::int32_t>(tight, *asked, Destination::kRows);
    expectRelaxed<float>(tight, *asked, Destination::kRows);
  }
  expectRelaxed<double>(tight, few, Destination::kRows);
}

/// The samples of a table may tell too little: most sources see a few vertices, and some see all.
/// Without a matrix, it is relaxed nevertheless.
TEST(EdgeRelaxation, ATableThatTakesLongerThanItsSamplesIsSolved) {
  const Threads two(2);
  constexpr int kVertices = 2000, kStrong = 900, kDegree = 15, kNear = 64;
  std::mt19937 random(8);
  const auto below = [&](int most) { return static_cast<int>(random() % asSize(most)); };
  Edges<std::int32_t> edges;
  for (int v = 0; v + 1 < kVertices; ++v)
    for (int e = 0; e < kDegree; ++e)
      edges.push_back({v, v < kStrong && e > 0 ? below(kStrong) : v + 1 + below(kVertices - v - 1),
                       below(1000)});
  const ProblemGraph graph(fromEdges(kVertices, std::move(edges)));
  Selection asked;
  for (int i = 0; i < 1024; ++i)
    asked.sources.push_back(i < kNear ? i : kVertices - 1 - below(kNear));
  for (int j = 0; j < 40; ++j) asked.targets.push_back(kVertices - 1 - 7 * j);
  const SmallDevice tight(std::size_t{9} << 20);
  const Matrix all = byPlainLoop(graph);
  for (const bool keeps : {false, true}) {
    Execution where{tight};
    where.keepsPlan = keeps;
    const Problem problem = {graph, &asked};
    const Plan plan = findSolver("apsp", DeviceKind::kCpu).plan(problem, where);
    ASSERT_EQ(Destination::kRows, plan.place);
    ASSERT_EQ(Method::kFiltered, plan.method);
    const auto run = plan.begin(problem);
    run->reset();
    EXPECT_EQ(Method::kFiltered, run->solve().outcome.method);
    int wrong = 0;
    run->distances().rows(0, asked.rows(kVertices), [&](int begin, int n, ConstElements rows) {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < asked.columns(kVertices); ++j)
          wrong += rows.as<int>()[i * asked.columns(kVertices) + j] !=
                   all.row<int>(asked.source(begin + i))[asked.target(j)];
    });
    EXPECT_EQ(0, wrong) << keeps;
  }
}

}  // namespace
