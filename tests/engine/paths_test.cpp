// Paths that are followed along distances: each is a shortest one, and wrong distances are noticed.
#include "generate/families.h"
#include "paths/path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "io/formats/formats.h"
#include "paths/histogram.h"
#include "paths/summary.h"
#include "results/stored.h"
#include "results/summary_file.h"
#include "seed.h"
#include "verify/distances_to.h"
#include "verify/verify.h"

namespace {

/// What distances of that type are added up in.
template <class T>
using SumOfPath = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

/// The distances to `target` of an n×n matrix.
template <class Sum = double>
std::vector<Sum> columnOf(const Matrix& matrix, int target) {
  std::vector<Sum> column;
  withType(matrix.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int i = 0; i < matrix.n(); ++i)
      column.push_back(convertedTo<Sum>(matrix.row<T>(i)[target]));
  });
  return column;
}

template <class T, class Sum>
void expectShortest(const Path& path, const Matrix& weights, int from, int target, Sum distance,
                    double tolerance) {
  ASSERT_EQ(path.vertices.size(), path.weights.size() + 1);
  EXPECT_EQ(from, path.vertices.front());
  EXPECT_EQ(target, path.vertices.back());
  EXPECT_EQ(path.vertices.size(), std::set<int>(path.vertices.begin(), path.vertices.end()).size());
  for (std::size_t i = 0; i < path.weights.size(); ++i) {
    const T weight = std::get<T>(path.weights[i]);
    EXPECT_EQ(weights.row<T>(path.vertices[i])[path.vertices[i + 1]], weight);
    EXPECT_LT(weight, kInfinity<T>);
  }
  const auto length = std::get<SumOfPath<T>>(lengthOf(path, kDtype<T>));
  if (std::is_integral_v<T>) {
    EXPECT_EQ(distance, static_cast<Sum>(length));
  } else {
    EXPECT_NEAR(distance, length, tolerance * distance);
  }
}

/// Follows distances to `target` from everywhere.
template <class T, class Sum>
void expectPathsTo(int target, const Leaving& leaving, const Matrix& weights,
                   const std::vector<Sum>& to, double within, double off) {
  for (int from = 0; from < weights.n(); ++from) {
    if (to[asSize(from)] == kInfinity<Sum>) continue;
    const auto path = followDistances(leaving, to, from, target, within);
    ASSERT_TRUE(path) << from << " to " << target;
    expectShortest<T>(*path, weights, from, target, to[asSize(from)],
                      off * static_cast<double>(path->vertices.size()));
  }
}

/// Follows the distances of all pairs, by those of the plain loop and by Dijkstra's.
template <class T>
void expectPathsOf(const Graph& graph, const Matrix& weights) {
  using Sum = SumOfPath<T>;
  const int n = graph.n;
  Matrix distances(n, kDtype<T>);
  copyElements(weights.data(), weights.size(), distances.data());
  apspScalar(n, distances.data());
  const Leaving leaving(graph);
  const DistancesTo solver(graph);
  const double off = tolerance(n, kDtype<T>, 2);
  for (int target = 0; target < n; ++target) {
    const auto stored = columnOf<Sum>(distances, target);
    const auto found = solver.vertex<Sum>(target);
    for (int from = 0; from < n; ++from)
      ASSERT_EQ(stored[asSize(from)] == kInfinity<Sum>, found[asSize(from)] == kInfinity<Sum>);
    expectPathsTo<T>(target, leaving, weights, stored, off, off);
    expectPathsTo<T>(target, leaving, weights, found, 0, off);
    if (std::is_same_v<T, std::int32_t>)  // doubles hold them, too
      expectPathsTo<T>(target, leaving, weights, solver.vertex<double>(target), 0, off);
  }
}

void expectPaths(const Graph& graph, const Matrix& weights) {
  withType(graph.dtype(), [&](auto zero) { expectPathsOf<decltype(zero)>(graph, weights); });
}

TEST(Paths, AreShortestOfEveryFamily) {
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 40}) {
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        SCOPED_TRACE(describe(spec) + " " + nameOf(dtype));
        expectPaths(generate(spec), toMatrix(generate(spec)));
        if (HasFailure()) return;
      }
    }
  }
}

/// Edges at random between 30 vertices, with what weight() says.
template <class T, class Weight>
Edges<T> randomEdges(std::mt19937& random, Weight weight) {
  Edges<T> edges;
  for (int k = 0; k < 90; ++k) {
    const int from = static_cast<int>(random() % 30), to = static_cast<int>(random() % 30);
    edges.push_back({from, to, weight()});
  }
  return edges;
}

template <class T, class Weight>
void expectPathsOfRandomGraphs(Weight weight) {
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 30; ++turn) {
    const Edges<T> edges = randomEdges<T>(random, [&] { return weight(random()); });
    expectPaths(fromEdges(30, edges), toMatrix(fromEdges(30, edges)));
    if (testing::Test::HasFailure()) return;
  }
}

/// Weights of 0 and 1: most edges of weight 0 are on cycles of length 0.
TEST(Paths, DoNotGoInCircles) {
  expectPathsOfRandomGraphs<std::int32_t>([](auto drawn) { return static_cast<int>(drawn % 2); });
  expectPathsOfRandomGraphs<std::int64_t>(
      [](auto drawn) { return static_cast<std::int64_t>(drawn % 2) << 55; });
  expectPathsOfRandomGraphs<double>([](auto drawn) { return static_cast<double>(drawn % 2); });
}

/// Sums of up to 2⁶¹, which differ by as little as 1.
TEST(Paths, OfLargeInt64AreExact) {
  for (const int bits : {40, 56})
    expectPathsOfRandomGraphs<std::int64_t>([&](auto drawn) {
      return (std::int64_t{1} << bits) + static_cast<std::int64_t>(drawn % 3);
    });
}

TEST(Paths, OfDoublesThatAreRounded) {
  expectPathsOfRandomGraphs<double>([](auto drawn) { return 0.1 * static_cast<int>(drawn % 9); });
  expectPathsOfRandomGraphs<double>(
      [](auto drawn) { return 1e300 / (1 + static_cast<int>(drawn % 9)); });
  expectPathsOfRandomGraphs<double>([](auto drawn) { return drawn % 3 == 0 ? 1e10 : 1e-10; });
}

/// Lengths of 2⁶⁰ and 2⁶⁰ + 1 are the same double.
TEST(Paths, NoticeInt64ThatAreOffByOne) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  const Graph graph = fromEdges<std::int64_t>(3, {{0, 1, large}, {1, 2, 1}});
  const Leaving leaving(graph);
  const std::vector<std::int64_t> right = {large + 1, 1, 0}, wrong = {large, 1, 0};
  EXPECT_EQ(Number(large + 1),
            lengthOf(followDistances(leaving, right, 0, 2, 0).value(), Dtype::kInt64));
  EXPECT_FALSE(followDistances(leaving, wrong, 0, 2, 0));
  EXPECT_FALSE(findShortcut(leaving, right, 2, 0));
  const std::vector<std::int64_t> longer = {large + 2, 1, 0};
  const auto edge = findShortcut(leaving, longer, 2, 0);
  ASSERT_TRUE(edge);
  EXPECT_EQ(0, edge->from);
  EXPECT_EQ(Number(large), edge->weight);
}

/// Every edge fits within the tolerance of so many vertices, and yet the path is 20 % too long.
TEST(Paths, ErrorsOfManyEdgesDoNotAddUp) {
  constexpr int kVertices = 1001;
  Edges<float> edges = {{kVertices - 1, kVertices, 1000}};
  std::vector<double> right(kVertices + 1, 1000), wrong = right;
  right.back() = wrong.back() = 0;
  for (int v = 0; v + 1 < kVertices; ++v) {
    edges.push_back({v, v + 1, 0.2F});
    right[asSize(v)] = 1000 + 0.2 * (kVertices - 1 - v);
  }
  const Graph graph = fromEdges(kVertices + 1, edges);
  const Leaving leaving(graph);
  const double off = tolerance(graph.n, Dtype::kFloat32, 2) * 2;
  EXPECT_TRUE(followDistances(leaving, right, 0, kVertices, off));
  EXPECT_FALSE(followDistances(leaving, wrong, 0, kVertices, off));
}

TEST(Paths, NoticeDistancesOfAnotherGraph) {
  const Spec spec = specOf(familyIndex("uniform"), 30, 3);
  const Graph graph = generate(spec);
  const Leaving leaving(graph);
  const std::vector<double> right = DistancesTo(graph).vertex(7);
  for (const int from : {0, 5, 29}) {
    for (const double change : {-1.0, 1.0}) {
      std::vector<double> wrong = right;
      wrong[from] += change;
      EXPECT_FALSE(followDistances(leaving, wrong, from, 7, 0)) << from;
    }
  }
}

/// Each edge is left out once: then distances that used it are too long for the whole graph.
TEST(Paths, ShortcutsShowThatDistancesAreOfAnotherGraph) {
  for (const Dtype dtype : kDtypes) {
    Spec spec = specOf(familyIndex("sparse"), 24, 3);
    spec.dtype = dtype;
    spec.degree = 2;
    const Graph graph = generate(spec);
    const Leaving leaving(graph);
    const DistancesTo solver(graph);
    const double off = tolerance(graph.n, dtype, 2);
    withEdges(graph, [&](const auto& all) {
      using T = decltype(all[0].weight);
      using Sum = SumOfPath<T>;
      for (std::size_t out = 0; out < all.size(); ++out) {
        Edges<T> edges = all;
        edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(out));
        const DistancesTo without(fromEdges(graph.n, std::move(edges)));
        for (int target = 0; target < graph.n; ++target) {
          const auto right = solver.vertex<Sum>(target), other = without.vertex<Sum>(target);
          EXPECT_FALSE(findShortcut(leaving, right, target, off)) << target;
          EXPECT_EQ(right != other, findShortcut(leaving, other, target, off).has_value())
              << target;
        }
      }
    });
  }
}

TEST(Paths, LookUpStoredDistancesOfOneGraphOnly) {
  const TempDir dir;
  const Graph graph = generate(specOf(familyIndex("disconnected"), 50, 3));
  const Graph other = generate(specOf(familyIndex("disconnected"), 50, 4));
  Matrix distances = toMatrix(generate(specOf(familyIndex("disconnected"), 50, 3)));
  apspScalar(graph.n, distances.data());
  for (const std::optional<double> unreached :
       {std::optional<double>(), {HUGE_VAL}, {-1}, {7e8}, {kInf}}) {
    for (const int farthest : {1 << 24, (1 << 24) + 1}) {
      DistancesForm form(graph.n);
      form.unreached = unreached;
      form.farthest = farthest;
      form.graph = graphStats(graph).hash;
      OutputFile out(dir / "d.npy");
      writeDistances(out, form, [&](const TakeRows& take) { take(graph.n, distances.data()); });
      const StoredMatrix stored(dir / "d.npy", graph);
      EXPECT_TRUE(stored.saysGraph());
      for (const int target : {0, 31, 49})
        EXPECT_EQ(columnOf(distances, target), stored.column(target));
      expectError(ErrorCode::kInput, "d.npy", "another graph",
                  [&] { StoredMatrix(dir / "d.npy", other); });
    }
  }
  OutputFile out(dir / "d.npy");
  writeDistances(out, graph.n, distances.data());
  EXPECT_FALSE(StoredMatrix(dir / "d.npy", graph).saysGraph());
}

TEST(Paths, LookUpStoredDistances) {
  const TempDir dir;
  for (const Dtype dtype : kDtypes) {
    Spec spec = specOf(familyIndex("sparse"), 50, 3);
    spec.dtype = dtype;
    const Graph graph = generate(spec);
    Matrix distances = toMatrix(generate(spec));
    apspScalar(spec.n, distances.data());
    for (const char* name : {"d.npy", "d.bin"}) {
      if (dtype != Dtype::kInt32 && name == std::string("d.bin")) continue;  // it holds int32
      OutputFile out(dir / name);
      writeDistances(out, spec.n, distances.data());
      const StoredMatrix stored(dir / name, graph);
      for (const int target : {0, 31, 49}) {
        EXPECT_EQ(columnOf(distances, target), stored.column(target)) << name;
        if (isWhole(dtype)) {
          EXPECT_EQ(columnOf<std::int64_t>(distances, target), stored.column<std::int64_t>(target));
        }
      }
    }
  }
  const Graph other = generate(specOf(familyIndex("sparse"), 51, 3));
  expectError(ErrorCode::kInput, "d.bin", "distances of 50 vertices, but the graph has 51",
              [&] { StoredMatrix(dir / "d.bin", other); });
  Spec real = specOf(familyIndex("sparse"), 50, 3);
  real.dtype = Dtype::kInt32;
  const Graph whole = generate(real);
  expectError(ErrorCode::kInput, "d.npy", "f64 distances, but the graph has i32 weights",
              [&] { StoredMatrix(dir / "d.npy", whole); });
}

TEST(Summaries, SayWhatTheDistancesSay) {
  const int none = kInf;
  const std::vector<int> distances = {0, 2,    7,  none,  //
                                      5, 0,    4,  none,  //
                                      1, none, 0,  none,  //
                                      3, 9,    12, 0};
  const Summary summary = summaryOf(HostDistances(4, distances));
  const int reachable[] = {2, 2, 1, 3}, eccentricity[] = {7, 5, 1, 12};
  const double mean[] = {4.5, 4.5, 1, 8};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(reachable[i], summary.vertices[i].reachable) << i;
    EXPECT_EQ(Number(eccentricity[i]), summary.vertices[i].eccentricity) << i;
    EXPECT_EQ(mean[i], summary.vertices[i].mean()) << i;
  }
  EXPECT_EQ(8u, summary.pairs());
  EXPECT_EQ(Number(12), summary.diameter());
  EXPECT_EQ(Number(12), summary.radius());  // only the last vertex reaches all
  EXPECT_EQ(43 / 8.0, summary.mean());
  EXPECT_EQ("diameter 12 (of the pairs with a path), radius 12, mean distance 5.375 over 8 pairs",
            summaryText(summary));
}

/// NetworkX: closeness_centrality() of the graph of these distances.
TEST(Summaries, TellTwoKindsOfCloseness) {
  const std::vector<int> distances = {0, 2,    7,  kInf,  //
                                      5, 0,    4,  kInf,  //
                                      1, kInf, 0,  kInf,  //
                                      3, 9,    12, 0};
  const HostDistances all(4, distances);
  const Summary summary = summaryOf(all);
  const double out[] = {2 / 9.0, 2 / 9.0, 1, 3 / 24.0};
  const double networkx[] = {3 / 9.0, 2 / 3.0 * (2 / 11.0), 3 / 23.0, 0};
  const double plain[] = {3 / 9.0, 2 / 11.0, 3 / 23.0, 0};
  const double outgoing[] = {1 / 2.0 + 1 / 7.0, 1 / 5.0 + 1 / 4.0, 1, 1 / 3.0 + 1 / 9.0 + 1 / 12.0};
  const double incoming[] = {1 / 5.0 + 1 + 1 / 3.0, 1 / 2.0 + 1 / 9.0, 1 / 7.0 + 1 / 4.0 + 1 / 12.0,
                             0};
  for (int i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(out[i], summary.vertices[i].outCloseness()) << i;
    EXPECT_DOUBLE_EQ(networkx[i], summary.vertices[i].networkxCloseness().value()) << i;
    EXPECT_DOUBLE_EQ(plain[i], summary.vertices[i].networkxPlainCloseness().value()) << i;
    EXPECT_DOUBLE_EQ(outgoing[i], summary.vertices[i].harmonic) << i;
    EXPECT_DOUBLE_EQ(incoming[i], summary.vertices[i].networkxHarmonic().value()) << i;
  }
  EXPECT_DOUBLE_EQ((1 / 2.0 + 1 / 7.0 + 1 / 5.0 + 1 / 4.0 + 1 + 1 / 3.0 + 1 / 9.0 + 1 / 12.0) / 12,
                   summary.efficiency());
  EXPECT_FALSE(summary.wiener());
  const Selection asked = {{3, 0}, {1, 3}};  // rows 3 and 0, and no column 0
  const Summary table = summaryOf(PickedDistances(all, asked));
  EXPECT_DOUBLE_EQ(1 / 9.0, table.vertices[0].outCloseness());
  EXPECT_EQ(0, table.vertices[0].networkxCloseness());
  EXPECT_FALSE(table.vertices[1].networkxCloseness());
  const Selection sources = {{3, 0}, {}};
  EXPECT_DOUBLE_EQ(1 / 3.0,
                   *summaryOf(PickedDistances(all, sources)).vertices[1].networkxCloseness());
  const std::vector<int> edge = {0, 0, kInf, 0};
  const Summary zero = summaryOf(HostDistances(2, edge));
  EXPECT_EQ(HUGE_VAL, zero.vertices[0].outCloseness());
  EXPECT_EQ(0, zero.vertices[1].networkxCloseness());
  EXPECT_EQ(0, zero.vertices[1].networkxHarmonic()) << "1/0 is left out";
  EXPECT_EQ(0, zero.efficiency());
}

TEST(Summaries, AddUpAllPairs) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 61) + 1;
  const std::vector<std::int64_t> distances = {0, kLarge, kLarge, 0};
  const Summary summary = summaryOf(HostDistances(2, distances));
  EXPECT_TRUE(summary.wiener()->whole == 2 * static_cast<__int128>(kLarge));
  EXPECT_EQ("global efficiency 4.33681e-19, Wiener index 4611686018427387906",
            measuresText(summary));
  const Selection sources = {{1}, {}};
  EXPECT_EQ("efficiency 4.33681e-19, sum of distances 2305843009213693953",
            measuresText(summaryOf(PickedDistances(HostDistances(2, distances), sources))));
}

/// Pairs with each distance, and how the range is divided if there are too many values.
TEST(Histograms, CountPairs) {
  const std::vector<int> few = {0, 9999, kInf, 3, 0, 3, kInf, 0, 0};
  const Histogram found = histogramOf(HostDistances(3, few));
  ASSERT_EQ(3u, found.bins.size());
  const int values[] = {0, 3, 9999}, pairs[] = {1, 2, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Number(values[i]), found.bins[i].from);
    EXPECT_EQ(Number(values[i]), found.bins[i].to);
    EXPECT_EQ(static_cast<std::uint64_t>(pairs[i]), found.bins[i].pairs);
  }
  EXPECT_EQ(2u, found.unreachable);
  const std::vector<int> many = {0, 10000, -7, 0};
  const std::vector<HistogramBin> bins = histogramOf(HostDistances(2, many)).bins;
  ASSERT_EQ(910u, bins.size());  // of 11 whole numbers
  EXPECT_EQ(Number(-7), bins.front().from);
  EXPECT_EQ(Number(3), bins.front().to);
  EXPECT_EQ(1u, bins.front().pairs);
  EXPECT_EQ(Number(10000), bins.back().to);
  EXPECT_EQ(1u, bins.back().pairs);
  const std::vector<double> reals = {0, 0.5, 1000, 0};
  const std::vector<HistogramBin> thousand = histogramOf(HostDistances(2, reals)).bins;
  ASSERT_EQ(1000u, thousand.size());
  EXPECT_EQ(1u, thousand.front().pairs);
  EXPECT_EQ(1u, thousand.back().pairs);
  const std::vector<float> one = {0};
  EXPECT_EQ(0u, histogramOf(HostDistances(1, one)).bins.at(0).pairs);
}

TEST(Summaries, OfGraphsWithFewPaths) {
  const Selection asked = {{3, 0}, {1, 3}};
  const std::vector<int> words = {0, kInf, 2, 7, 5, 0, 5, 5, 5, 5, 0, 5, 4, 9, 5, 0};
  const HostDistances all(4, words);
  const Summary table = summaryOf(PickedDistances(all, asked));
  EXPECT_EQ("largest distance 9, mean distance 8 over 2 pairs", summaryText(table));
  EXPECT_EQ(3, table.vertices[0].vertex);
  EXPECT_EQ(1, table.vertices[0].reachable);
  EXPECT_EQ(1, table.vertices[0].others);
  EXPECT_EQ(Number(9), table.vertices[0].eccentricity);
  EXPECT_EQ(2, table.vertices[1].others);
  const std::vector<int> none = {0}, apart = {0, kInf, kInf, 0};
  const Summary one = summaryOf(HostDistances(1, none));
  EXPECT_EQ("diameter 0, radius 0, mean distance 0 over 0 pairs", summaryText(one));
  const Summary two = summaryOf(HostDistances(2, apart));
  EXPECT_FALSE(two.radius().has_value());
}

template <class T>
Summary summaryOfAnEdge(T weight, const Selection* asked = nullptr) {
  const std::vector<T> elements = {0, weight, kInfinity<T>, 0};
  const HostDistances all(2, elements);
  return asked == nullptr ? summaryOf(all) : summaryOf(PickedDistances(all, *asked));
}

TEST(Summaries, OfEveryType) {
  const Selection asked = {{0, 1}, {1}};
  const char* const both =
      "diameter 1 (of the pairs with a path), radius 1, mean distance 1 over 1 pair";
  const char* const table = "largest distance 1, mean distance 1 over 1 pair";
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      EXPECT_EQ(both, summaryText(summaryOfAnEdge<T>(1)));
      EXPECT_EQ(table, summaryText(summaryOfAnEdge<T>(1, &asked)));
      EXPECT_EQ(Number(T(1)), summaryOfAnEdge<T>(1).diameter());
      EXPECT_EQ(Number(T(1)), summaryOfAnEdge<T>(1, &asked).vertices[0].eccentricity);
    });
  constexpr std::int64_t large = (std::int64_t{1} << 61) + 1;
  EXPECT_EQ(Number(large), summaryOfAnEdge(large).diameter());
  EXPECT_EQ(Number(large), summaryOfAnEdge(large).radius());
  EXPECT_EQ(Number(large), summaryOfAnEdge(large, &asked).diameter());
  EXPECT_EQ(0x1p61, summaryOfAnEdge(large).mean());
  EXPECT_EQ(Number(1e300), summaryOfAnEdge(1e300).diameter());
  EXPECT_EQ(1e300, summaryOfAnEdge(1e300, &asked).mean());
}

}  // namespace
