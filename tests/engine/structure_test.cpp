// The structure of random graphs, compared with what their distances and definitions say.
#include "base/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "dense/plain_cpu.h"
#include "devices.h"

namespace {

/// Sets of vertices that `together` puts in one, which is an equivalence.
template <class Together>
Components componentsBy(int n, Together together) {
  Components found;
  std::vector<char> taken(static_cast<std::size_t>(n), 0);
  for (int v = 0; v < n; ++v) {
    if (taken[v] != 0) continue;
    int size = 0;
    for (int u = v; u < n; ++u) {
      if (u != v && !together(u, v)) continue;
      taken[u] = 1;
      ++size;
    }
    ++found.count;
    found.largest = std::max(found.largest, size);
  }
  return found;
}

Matrix reachable(const std::vector<Edge>& edges, int n, bool bothWays) {
  std::vector<Edge> all = edges;
  for (const Edge& e : edges)
    if (bothWays) all.push_back({e.to, e.from, e.weight});
  Matrix matrix = toMatrix(fromEdges(n, all));
  apspScalar(n, matrix.data());
  return matrix;
}

TEST(Structure, ComponentsAreThoseOfTheDistances) {
  std::mt19937 random(std::random_device{}());
  for (int turn = 0; turn < 60; ++turn) {
    const int n = 1 + static_cast<int>(random() % 40);
    std::vector<Edge> edges;
    for (int k = static_cast<int>(random() % (2 * n)); k > 0; --k)
      edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n), 1});
    const Matrix one = reachable(edges, n, false), both = reachable(edges, n, true);
    Graph matrix;
    matrix.n = n;
    matrix.body = toMatrix(fromEdges(n, edges));
    const Components weak = componentsBy(n, [&](int u, int v) { return both.row(u)[v] < kInf; });
    const Components strong =
        componentsBy(n, [&](int u, int v) { return one.row(u)[v] < kInf && one.row(v)[u] < kInf; });
    const Graph list = fromEdges(n, edges);
    for (const Graph* graph : {&list, static_cast<const Graph*>(&matrix)}) {
      EXPECT_EQ(weak.count, weakComponents(*graph).count);
      EXPECT_EQ(weak.largest, weakComponents(*graph).largest);
      EXPECT_EQ(strong.count, strongComponents(*graph).count);
      EXPECT_EQ(strong.largest, strongComponents(*graph).largest);
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(0, strongComponents(fromEdges(0, {})).count);
}

TEST(Structure, DegreesAreCountedInPowersOfTwo) {
  std::vector<Edge> edges;
  for (int v = 1; v < 9; ++v) edges.push_back({0, v, 1});
  edges.push_back({1, 2, 1});
  const Degrees degrees = degreesOf(fromEdges(9, edges));
  EXPECT_EQ((DegreeHistogram{7, 1, 0, 0, 1}), degrees.out);
  EXPECT_EQ((DegreeHistogram{1, 7, 1}), degrees.in);
  EXPECT_EQ(8, degrees.mostOut);
  EXPECT_EQ(2, degrees.mostIn);
  EXPECT_TRUE(degreesOf(fromEdges(0, {})).out.empty());
}

TEST(Structure, MetricIsWhatItsDefinitionSays) {
  std::mt19937 random(std::random_device{}());
  for (int turn = 0; turn < 40; ++turn) {
    const int n = 2 + static_cast<int>(random() % 12);
    Matrix weights(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        weights.row(i)[j] = i == j ? 0 : random() % 4 == 0 ? kInf : static_cast<int>(random() % 10);
    std::uint64_t missing = 0, zeros = 0, asymmetric = 0, longer = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (i == j) continue;
        const int weight = weights.row(i)[j];
        missing += weight == kInf;
        if (weight == kInf) continue;
        zeros += weight == 0;
        asymmetric += weights.row(j)[i] != weight;
        bool over = false;
        for (int k = 0; k < n; ++k)
          over |= k != i && k != j && weights.row(i)[k] + weights.row(k)[j] < weight;
        longer += over;
      }
    }
    Graph graph;
    graph.n = n;
    graph.body = std::move(weights);
    const Metric metric = metricOf(graph);
    EXPECT_EQ(missing, metric.missing);
    EXPECT_EQ(zeros, metric.zeros);
    EXPECT_EQ(asymmetric, metric.asymmetric);
    EXPECT_EQ(longer, metric.longer);
    EXPECT_EQ(metric.looked + missing, static_cast<std::uint64_t>(n) * (n - 1));
  }
}

TEST(Structure, DistancesAreAMetricAndOfManyEdgesSomeAreCompared) {
  Matrix weights = toMatrix(generate(specOf(familyIndex("uniform"), 80, 4, true)));
  for (int i = 0; i < 80; ++i)
    for (int j = 0; j < 80; ++j) weights.row(i)[j] += i == j ? 0 : 1;
  apspScalar(80, weights.data());
  Graph graph;
  graph.n = 80;
  graph.body = std::move(weights);
  EXPECT_TRUE(metricOf(graph).holds());
  const Metric some = metricOf(graph, 1e5);
  EXPECT_FALSE(some.all);
  EXPECT_FALSE(some.holds());
  EXPECT_EQ(0u, some.longer);
  EXPECT_GE(some.looked, 5u * 79);
  EXPECT_LT(some.looked, 40u * 79);
}

}  // namespace
