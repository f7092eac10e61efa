// Tables of few sources by searches: against the plain loop, and when they are chosen.
#include "search/search.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/dtype.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/tolerance.h"
#include "devices.h"
#include "files.h"
#include "generate/families.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "seed.h"
#include "solver/solver.h"
#include "threads.h"

namespace {

/// Elements of a table that differ from those of all distances. allowed: of reals, relative.
int wrongIn(const Distances& table, const Selection& asked, const Matrix& all, double allowed) {
  int wrong = 0;
  table.rows(0, table.rowCount(), [&](int first, int count, ConstElements rows) {
    withElements(rows, [&](const auto* got) {
      for (int i = 0; i < count; ++i) {
        const auto* const right = all.row<NumberAt<decltype(got)>>(asked.source(first + i));
        for (int j = 0; j < table.columns(); ++j)
          wrong += !agree(got[i * table.columns() + j], right[asked.target(j)], allowed);
      }
    });
  });
  return wrong;
}

/// weight: of a number up to `heaviest`.
template <class T>
ProblemGraph randomGraph(int n, int edges, std::uint32_t seed, int heaviest, T (*weight)(int)) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
  };
  Edges<T> list;
  for (int e = 0; e < edges; ++e) {
    const T drawn = weight(below(heaviest + 1));
    list.push_back({below(n), below(n), drawn});
  }
  return ProblemGraph(fromEdges(n, std::move(list)));
}

std::int32_t asItIs(int number) {
  return number;
}

class SearchOf : public testing::Test {
 protected:
  /// Graphs of all sizes, whose weights are made of numbers up to each of these.
  template <class T>
  void expectRight(T (*weight)(int), const std::vector<int>& heaviests) {
    for (const int n : {1, 2, 3, 17, 64, 65, 130, 400}) {
      for (const int heaviest : heaviests) {
        const ProblemGraph graph = randomGraph(n, 3 * n, random_(), heaviest, weight);
        const Matrix all = byPlainLoop(graph);
        Selection asked;
        for (int i = 0; i < (n < 130 ? 3 : 8); ++i) asked.sources.push_back(vertexOf(n));
        for (const bool some : {false, true}) {
          if (some) asked.targets = {vertexOf(n), vertexOf(n), n - 1, n - 1};
          for (const bool keeps : {false, true}) expectTable(graph, asked, keeps, all, heaviest);
        }
      }
    }
    EXPECT_GT(searched_, 10);
  }

 private:
  int vertexOf(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }

  void expectTable(const ProblemGraph& graph, const Selection& asked, bool keeps, const Matrix& all,
                   int heaviest) {
    Execution where{cpuDevice};
    where.keepsPlan = keeps;
    const auto run = prepareAsked(findSolver("apsp", DeviceKind::kCpu), {graph, &asked}, where);
    run->reset();
    searched_ += run->solve().outcome.method == Method::kSearch;
    EXPECT_EQ(0, wrongIn(run->distances(), asked, all, tolerance(graph.n(), graph.dtype(), 2)))
        << "n = " << graph.n() << ", numbers to " << heaviest << " as " << nameOf(graph.dtype())
        << ", seed " << seed_;
  }

  const std::uint32_t seed_ = testSeed();
  std::mt19937 random_{seed_};
  int searched_ = 0;
};

TEST_F(SearchOf, Int32FindsWhatThePlainLoopFinds) {
  expectRight<std::int32_t>(asItIs, {0, 1, 1000, (kInf - 1) / 500});
}

TEST_F(SearchOf, Float32FindsWhatThePlainLoopFinds) {
  expectRight<float>([](int number) { return static_cast<float>(number) / 7; },
                     {0, 1, 1000, (kInf - 1) / 500});
}

TEST_F(SearchOf, Int64FindsWhatThePlainLoopFinds) {
  expectRight<std::int64_t>([](int number) { return (std::int64_t{1} << 40) + number; },
                            {0, 1, 1000, kInf - 1});
  expectRight<std::int64_t>([](int number) { return kInfinity<std::int64_t> - 1 - number; }, {2});
}

TEST_F(SearchOf, Float64FindsWhatThePlainLoopFinds) {
  expectRight<double>([](int number) { return number / 7.0; }, {0, 1, 1000, kInf - 1});
  expectRight<double>([](int number) { return number * 1e300; }, {1000});
  expectRight<double>([](int number) { return number * 0x1p-1074; }, {1000});
}

class SearchOn : public OnDevice {};
ON_EVERY_DEVICE(SearchOn);

TEST_P(SearchOn, OneSourceOfALargeGraphIsSearchedOnTheCpu) {
  const ProblemGraph graph = randomGraph(4000, 12000, testSeed(), 1000, asItIs);
  const Selection asked = {{17}, {}};
  const auto tableOf = [&](const Device& place, Method method) {
    Execution where{place};
    where.options.method = method;
    const auto run = prepareAsked(findSolver("apsp", place.kind()), {graph, &asked}, where);
    run->reset();
    EXPECT_EQ(method == Method::kAuto ? Method::kSearch : method, run->solve().outcome.method);
    std::vector<std::int32_t> found;
    run->distances().rows(0, 1, [&](int, int, ConstElements elements) {
      const auto* const row = elements.as<std::int32_t>();
      found.assign(row, row + graph.n());
    });
    return found;
  };
  EXPECT_EQ(tableOf(cpuDevice, Method::kFiltered), tableOf(device(), Method::kAuto));
}

/// The method that finds the distances from so many sources.
Method methodFor(const ProblemGraph& graph, int sources, Options options = {},
                 const Device& place = cpuDevice) {
  Selection asked;
  for (int i = 0; i < sources; ++i) asked.sources.push_back(i);
  const Problem problem = {graph, sources > 0 ? &asked : nullptr};
  Execution where{place, options};
  const auto run = prepareAsked(findSolver("apsp", DeviceKind::kCpu), problem, where);
  run->reset();
  return run->solve().outcome.method;
}

TEST(Search, IsChosenForFewSources) {
  Spec random = specOf(familyIndex("sparse"), 2000, 3);
  random.degree = 8;  // no small separators
  const ProblemGraph graph(random), grid(specOf(familyIndex("grid"), 2500, 3));
  EXPECT_EQ(Method::kSearch, methodFor(graph, 1));
  EXPECT_EQ(Method::kSearch, methodFor(graph, 3));
  EXPECT_EQ(Method::kSearch, methodFor(grid, 1));
  EXPECT_NE(Method::kSearch, methodFor(graph, 0));
  EXPECT_NE(Method::kSearch, methodFor(graph, 1900));
  EXPECT_EQ(Method::kSparse, methodFor(grid, 2000));
  EXPECT_NE(Method::kSearch, methodFor(graph, 100));
  EXPECT_EQ(Method::kSearch, methodFor(graph, 100, {}, SmallDevice(std::size_t{3} << 20)))
      << "without room to look at another method";
  Options options;
  options.method = Method::kSparse;
  EXPECT_EQ(Method::kSparse, methodFor(grid, 1, options)) << "it is asked for";
  const ProblemGraph dense(specOf(familyIndex("course"), 300, 3));
  EXPECT_NE(Method::kSearch, methodFor(dense, 1)) << "it is held as a matrix";
}

/// To eliminate its vertices takes minutes, however few its edges are: 12 sources took 0.2 s, and 13
/// took 32 s.
TEST(Search, OfALargeGridTakesNoCliff) {
  const ProblemGraph grid(specOf(familyIndex("grid"), 448 * 448, 3));
  for (const int sources : {12, 13}) EXPECT_EQ(Method::kSearch, methodFor(grid, sources)) << sources;
}

struct Table {
  Plan plan;
  Method method;
  std::vector<std::int32_t> rows;
};

/// The distances from the first `sources` vertices to all, four times.
Table tableFrom(int sources, const ProblemGraph& graph, const Device& device, bool keeps,
                Method method = Method::kAuto) {
  Selection asked;
  for (int i = 0; i < sources; ++i) asked.sources.push_back(i);
  for (int j = 0; j < 4 * graph.n(); ++j) asked.targets.push_back(j % graph.n());
  Execution where{device};
  where.options.method = method;
  where.keepsPlan = keeps;
  const Problem problem = {graph, &asked};
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  Table table{solver.plan(problem, where), Method::kAuto, {}};
  const auto run = prepareAsked(solver, problem, where);
  run->reset();
  table.method = run->solve().outcome.method;
  run->distances().rows(0, sources, [&](int, int count, ConstElements elements) {
    const auto* const rows = elements.as<std::int32_t>();
    table.rows.insert(table.rows.end(), rows, rows + count * run->distances().columns());
  });
  return table;
}

/// A table that has no room is found again when its rows are asked for: by searches if nobody knows
/// how long it takes to order the vertices of the graph, otherwise by what is expected to be
/// faster.
TEST(Search, StreamsTheRowsOfATableWithoutRoom) {
  const Threads two(2);
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  constexpr auto one = [](int) { return std::int32_t{1}; };
  const ProblemGraph random = randomGraph(1000, 8000, testSeed(), 1000, asItIs);
  const ProblemGraph large = randomGraph(4000, 32000, testSeed(), 1000, asItIs);
  const ProblemGraph equal = randomGraph<std::int32_t>(1000, 8000, testSeed(), 1, one);
  const ProblemGraph wide = randomGraph<std::int32_t>(4000, 32000, testSeed(), 1, one);
  const ProblemGraph grid(specOf(familyIndex("grid"), 1024, 3));
  const struct {
    const ProblemGraph& graph;
    int sources;  // more than n / 16: to find all distances takes less time than to search
    std::size_t bytes;
    Method method;
  } cases[] = {{random, 400, 3 * kMiB, Method::kSearch},
               {large, 240, 10 * kMiB, Method::kSearch},
               {equal, 400, 4 * kMiB, Method::kBfs},
               {wide, 240, 15 * kMiB, Method::kBfs},
               {grid, 400, 4 * kMiB, Method::kSparse}};
  for (const auto& [graph, sources, bytes, method] : cases) {
    const Table right = tableFrom(sources, graph, cpuDevice, false, Method::kFiltered);
    for (const bool keeps : {false, true}) {
      const Table found = tableFrom(sources, graph, SmallDevice(bytes), keeps);
      EXPECT_EQ(method, found.plan.method);
      EXPECT_EQ(Destination::kStreamed, found.plan.place);
      EXPECT_GE(bytes, found.plan.memory.device);
      EXPECT_EQ(method, found.method);
      EXPECT_EQ(right.rows, found.rows);
    }
  }
}

/// A search needs less memory than a sweep, so a row may take what is left.
TEST(Search, KeepsARowThatHasJustRoom) {
  const Threads two(2);
  const ProblemGraph grid(specOf(familyIndex("grid"), 40000, 3));
  const std::size_t row = std::size_t{4} * 40000 * sizeof(std::int32_t);
  const SmallDevice small(searchBytes(grid.onHost(), 1) + row);
  const Table found = tableFrom(1, grid, small, false);
  EXPECT_EQ(Method::kSearch, found.method);
  EXPECT_EQ(Destination::kRows, found.plan.place);
  EXPECT_EQ(small.freeBytes(), found.plan.memory.device);
  EXPECT_EQ(tableFrom(1, grid, cpuDevice, false, Method::kSparse).rows, found.rows);
  const SmallDevice smaller(small.freeBytes() - 1);
  expectError(ErrorCode::kMemory, "n = 40000", "of host memory needed",
              [&] { tableFrom(1, grid, smaller, false); });
}

}  // namespace
