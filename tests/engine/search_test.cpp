// Tables of few sources by searches: against the plain loop, and when they are chosen.
#include "search/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "devices.h"
#include "generate/families.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "solver/solver.h"

namespace {

/// Elements of a table that differ from those of all distances. allowed: of floats, relative.
int wrongIn(const Distances& table, const Selection& asked, const Matrix& all, double allowed) {
  int wrong = 0;
  table.rows(0, table.rowCount(), [&](int first, int count, const int* words) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < table.columns(); ++j) {
        const int got = words[i * table.columns() + j];
        const int right = all.row(asked.source(first + i))[asked.target(j)];
        const double a = toDouble(got, table.dtype()), b = toDouble(right, table.dtype());
        wrong += table.dtype() == Dtype::kInt32 ? got != right
                                                : got != right && std::abs(a - b) > allowed * b;
      }
  });
  return wrong;
}

ProblemGraph randomGraph(int n, int edges, Dtype dtype, std::uint32_t seed, int heaviest) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
  };
  std::vector<Edge> list;
  for (int e = 0; e < edges; ++e) {
    const int weight = below(heaviest + 1);
    list.push_back({below(n), below(n),
                    dtype == Dtype::kFloat32 ? toWord(static_cast<float>(weight) / 7) : weight});
  }
  return ProblemGraph(fromEdges(n, std::move(list), dtype));
}

TEST(Search, FindsWhatThePlainLoopFinds) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int searched = 0;
  for (const int n : {1, 2, 3, 17, 64, 65, 130, 400}) {
    for (const int heaviest : {0, 1, 1000, (kInf - 1) / 500}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        const ProblemGraph graph = randomGraph(n, 3 * n, dtype, random(), heaviest);
        const Matrix all = byPlainLoop(graph);
        Selection asked;
        const auto vertex = [&] {
          return static_cast<int>(random() % static_cast<std::uint32_t>(n));
        };
        for (int i = 0; i < (n < 130 ? 3 : 8); ++i) asked.sources.push_back(vertex());
        for (const bool some : {false, true}) {
          if (some) asked.targets = {vertex(), vertex(), n - 1, n - 1};
          for (const bool keeps : {false, true}) {
            Execution where{cpuDevice};
            where.keepsPlan = keeps;
            const auto run =
                prepareAsked(findSolver("apsp", DeviceKind::kCpu), {graph, &asked}, where);
            run->reset();
            searched += run->solve().outcome.method == Method::kSearch;
            EXPECT_EQ(0, wrongIn(run->distances(), asked, all, 1e-6))
                << "n = " << n << ", weights to " << heaviest << " as " << nameOf(dtype);
          }
        }
      }
    }
  }
  EXPECT_GT(searched, 100);
}

/// The method that finds the distances from so many sources.
Method methodFor(const ProblemGraph& graph, int sources, Options options = {}) {
  Selection asked;
  for (int i = 0; i < sources; ++i) asked.sources.push_back(i);
  const Problem problem = {graph, sources > 0 ? &asked : nullptr};
  Execution where{cpuDevice, options};
  const auto run = prepareAsked(findSolver("apsp", DeviceKind::kCpu), problem, where);
  run->reset();
  return run->solve().outcome.method;
}

TEST(Search, IsChosenForFewSources) {
  Spec random = specOf(familyIndex("sparse"), 2000, 3);
  random.degree = 8;  // no small separators
  const ProblemGraph graph(random), grid(specOf(familyIndex("grid"), 2500, 3));
  EXPECT_EQ(Method::kSearch, methodFor(graph, 1));
  EXPECT_EQ(Method::kSearch, methodFor(graph, 30));
  EXPECT_EQ(Method::kSearch, methodFor(grid, 1));
  EXPECT_NE(Method::kSearch, methodFor(graph, 0));
  EXPECT_NE(Method::kSearch, methodFor(graph, 1900));
  EXPECT_EQ(Method::kSparse, methodFor(grid, 2000));
  Options options;
  options.method = Method::kSparse;
  EXPECT_EQ(Method::kSparse, methodFor(grid, 1, options)) << "it is asked for";
  const ProblemGraph dense(specOf(familyIndex("course"), 300, 3));
  EXPECT_NE(Method::kSearch, methodFor(dense, 1)) << "it is held as a matrix";
}

}  // namespace
