// Paths that are followed along distances: each is a shortest one, and wrong distances are noticed.
#include "generate/families.h"
#include "paths/path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "io/formats/formats.h"
#include "paths/summary.h"
#include "results/stored.h"
#include "results/summary_file.h"
#include "verify/distances_to.h"
#include "verify/verify.h"

namespace {

/// The distances to `target` of an n×n matrix.
std::vector<double> columnOf(const Matrix& matrix, int target, Dtype dtype) {
  std::vector<double> column;
  for (int i = 0; i < matrix.n(); ++i) {
    const int word = matrix.row(i)[target];
    column.push_back(word == infinity(dtype) ? INFINITY : toDouble(word, dtype));
  }
  return column;
}

void expectShortest(const Path& path, const Matrix& weights, int from, int target, double distance,
                    Dtype dtype, double tolerance) {
  ASSERT_EQ(path.vertices.size(), path.weights.size() + 1);
  EXPECT_EQ(from, path.vertices.front());
  EXPECT_EQ(target, path.vertices.back());
  EXPECT_EQ(path.vertices.size(), std::set<int>(path.vertices.begin(), path.vertices.end()).size());
  for (std::size_t i = 0; i < path.weights.size(); ++i) {
    EXPECT_EQ(weights.row(path.vertices[i])[path.vertices[i + 1]], path.weights[i]);
    EXPECT_LT(path.weights[i], infinity(dtype));
  }
  EXPECT_NEAR(distance, lengthOf(path, dtype), tolerance * distance);
}

/// Follows the distances of all pairs, by those of the plain loop and by Dijkstra's.
void expectPaths(const Spec& spec) {
  SCOPED_TRACE(describe(spec) + " " + nameOf(spec.dtype));
  const Graph graph = generate(spec);
  const Matrix weights = toMatrix(generate(spec));
  Matrix distances = toMatrix(generate(spec));
  apspScalar(spec.n, distances.data(), spec.dtype);
  const Leaving leaving(graph);
  const DistancesTo solver(graph);
  const double off = tolerance(spec.n, spec.dtype, 2);
  for (int target = 0; target < spec.n; ++target) {
    const std::vector<double> stored = columnOf(distances, target, spec.dtype);
    const std::vector<double> found = solver.vertex(target);
    for (int from = 0; from < spec.n; ++from) {
      ASSERT_EQ(std::isinf(stored[from]), std::isinf(found[from]));
      if (std::isinf(stored[from])) continue;
      for (const auto& [to, within] : {std::pair(stored, off), std::pair(found, 0.0)}) {
        const auto path = followDistances(leaving, to, from, target, within);
        ASSERT_TRUE(path) << from << " to " << target;
        expectShortest(*path, weights, from, target, to[from], spec.dtype,
                       off * static_cast<double>(path->vertices.size()));
      }
    }
  }
}

TEST(Paths, AreShortestOfEveryFamily) {
  const std::uint64_t seed = std::random_device{}();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 40}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        expectPaths(spec);
        if (HasFailure()) return;
      }
    }
  }
}

/// Weights of 0 and 1: most edges of weight 0 are on cycles of length 0.
TEST(Paths, DoNotGoInCircles) {
  std::mt19937 random(std::random_device{}());
  for (int turn = 0; turn < 30; ++turn) {
    constexpr int kVertices = 30;
    std::vector<Edge> edges;
    for (int k = 0; k < 3 * kVertices; ++k)
      edges.push_back({static_cast<int>(random() % kVertices),
                       static_cast<int>(random() % kVertices), static_cast<int>(random() % 2)});
    const Graph graph = fromEdges(kVertices, edges);
    Graph copy = graph.dense() ? Graph() : fromEdges(kVertices, edges);
    const Matrix weights = toMatrix(std::move(copy));
    const Leaving leaving(graph);
    const DistancesTo solver(graph);
    for (int target = 0; target < kVertices; ++target) {
      const std::vector<double> to = solver.vertex(target);
      for (int from = 0; from < kVertices; ++from) {
        if (std::isinf(to[from])) continue;
        const auto path = followDistances(leaving, to, from, target, 0);
        ASSERT_TRUE(path);
        expectShortest(*path, weights, from, target, to[from], Dtype::kInt32, 0);
      }
    }
  }
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
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
    Spec spec = specOf(familyIndex("sparse"), 24, 3);
    spec.dtype = dtype;
    spec.degree = 2;
    const Graph graph = generate(spec);
    const Leaving leaving(graph);
    const DistancesTo solver(graph);
    const double off = tolerance(graph.n, dtype, 2);
    for (std::size_t out = 0; out < graph.edges().size(); ++out) {
      std::vector<Edge> edges = graph.edges();
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(out));
      const DistancesTo without(fromEdges(graph.n, edges, dtype));
      for (int target = 0; target < graph.n; ++target) {
        const std::vector<double> right = solver.vertex(target), other = without.vertex(target);
        EXPECT_FALSE(findShortcut(leaving, right, target, off)) << target;
        EXPECT_EQ(right != other, findShortcut(leaving, other, target, off).has_value()) << target;
      }
    }
  }
}

TEST(Paths, LookUpStoredDistancesOfOneGraphOnly) {
  const TempDir dir;
  const Graph graph = generate(specOf(familyIndex("disconnected"), 50, 3));
  const Graph other = generate(specOf(familyIndex("disconnected"), 50, 4));
  Matrix distances = toMatrix(generate(specOf(familyIndex("disconnected"), 50, 3)));
  apspScalar(graph.n, distances.data(), graph.dtype);
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
        EXPECT_EQ(columnOf(distances, target, graph.dtype), stored.column(target));
      expectError(Exit::kInput, "d.npy", "another graph",
                  [&] { StoredMatrix(dir / "d.npy", other); });
    }
  }
  OutputFile out(dir / "d.npy");
  writeDistances(out, graph.n, distances.data());
  EXPECT_FALSE(StoredMatrix(dir / "d.npy", graph).saysGraph());
}

TEST(Paths, LookUpStoredDistances) {
  const TempDir dir;
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
    Spec spec = specOf(familyIndex("sparse"), 50, 3);
    spec.dtype = dtype;
    const Graph graph = generate(spec);
    Matrix distances = toMatrix(generate(spec));
    apspScalar(spec.n, distances.data(), dtype);
    for (const char* name : {"d.npy", "d.bin"}) {
      if (dtype == Dtype::kFloat32 && name == std::string("d.bin")) continue;  // it holds none
      OutputFile out(dir / name);
      writeDistances(out, spec.n, distances.data(), dtype);
      const StoredMatrix stored(dir / name, graph);
      for (const int target : {0, 31, 49})
        EXPECT_EQ(columnOf(distances, target, dtype), stored.column(target)) << name;
    }
  }
  const Graph other = generate(specOf(familyIndex("sparse"), 51, 3));
  expectError(Exit::kInput, "d.bin", "distances of 50 vertices, but the graph has 51",
              [&] { StoredMatrix(dir / "d.bin", other); });
  Spec real = specOf(familyIndex("sparse"), 50, 3);
  real.dtype = Dtype::kInt32;
  const Graph whole = generate(real);
  expectError(Exit::kInput, "d.npy", "f32 distances, but the graph has i32 weights",
              [&] { StoredMatrix(dir / "d.npy", whole); });
}

TEST(Summaries, SayWhatTheDistancesSay) {
  const int none = kInf;
  const std::vector<int> distances = {0, 2,    7,  none,  //
                                      5, 0,    4,  none,  //
                                      1, none, 0,  none,  //
                                      3, 9,    12, 0};
  const Summary summary = summaryOf(HostDistances(4, Dtype::kInt32, distances));
  const int reachable[] = {2, 2, 1, 3}, eccentricity[] = {7, 5, 1, 12};
  const double mean[] = {4.5, 4.5, 1, 8};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(reachable[i], summary.vertices[i].reachable) << i;
    EXPECT_EQ(eccentricity[i], summary.vertices[i].eccentricity) << i;
    EXPECT_EQ(mean[i], summary.vertices[i].mean()) << i;
  }
  EXPECT_EQ(8u, summary.pairs());
  EXPECT_EQ(12, summary.diameter());
  EXPECT_EQ(12, summary.radius());  // only the last vertex reaches all
  EXPECT_EQ(43 / 8.0, summary.mean());
  EXPECT_EQ("diameter 12, radius 12, mean distance 5.375 over 8 pairs", summaryText(summary));
}

/// NetworkX: closeness_centrality() of the graph of these distances.
TEST(Summaries, TellTwoKindsOfCloseness) {
  const std::vector<int> distances = {0, 2,    7,  kInf,  //
                                      5, 0,    4,  kInf,  //
                                      1, kInf, 0,  kInf,  //
                                      3, 9,    12, 0};
  const HostDistances all(4, Dtype::kInt32, distances);
  const Summary summary = summaryOf(all);
  const double out[] = {2 / 9.0, 2 / 9.0, 1, 3 / 24.0};
  const double networkx[] = {3 / 9.0, 2 / 3.0 * (2 / 11.0), 3 / 23.0, 0};
  for (int i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(out[i], summary.vertices[i].outCloseness()) << i;
    EXPECT_DOUBLE_EQ(networkx[i], summary.vertices[i].networkxCloseness().value()) << i;
  }
  const Selection asked = {{3, 0}, {1, 3}};  // rows 3 and 0, and no column 0
  const Summary table = summaryOf(PickedDistances(all, asked));
  EXPECT_DOUBLE_EQ(1 / 9.0, table.vertices[0].outCloseness());
  EXPECT_EQ(0, table.vertices[0].networkxCloseness());
  EXPECT_FALSE(table.vertices[1].networkxCloseness());
  const Selection sources = {{3, 0}, {}};
  EXPECT_DOUBLE_EQ(1 / 3.0,
                   *summaryOf(PickedDistances(all, sources)).vertices[1].networkxCloseness());
  const Summary zero = summaryOf(HostDistances(2, Dtype::kInt32, {0, 0, kInf, 0}));
  EXPECT_EQ(HUGE_VAL, zero.vertices[0].outCloseness());
  EXPECT_EQ(0, zero.vertices[1].networkxCloseness());
}

TEST(Summaries, OfGraphsWithFewPaths) {
  const Selection asked = {{3, 0}, {1, 3}};
  const std::vector<int> words = {0, kInf, 2, 7, 5, 0, 5, 5, 5, 5, 0, 5, 4, 9, 5, 0};
  const HostDistances all(4, Dtype::kInt32, words);
  const Summary table = summaryOf(PickedDistances(all, asked));
  EXPECT_EQ("largest distance 9, mean distance 8 over 2 pairs", summaryText(table));
  EXPECT_EQ(3, table.vertices[0].vertex);
  EXPECT_EQ(1, table.vertices[0].reachable);
  EXPECT_EQ(1, table.vertices[0].others);
  EXPECT_EQ(9, table.vertices[0].eccentricity);
  EXPECT_EQ(2, table.vertices[1].others);
  const Summary one = summaryOf(HostDistances(1, Dtype::kInt32, {0}));
  EXPECT_EQ("diameter 0, radius 0, mean distance 0 over 0 pairs", summaryText(one));
  const Summary two = summaryOf(HostDistances(2, Dtype::kInt32, {0, kInf, kInf, 0}));
  EXPECT_FALSE(two.radius().has_value());
  const int half = floatWord(1), far = infinity(Dtype::kFloat32);
  const Summary real = summaryOf(HostDistances(2, Dtype::kFloat32, {0, half, far, 0}));
  EXPECT_EQ("diameter 1, radius 1, mean distance 1 over 1 pairs", summaryText(real));
}

}  // namespace
