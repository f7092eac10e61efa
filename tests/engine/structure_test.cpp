// The structure of random graphs, compared with what their distances and definitions say.
#include "base/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "dense/plain_cpu.h"
#include "devices.h"
#include "seed.h"
#include "types.h"

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

/// A test of each type of weights.
template <class T>
class Structure : public testing::Test {};
TYPED_TEST_SUITE(Structure, AllTypes);

template <class T>
Matrix reachable(const Edges<T>& edges, int n, bool bothWays) {
  Edges<T> all = edges;
  for (const Edge<T>& e : edges)
    if (bothWays) all.push_back({e.to, e.from, e.weight});
  Matrix matrix = toMatrix(fromEdges(n, all));
  apspScalar(n, matrix.data());
  return matrix;
}

TYPED_TEST(Structure, ComponentsAreThoseOfTheDistances) {
  using T = TypeParam;
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 60; ++turn) {
    const int n = 1 + static_cast<int>(random() % 40);
    Edges<T> edges;
    for (int k = static_cast<int>(random() % (2 * n)); k > 0; --k)
      edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n), 1});
    const Matrix one = reachable(edges, n, false), both = reachable(edges, n, true);
    Graph matrix;
    matrix.n = n;
    matrix.body = toMatrix(fromEdges(n, edges));
    const auto reaches = [](const Matrix& distances, int u, int v) {
      return distances.row<T>(u)[v] < kInfinity<T>;
    };
    const Components weak = componentsBy(n, [&](int u, int v) { return reaches(both, u, v); });
    const Components strong =
        componentsBy(n, [&](int u, int v) { return reaches(one, u, v) && reaches(one, v, u); });
    const Graph list = fromEdges(n, edges);
    for (const Graph* graph : {&list, static_cast<const Graph*>(&matrix)}) {
      EXPECT_EQ(weak.count, weakComponents(*graph).count);
      EXPECT_EQ(weak.largest, weakComponents(*graph).largest);
      EXPECT_EQ(strong.count, strongComponents(*graph).count);
      EXPECT_EQ(strong.largest, strongComponents(*graph).largest);
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(0, strongComponents(fromEdges<T>(0, {})).count);
}

TYPED_TEST(Structure, DegreesAreCountedInPowersOfTwo) {
  using T = TypeParam;
  Edges<T> edges;
  for (int v = 1; v < 9; ++v) edges.push_back({0, v, 1});
  edges.push_back({1, 2, 1});
  const Degrees degrees = degreesOf(fromEdges(9, edges));
  EXPECT_EQ((DegreeHistogram{7, 1, 0, 0, 1}), degrees.out);
  EXPECT_EQ((DegreeHistogram{1, 7, 1}), degrees.in);
  EXPECT_EQ(8, degrees.mostOut);
  EXPECT_EQ(2, degrees.mostIn);
  EXPECT_TRUE(degreesOf(fromEdges<T>(0, {})).out.empty());
}

TYPED_TEST(Structure, MetricIsWhatItsDefinitionSays) {
  using T = TypeParam;
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 40; ++turn) {
    const int n = 2 + static_cast<int>(random() % 12);
    Matrix matrix(n, kDtype<T>);
    const auto weights = [&](int i, int j) -> T& { return matrix.row<T>(i)[j]; };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        weights(i, j) = i == j              ? 0
                        : random() % 4 == 0 ? kInfinity<T>
                                            : static_cast<T>(random() % 10);
    std::uint64_t missing = 0, zeros = 0, asymmetric = 0, longer = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (i == j) continue;
        const T weight = weights(i, j);
        missing += weight == kInfinity<T>;
        if (weight == kInfinity<T>) continue;
        zeros += weight == 0;
        asymmetric += weights(j, i) != weight;
        bool over = false;
        for (int k = 0; k < n; ++k)
          over |= k != i && k != j && weights(i, k) + weights(k, j) < weight;
        longer += over;
      }
    }
    Graph graph;
    graph.n = n;
    graph.body = std::move(matrix);
    const Metric metric = metricOf(graph);
    EXPECT_EQ(missing, metric.missing);
    EXPECT_EQ(zeros, metric.zeros);
    EXPECT_EQ(asymmetric, metric.asymmetric);
    EXPECT_EQ(longer, metric.longer);
    EXPECT_EQ(metric.looked + missing, static_cast<std::uint64_t>(n) * (n - 1));
  }
}

TYPED_TEST(Structure, DistancesAreAMetricAndOfManyEdgesSomeAreCompared) {
  using T = TypeParam;
  Spec spec = specOf(familyIndex("uniform"), 80, 4, true);
  spec.dtype = kDtype<T>;
  Matrix weights = toMatrix(generate(spec));
  for (int i = 0; i < 80; ++i)
    for (int j = 0; j < 80; ++j) weights.row<T>(i)[j] += i == j ? 0 : 1;
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
