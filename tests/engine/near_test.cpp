// Distances up to a limit and the nearest targets: each way to find them, against the plain loop.
#include "search/near.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/error.h"
#include "base/graph.h"
#include "base/tolerance.h"
#include "devices.h"
#include "search/bounded_search.h"
#include "search/near_gpu.h"
#include "solver/solver.h"
#include "sparse/position_set.h"

namespace {

constexpr NearBy kWays[] = {NearBy::kSearch, NearBy::kBackwards, NearBy::kSweep, NearBy::kWhole};

class NearTest : public testing::Test {
 protected:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }

  /// Weights from 0 on, of which many are equal.
  template <class T>
  ProblemGraph graphOf(int n, int edges, int heaviest) {
    Edges<T> list;
    for (int e = 0; e < edges; ++e)
      list.push_back({below(n), below(n), static_cast<T>(below(heaviest + 1))});
    return ProblemGraph(fromEdges(n, std::move(list)));
  }

  /// Some sources, one of them twice, and some targets in any order, each once.
  Selection some(int n, bool targets) {
    Selection asked;
    for (int i = 0; i < 5; ++i) asked.sources.push_back(below(n));
    asked.sources.push_back(asked.sources.front());
    if (!targets) return asked;
    std::set<int> taken;
    for (int i = 0; i < n / 3 + 1; ++i)
      if (const int v = below(n); taken.insert(v).second) asked.targets.push_back(v);
    return asked;
  }

  std::mt19937 random_{7};
};

using Row = std::vector<std::pair<int, double>>;  // columns and distances

/// What a row must be.
template <class T>
Row rightRow(const Problem& problem, const Matrix& all, const Nearness& asked, int i) {
  const auto source = problem.asked == nullptr ? i : problem.asked->source(i);
  std::vector<std::pair<std::pair<double, int>, int>> found;
  for (int j = 0; j < problem.columns(); ++j) {
    const int target = problem.asked == nullptr ? j : problem.asked->target(j);
    const T distance = all.row<T>(source)[target];
    if (target != source && distance < kInfinity<T> && static_cast<double>(distance) <= asked.limit)
      found.push_back({{static_cast<double>(distance), j}, j});
  }
  if (asked.nearest) {
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), asSize(*asked.nearest)));
  }
  Row row;
  for (const auto& [key, column] : found) row.emplace_back(column, key.first);
  return row;
}

Row rowOf(const SparseRows& rows, int i) {
  Row row;
  for (std::size_t k = 0; k < rows.count(i); ++k)
    row.emplace_back(rows.columnsOf(i)[k], toDouble(rows.distances(i)[k]));
  return row;
}

template <class T>
void expectRight(const Problem& problem, const Matrix& all, const Nearness& asked) {
  const Execution where{cpuDevice};
  for (const NearBy by : kWays) {
    if (by == NearBy::kBackwards && !asked.nearest) continue;
    if (by == NearBy::kSweep && asked.nearest) continue;
    const bool ascends = problem.asked == nullptr || std::is_sorted(problem.asked->targets.begin(),
                                                                    problem.asked->targets.end());
    if (by == NearBy::kSweep && !ascends) continue;
    const NearRows found =
        findNear(problem, where, findSolver("apsp", DeviceKind::kCpu), asked, by);
    ASSERT_EQ(problem.rows(), found.rows->rowCount());
    for (int i = 0; i < problem.rows(); ++i)
      ASSERT_EQ(rightRow<T>(problem, all, asked, i), rowOf(*found.rows, i))
          << nameOf(by) << " row " << i << " of n = " << problem.graph.n();
  }
}

TEST_F(NearTest, EveryWayFindsWhatTheLoopFinds) {
  for (const int n : {1, 2, 3, 17, 65, 200}) {
    for (const int heaviest : {0, 1, 9, 1000}) {
      for (const int edges : {n / 2, 2 * n, 6 * n}) {
        const auto check = [&](auto zero) {
          using T = decltype(zero);
          const ProblemGraph graph = graphOf<T>(n, edges, heaviest);
          const Matrix all = byPlainLoop(graph);
          Selection few = some(n, false), table = some(n, true);
          std::sort(table.targets.begin(), table.targets.end());
          Selection mixed = some(n, true);
          for (const Selection* asked :
               std::vector<const Selection*>{nullptr, &few, &table, &mixed}) {
            const Problem problem{graph, asked};
            for (const double limit : {0.0, 1.5 * heaviest, 4.0 * heaviest, HUGE_VAL})
              expectRight<T>(problem, all, {limit, {}});
            for (const int k : {0, 1, 3})
              if (k <= problem.columns()) expectRight<T>(problem, all, {HUGE_VAL, k});
          }
        };
        check(std::int32_t{});
        check(double{});
      }
    }
  }
  const auto wide = graphOf<std::int64_t>(90, 300, 50);
  expectRight<std::int64_t>({wide}, byPlainLoop(wide), {60, {}});
  const auto real = graphOf<float>(90, 300, 50);
  expectRight<float>({real}, byPlainLoop(real), {60, {}});
}

TEST_F(NearTest, RefusesWhatIsNoQuestion) {
  const auto graph = graphOf<std::int32_t>(9, 20, 5);
  const Execution where{cpuDevice};
  const Solver whole = findSolver("apsp", DeviceKind::kCpu);
  const auto refused = [&](const Selection* asked, const Nearness& near) {
    try {
      findNear({graph, asked}, where, whole, near);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ("the limit of distances is -1: it is a number from 0 on", refused(nullptr, {-1, {}}));
  EXPECT_EQ("the limit of distances is nan: it is a number from 0 on",
            refused(nullptr, {std::nan(""), {}}));
  EXPECT_EQ("the nearest 10 of 9 targets are asked for: the number is from 0 to 9",
            refused(nullptr, {HUGE_VAL, 10}));
  const Selection twice{{}, {3, 4, 3}};
  EXPECT_EQ("targets 0 and 2 are the same vertex, 3: give each target once",
            refused(&twice, {HUGE_VAL, 1}));
}

TEST_F(NearTest, SaysThatADistanceDoesNotFit) {
  Edges<std::int32_t> edges = {{0, 1, 1 << 29}, {1, 2, 1 << 29}, {2, 3, 1}};
  const ProblemGraph graph(fromEdges(4, edges));
  const Execution where{cpuDevice};
  const Solver whole = findSolver("apsp", DeviceKind::kCpu);
  EXPECT_THROW(findNear({graph}, where, whole, {HUGE_VAL, {}}), Error);
  EXPECT_THROW(findNear({graph}, where, whole, {HUGE_VAL, 3}), Error);
  EXPECT_EQ(3U, findNear({graph}, where, whole, {1 << 29, {}}).rows->entries());
}

TEST_F(NearTest, PathsLeadAlongEdges) {
  const ProblemGraph problem = graphOf<std::int32_t>(120, 500, 9);
  const Graph& graph = problem.onHost();
  const EdgeLists<std::int32_t> lists(graph.n, graph.edges<std::int32_t>());
  BoundedSearch<std::int32_t> search(lists);
  for (int source = 0; source < graph.n; ++source)
    for (const auto& found : std::vector(search.from(source, 20))) {
      const std::vector<int> path = search.pathTo(found.vertex);
      std::int32_t length = 0;
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        std::int32_t weight = kInf;
        for (const auto& edge : graph.edges<std::int32_t>())
          if (edge.from == path[i] && edge.to == path[i + 1]) weight = edge.weight;
        length += weight;
      }
      ASSERT_EQ(source, path.front());
      ASSERT_EQ(found.vertex, path.back());
      ASSERT_EQ(found.distance, length);
    }
}

/// Each path of the answer leads from the source to the target, and is as long as the distance.
template <class T>
void expectPaths(const Problem& problem, const NearRows& found) {
  const Graph& graph = problem.graph.onHost();
  std::map<std::pair<int, int>, double> weights;
  for (const auto& edge : graph.edges<T>())
    weights[{edge.from, edge.to}] = static_cast<double>(edge.weight);
  for (int i = 0; i < problem.rows(); ++i) {
    const auto paths = found.paths(i);
    ASSERT_EQ(found.rows->count(i), paths.size());
    for (std::size_t k = 0; k < paths.size(); ++k) {
      const std::vector<int>& path = paths[k];
      const int column = found.rows->columnsOf(i)[k];
      ASSERT_EQ(problem.asked == nullptr ? i : problem.asked->source(i), path.front());
      ASSERT_EQ(problem.asked == nullptr ? column : problem.asked->target(column), path.back());
      double length = 0;
      for (std::size_t v = 0; v + 1 < path.size(); ++v) {
        const auto edge = weights.find({path[v], path[v + 1]});
        ASSERT_TRUE(edge != weights.end()) << path[v] << " -> " << path[v + 1];
        length += edge->second;
      }
      ASSERT_EQ(toDouble(found.rows->distances(i)[k]), length) << nameOf(found.by);
    }
  }
}

TEST_F(NearTest, EveryWayKnowsThePaths) {
  for (const int heaviest : {0, 1, 30}) {
    const auto check = [&](auto zero) {
      using T = decltype(zero);
      const ProblemGraph graph = graphOf<T>(90, 300, heaviest);
      const Selection table = some(90, true);
      for (const Selection* asked : std::vector<const Selection*>{nullptr, &table}) {
        const Problem problem{graph, asked};
        for (const NearBy by : kWays) {
          Nearness near{2.0 * heaviest, 3, true};
          if (by == NearBy::kSweep && asked != nullptr) continue;
          if (by == NearBy::kSweep) near.nearest.reset();
          const NearRows found = findNear(problem, Execution{cpuDevice},
                                          findSolver("apsp", DeviceKind::kCpu), near, by);
          expectPaths<T>(problem, found);
        }
      }
    };
    check(std::int32_t{});
    check(double{});
  }
  const ProblemGraph graph = graphOf<float>(50, 100, 9);
  const NearRows found =
      findNear({graph}, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu), {HUGE_VAL, 2});
  EXPECT_FALSE(found.paths) << "nobody asked for them";
}

/// Skipped without a GPU. The weights of reals are whole numbers, so that all sums are exact.
class NearOnGpu : public OnGpu<NearTest> {
 protected:
  /// Both ways of the GPU, and the one that --device gpu takes, find the bits of the CPU.
  template <class T>
  void expectAsOnCpu(const Problem& problem, const Matrix& all, const Nearness& asked) const {
    const NearRows right = findNear(problem, Execution{cpuDevice},
                                    findSolver("apsp", DeviceKind::kCpu), asked, NearBy::kSearch);
    const Solver whole = findSolver("apsp", DeviceKind::kGpu);
    for (const auto by :
         {std::optional(NearBy::kSweep), std::optional(NearBy::kWhole), std::optional<NearBy>()}) {
      const NearRows found =
          findNear(problem, Execution{*gpu_}, whole, asked, by, NearPlace::kThere);
      const char* const name = by ? nameOf(*by) : "either";
      if (by) {
        ASSERT_EQ(DeviceKind::kGpu, found.device) << name;
        ASSERT_EQ(*by, found.by);
      }
      expectSame<T>(*right.rows, *found.rows, name);
    }
    for (int i = 0; i < problem.rows(); ++i)
      ASSERT_EQ(rightRow<T>(problem, all, asked, i), rowOf(*right.rows, i));
  }

  template <class T>
  static void expectSame(const SparseRows& right, const SparseRows& found,
                         const std::string& what) {
    ASSERT_EQ(right.rowCount(), found.rowCount());
    for (int i = 0; i < right.rowCount(); ++i) {
      ASSERT_EQ(right.count(i), found.count(i))
          << what << " row " << i << " of " << right.rowCount();
      if (right.count(i) == 0) continue;
      ASSERT_EQ(0,
                std::memcmp(right.columnsOf(i), found.columnsOf(i), right.count(i) * sizeof(int)))
          << what << " row " << i;
      ASSERT_EQ(0, std::memcmp(right.distances(i).as<T>(), found.distances(i).as<T>(),
                               right.count(i) * sizeof(T)))
          << what << " row " << i;
    }
  }

  /// The largest distance of all.
  template <class T>
  static double largestOf(const Matrix& all) {
    T largest = 0;
    for (int i = 0; i < all.n(); ++i)
      for (int j = 0; j < all.n(); ++j)
        if (all.row<T>(i)[j] < kInfinity<T>) largest = std::max(largest, all.row<T>(i)[j]);
    return static_cast<double>(largest);
  }

  template <class T>
  void expectAsOnCpu(int n, int edges, int heaviest, std::vector<double> limits) {
    const ProblemGraph graph = graphOf<T>(n, edges, heaviest);
    const Matrix all = byPlainLoop(graph);
    Selection few = some(n, false), table = some(n, true);
    std::sort(table.targets.begin(), table.targets.end());
    limits.push_back(largestOf<T>(all));
    for (const Selection* asked : std::vector<const Selection*>{nullptr, &few, &table})
      for (const double limit : limits) expectAsOnCpu<T>(Problem{graph, asked}, all, {limit, {}});
  }
};

TEST_F(NearOnGpu, GraphsOfAllSizes) {
  for (int n = 1; n <= 130; ++n)
    expectAsOnCpu<std::int32_t>(n, 3 * n, 20, {static_cast<double>(n % 40)});
}

TEST_F(NearOnGpu, AllTypesOfWeights) {
  for (const int n : {1, 32, 33, 65, 130})
    for (const int heaviest : {0, 1, 30}) {
      const std::vector<double> limits = {0, 1.5 * heaviest, HUGE_VAL};
      expectAsOnCpu<std::int32_t>(n, 2 * n, heaviest, limits);
      expectAsOnCpu<float>(n, 2 * n, heaviest, limits);
      expectAsOnCpu<std::int64_t>(n, 2 * n, heaviest, limits);
      expectAsOnCpu<double>(n, 2 * n, heaviest, limits);
    }
}

TEST_F(NearOnGpu, RowsWithoutAnswersAndRowsOfAll) {
  expectAsOnCpu<std::int32_t>(100, 0, 1, {0, 5, HUGE_VAL});     // nothing is reached
  expectAsOnCpu<std::int32_t>(100, 4000, 0, {0, 5, HUGE_VAL});  // everything is, at 0
  Edges<std::int32_t> edges;  // of a ring, whose vertices all reach one more
  for (int v = 0; v < 98; ++v) {
    edges.push_back({v, (v + 1) % 98, 3});
    edges.push_back({v, 98, 1});
  }
  const ProblemGraph ring(fromEdges(100, std::move(edges)));  // the last one has no edges
  for (const double limit : {0., 1., 2.9, 3., 291., HUGE_VAL})
    expectAsOnCpu<std::int32_t>(Problem{ring}, byPlainLoop(ring), {limit, {}});
}

/// Bands, pieces and chunks of every size, across a graph that is sparse enough to be swept.
TEST_F(NearOnGpu, BandsOfAllSizes) {
  const int n = 133;
  const ProblemGraph graph = graphOf<std::int32_t>(n, 2 * n, 9);
  search::SmallAsked asked{n, Number(std::int32_t{25}), {}};
  for (int v = n - 1; v >= 0; --v) asked.sources.push_back(v);  // in another order
  asked.sources.push_back(40);                                  // and once more
  const Selection selection{asked.sources, {}};
  const Problem problem{graph, &selection};
  const NearRows right =
      findNear(problem, Execution{cpuDevice}, findSolver("apsp", DeviceKind::kCpu), {25, {}});
  for (const int sources : {1, 5, 31, 32, 33, 64, 66, 132, 133, 500})
    for (const std::size_t some : {1, 7, 100, 1 << 20}) {
      SparseRows rows(problem.rows(), n, Dtype::kInt32);
      search::SweepBands bands;
      bands.sources = sources;
      bands.small = {some * 1000, some * 3, some};
      ASSERT_TRUE(search::sweepNearOnGpu(*gpu_, graph.onHost(), asked, rows, HUGE_VAL, bands));
      expectSame<std::int32_t>(*right.rows, rows, "bands of " + std::to_string(sources));
    }
}

/// Any distances, at the edges of words and strips of bits, some columns of them, and bands that
/// lie in both directions.
TEST_F(NearOnGpu, RowsOfAnyDistances) {
  const search::SmallSizes sizes{50000, 5000, 700};
  for (const int n : {1, 31, 32, 33, 1023, 1024, 1025, 2100}) {
    std::vector<float> all(asSize(n) * asSize(n));
    for (float& distance : all) {
      const int drawn = below(12);
      distance = drawn == 11 ? kInfinity<float> : static_cast<float>(drawn);
    }
    search::SmallAsked asked{n, Number(float{4}), {}, std::vector<int>(asSize(n), -1)};
    int wanted = 0;
    for (int v = 0; v < n; ++v)
      if (below(3) > 0) asked.columns[asSize(v)] = wanted++;
    for (int v = 0; v < n; v += 1 + below(4)) asked.sources.push_back(v);
    const int count = static_cast<int>(asked.sources.size());
    SparseRows along(count, wanted, Dtype::kFloat32), across(count, wanted, Dtype::kFloat32);
    search::keepNearOnGpu(*gpu_, HostDistances(n, all), asked, along, sizes);
    const std::size_t stride = asSize(n) + 5;
    std::vector<float> turned(asSize(n) * stride);
    for (std::size_t u = 0; u < asSize(n); ++u)
      for (std::size_t v = 0; v < asSize(n); ++v) turned[v * stride + u] = all[u * asSize(n) + v];
    const DeviceElements there(*gpu_, Dtype::kFloat32, turned.size());
    upload(*gpu_, there.data(), turned);
    const auto small = search::smallOnGpu(asked, across, sizes);
    for (int first = 0; first < n; first += 300)
      small->add({first, std::min(300, n - first), 1, stride, there.data() + asSize(first)});
    small->finish();
    for (int i = 0; i < count; ++i) {
      const int source = asked.sources[asSize(i)];
      Row right;
      for (int v = 0; v < n; ++v) {
        const float distance = all[asSize(source) * asSize(n) + asSize(v)];
        if (asked.columns[asSize(v)] >= 0 && v != source && distance <= 4)
          right.emplace_back(asked.columns[asSize(v)], distance);
      }
      ASSERT_EQ(right, rowOf(along, i)) << "row " << i << " of n = " << n;
      ASSERT_EQ(right, rowOf(across, i)) << "row " << i << " of n = " << n << ", turned";
    }
  }
}

TEST_F(NearOnGpu, WhatAGpuDoesNotFind) {
  const ProblemGraph graph = graphOf<std::int32_t>(200, 500, 9);
  const Matrix all = byPlainLoop(graph);
  const Solver whole = findSolver("apsp", DeviceKind::kGpu);
  const Execution where{*gpu_};
  EXPECT_THROW(findNear({graph}, where, whole, {-1, {}}, {}, NearPlace::kThere), Error);
  for (const NearPlace place : {NearPlace::kCpu, NearPlace::kEither})
    EXPECT_EQ(DeviceKind::kCpu, findNear({graph}, where, whole, {5, {}}, {}, place).device);
  Selection mixed = some(200, true);
  for (const Nearness& asked : {Nearness{8, {}}, Nearness{HUGE_VAL, 3}}) {
    const Problem problem{graph, &mixed};
    const NearRows found = findNear(problem, where, whole, asked, {}, NearPlace::kThere);
    for (int i = 0; i < problem.rows(); ++i)
      ASSERT_EQ(rightRow<std::int32_t>(problem, all, asked, i), rowOf(*found.rows, i));
  }
}

/// As on roads, vertices are joined with some neighbours in a grid. The distances up to the limit
/// are more than a CPU finds in the time of the GPU.
TEST_F(NearOnGpu, IsChosenWhereItIsFaster) {
  constexpr int kSide = 160;
  const int n = kSide * kSide;
  Edges<std::int32_t> edges;
  const auto join = [&](int a, int b) {
    const int weight = 1 + below(20);
    edges.push_back({a, b, weight});
    edges.push_back({b, a, weight});
  };
  for (int v = 0; v < n; ++v) {
    if (v % kSide + 1 < kSide && below(4) > 0) join(v, v + 1);
    if (v + kSide < n && below(4) > 0) join(v, v + kSide);
  }
  const ProblemGraph graph(fromEdges(n, std::move(edges)));
  const Solver whole = findSolver("apsp", DeviceKind::kCpu);
  const Execution where{cpuDevice};
  const Nearness asked{150, {}};
  const NearRows chosen = findNear({graph}, where, whole, asked, {}, NearPlace::kEither);
  EXPECT_EQ(DeviceKind::kGpu, chosen.device);
  EXPECT_EQ(NearBy::kSweep, chosen.by);
  const NearRows right = findNear({graph}, where, whole, asked);
  EXPECT_EQ(DeviceKind::kCpu, right.device);
  expectSame<std::int32_t>(*right.rows, *chosen.rows, nameOf(right.by));
  const NearRows few = findNear({graph}, where, whole, {1, {}}, {}, NearPlace::kEither);
  EXPECT_EQ(DeviceKind::kCpu, few.device) << "a search finds next to nothing in no time";
}

TEST_F(NearTest, ASetIsReadInBothDirections) {
  for (const int size : {1, 64, 65, 4096, 4097, 300000}) {
    sparse::PositionSet set(size);
    std::set<int> right;
    for (int i = 0; i < 40; ++i) {
      const int number = below(size);
      set.add(number);
      right.insert(number);
      if (i % 5 == 0) {
        const int gone = *right.begin();
        set.remove(gone);
        right.erase(gone);
      }
    }
    std::vector<int> up, down;
    for (int i = set.next(0); i < size; i = set.next(i + 1)) up.push_back(i);
    for (int i = set.last(size); i >= 0; i = set.last(i)) down.push_back(i);
    EXPECT_EQ(std::vector<int>(right.begin(), right.end()), up);
    EXPECT_EQ(std::vector<int>(right.rbegin(), right.rend()), down);
  }
}

}  // namespace
