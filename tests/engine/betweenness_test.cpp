// Betweenness, against sums over all triples of vertices.
#include "search/betweenness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/error.h"
#include "devices.h"

namespace {

/// Distances by the plain loop, and the number of shortest paths of each pair.
template <class T>
class AllPaths {
 public:
  explicit AllPaths(const ProblemGraph& graph)
      : n_(graph.n()),
        distances_(byPlainLoop(graph)),
        counts_(asSize(n_), std::vector<double>(asSize(n_))) {
    for (int s = 0; s < n_; ++s) {
      std::vector<int> order(asSize(n_));
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int a, int b) { return at(s, a) < at(s, b); });
      counts_[asSize(s)][asSize(s)] = 1;
      for (const int v : order)
        for (const Edge<T>& e : graph.onHost().edges<T>())
          if (e.to == v && reaches(s, e.from) && at(s, e.from) + e.weight == at(s, v))
            counts_[asSize(s)][asSize(v)] += counts_[asSize(s)][asSize(e.from)];
    }
  }
  T at(int from, int to) const { return distances_.row<T>(from)[to]; }
  bool reaches(int from, int to) const { return at(from, to) < kInfinity<T>; }
  double count(int from, int to) const { return counts_[asSize(from)][asSize(to)]; }

  double ofVertex(int v) const {
    double sum = 0;
    for (int s = 0; s < n_; ++s)
      for (int t = 0; t < n_; ++t)
        if (s != t && s != v && t != v && reaches(s, v) && reaches(v, t) &&
            at(s, v) + at(v, t) == at(s, t))
          sum += count(s, v) * count(v, t) / count(s, t);
    return sum;
  }
  double ofEdge(const Edge<T>& e) const {
    double sum = 0;
    for (int s = 0; s < n_; ++s)
      for (int t = 0; t < n_; ++t)
        if (s != t && reaches(s, e.from) && reaches(e.to, t) &&
            at(s, e.from) + e.weight + at(e.to, t) == at(s, t))
          sum += count(s, e.from) * count(e.to, t) / count(s, t);
    return sum;
  }

 private:
  int n_;
  const Matrix distances_;
  std::vector<std::vector<double>> counts_;
};

template <class T>
ProblemGraph randomGraph(int n, int edges, int heaviest, bool undirected, std::mt19937& random) {
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
  };
  Edges<T> list;
  for (int e = 0; e < edges; ++e) {
    const int from = below(n), to = below(n);
    const T weight = static_cast<T>(1 + below(heaviest));
    list.push_back({from, to, weight});
    if (undirected) list.push_back({to, from, weight});
  }
  return ProblemGraph(fromEdges(n, std::move(list)));
}

template <class T>
void expectRight(const ProblemGraph& graph, bool undirected) {
  const AllPaths<T> right(graph);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
  for (const bool directed : {true, false})
    for (const bool sweeps : {true, false}) {
      BetweennessOptions options;
      options.edges = true;
      options.directed = directed;
      options.sweeps = sweeps;
      const Betweenness found = betweennessOf(graph.onHost(), options);
      ASSERT_EQ(undirected && !directed, found.undirected);
      const int half = found.undirected ? 2 : 1;
      for (int v = 0; v < graph.n(); ++v)
        ASSERT_TRUE(near(found.vertices[asSize(v)], right.ofVertex(v) / half)) << v;
      const Edges<T>& edges = graph.onHost().edges<T>();
      for (std::size_t e = 0; e < edges.size(); ++e) {
        // Both directions of an undirected edge are one.
        ASSERT_TRUE(near(found.edges[e], right.ofEdge(edges[e]))) << e;
      }
    }
}

TEST(Betweenness, IsThatOfAllTriples) {
  std::mt19937 random(3);
  for (const int n : {2, 3, 8, 30})
    for (const int edges : {n, 3 * n})
      for (const int heaviest : {1, 3, 100}) {
        expectRight<std::int32_t>(randomGraph<std::int32_t>(n, edges, heaviest, true, random),
                                  true);
        expectRight<double>(randomGraph<double>(n, edges, heaviest, true, random), true);
      }
  expectRight<std::int64_t>(randomGraph<std::int64_t>(25, 80, 3, false, random), false);
  expectRight<float>(randomGraph<float>(25, 80, 3, false, random), false);
}

TEST(Betweenness, OfSamplesKeepsItsBound) {
  std::mt19937 random(4);
  const int n = 400;
  const auto graph = randomGraph<std::int32_t>(n, 900, 20, true, random);
  const Betweenness exact = betweennessOf(graph.onHost(), {});
  const double most = mostOfVertex(n, true), error = 0.15;
  const int samples = samplesFor(error, n, n);
  ASSERT_LT(samples, n);
  int off = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    BetweennessOptions options;
    options.samples = samples;
    options.seed = seed;
    const Betweenness found = betweennessOf(graph.onHost(), options);
    ASSERT_EQ(samples, found.sources);
    double largest = 0;
    for (int v = 0; v < n; ++v)
      largest =
          std::max(largest, std::abs(found.vertices[asSize(v)] - exact.vertices[asSize(v)]) / most);
    EXPECT_GT(largest, 0);
    off += largest > error;
  }
  EXPECT_LE(off, 2);
  EXPECT_EQ(n, samplesFor(1e-6, n, n));
}

TEST(Betweenness, WeightsOf0AreInfinitelySmall) {
  std::mt19937 random(5);
  for (int round = 0; round < 10; ++round) {
    const auto graph = randomGraph<std::int32_t>(20, 50, 4, round % 2 == 0, random);
    Edges<std::int32_t> zeros = graph.onHost().edges<std::int32_t>(), small = zeros;
    for (std::size_t e = 0; e < zeros.size(); ++e) {
      zeros[e].weight -= 1;
      small[e].weight = zeros[e].weight == 0 ? 1 : 1000 * zeros[e].weight;
    }
    const Graph with = fromEdges(20, zeros);
    const ProblemGraph without(fromEdges(20, small));
    BetweennessOptions directed;
    directed.directed = true;
    directed.sweeps = round % 3 != 0;
    const Betweenness found = betweennessOf(with, directed);
    const AllPaths<std::int32_t> right(without);
    for (int v = 0; v < 20; ++v) ASSERT_NEAR(right.ofVertex(v), found.vertices[asSize(v)], 1e-9);
  }
}

TEST(Betweenness, RefusesRealWeightsOf0) {
  const ProblemGraph graph(fromEdges<double>(3, {{0, 1, 2}, {1, 2, 0}}));
  try {
    betweennessOf(graph.onHost(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        "betweenness takes real weights above 0, and the edge from 1 to 2 has 0: leave it "
        "out, or take whole weights",
        error.what());
  }
}

}  // namespace
