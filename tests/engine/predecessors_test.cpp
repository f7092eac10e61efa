// Predecessors: from each vertex they lead to the source, and the edges on the way have the
// distance as their sum.
#include "paths/predecessors.h"
#include "generate/families.h"
#include "generate/source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "measure/session.h"
#include "negative/negative.h"
#include "negative/potentials.h"
#include "paths/predecessors_gpu.h"
#include "results/predecessor_file.h"
#include "seed.h"
#include "verify/bellman_ford.h"
#include "verify/tree.h"

namespace {

/// n×n elements.
template <class T>
struct Square {
  int n;
  std::vector<T> all;
  const T* row(int i) const { return all.data() + asSize(i) * asSize(n); }
  T& at(int i, int j) { return all[asSize(i) * asSize(n) + asSize(j)]; }
};
using Trees = Square<int>;

template <class T>
Square<T> squareOf(const Matrix& matrix) {
  const T* const begin = matrix.data().as<T>();
  return {matrix.n(), std::vector<T>(begin, begin + matrix.size())};
}

template <class T>
Square<T> distancesOf(const Square<T>& weights) {
  Square<T> distances = weights;
  apspScalar(weights.n, distances.all.data());
  return distances;
}

template <class T>
Trees predecessorsOf(const Graph& graph, const Square<T>& distances, bool known,
                     const std::vector<std::int64_t>& potentials = {}) {
  Trees result{distances.n, std::vector<int>(distances.all.size())};
  const ConstElements all(distances.all.data());
  const Predecessors finder(graph, known ? all : ConstElements(), potentials);
  finder.rows(0, graph.n, all, result.all.data());
  return result;
}

/// Walks from each vertex to the source. Shares no code with TreeCheck.
template <class T>
void expectTrees(const Square<T>& weights, const Square<T>& distances, const Trees& predecessors) {
  const int n = weights.n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const T distance = distances.row(i)[j];
      if (i == j || distance == kInfinity<T>) {
        ASSERT_EQ(-9999, predecessors.row(i)[j]) << i << " " << j;
        continue;
      }
      std::conditional_t<std::is_integral_v<T>, std::int64_t, long double> sum = 0;
      int steps = 0;
      for (int v = j; v != i; ++steps) {
        ASSERT_LT(steps, n) << "a cycle: " << i << " " << j;
        const int before = predecessors.row(i)[v];
        ASSERT_GE(before, 0) << i << " " << j;
        ASSERT_LT(before, n);
        ASSERT_LT(weights.row(before)[v], kInfinity<T>) << i << " " << j;
        sum += weights.row(before)[v];
        v = before;
      }
      if (std::is_integral_v<T>) {
        ASSERT_EQ(distance, sum) << i << " " << j;
      } else {
        const double off = tolerance(steps + 1, kDtype<T>, 2);  // of so many edges
        ASSERT_LE(std::abs(static_cast<double>(distance - sum)), off * static_cast<double>(sum))
            << i << " " << j;
      }
    }
  }
}

template <class T>
TreeFault faultIn(const Graph& graph, const Square<T>& distances, const Trees& predecessors) {
  return TreeCheck(graph).rows(0, graph.n, distances.all.data(), predecessors.all.data());
}

template <class T>
void expectRight(const Graph& graph, const Square<T>& weights) {
  const Square<T> distances = distancesOf(weights);
  for (const bool known : {false, true}) {
    const Trees found = predecessorsOf(graph, distances, known);
    expectTrees(weights, distances, found);
    EXPECT_EQ("", faultIn(graph, distances, found).why);
    if (testing::Test::HasFailure()) return;
  }
}

template <class T>
Graph matrixOf(int n, const Edges<T>& edges) {
  Graph graph = emptyGraph(n, kDtype<T>, true);
  graph.body = toMatrix(fromEdges(n, edges));
  return graph;
}

/// Both as edges and as a matrix.
template <class T>
void expectRight(int n, const Edges<T>& edges) {
  const Square<T> weights = squareOf<T>(toMatrix(fromEdges(n, edges)));
  expectRight(fromEdges(n, edges), weights);
  expectRight(matrixOf(n, edges), weights);
}

/// Whole weights in every type, each times a unit of it.
void expectRightInEveryType(int n, const Edges<std::int32_t>& edges) {
  const auto inUnits = [&](auto unit) {
    Edges<decltype(unit)> other;
    for (const auto& e : edges)
      other.push_back({e.from, e.to, static_cast<decltype(unit)>(e.weight) * unit});
    return other;
  };
  expectRight(n, edges);
  expectRight(n, inUnits(1.0F));
  expectRight(n, inUnits((std::int64_t{1} << 45) + 1));
  expectRight(n, inUnits(0.1));
}

TEST(Predecessors, OfEveryFamily) {
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 40}) {
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        SCOPED_TRACE(describe(spec) + " " + nameOf(dtype));
        withType(dtype, [&](auto zero) {
          expectRight(generate(spec), squareOf<decltype(zero)>(toMatrix(generate(spec))));
        });
        if (HasFailure()) return;
      }
    }
  }
}

/// Weights of 0 and 1: most edges of weight 0 are on cycles of length 0.
TEST(Predecessors, DoNotGoInCircles) {
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 60; ++turn) {
    const int n = 30 + static_cast<int>(random() % 40), most = 1 + turn % 3;
    Edges<std::int32_t> edges;
    for (int k = 0; k < (1 + turn % 5) * n; ++k)
      edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n),
                       static_cast<int>(random() % most)});
    expectRightInEveryType(n, edges);
    if (HasFailure()) return;
  }
}

/// A ring in which every edge weighs 0 in both directions, against the order of the numbers, too.
TEST(Predecessors, OfRingsAndCliquesOfWeightZero) {
  constexpr int kVertices = 270;  // more than kWorthThreads
  Edges<std::int32_t> ring, clique;
  for (int v = 0; v < kVertices; ++v) {
    ring.push_back({v, (v + 1) % kVertices, 0});
    ring.push_back({(v + 1) % kVertices, v, v == 7 ? 3 : 0});
    for (int u = 0; u < kVertices && v < 50; ++u)
      if (u != v && u < 50) clique.push_back({u, v, 0});
  }
  expectRightInEveryType(kVertices, ring);
  expectRightInEveryType(50, clique);
}

/// Weights that vanish in a sum of real numbers: D(k) + w = D(k), and cycles of such edges.
template <class T>
void expectRightOfVanishing(T small) {
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 30; ++turn) {
    const int n = 40;
    Edges<T> edges;
    for (int k = 0; k < 4 * n; ++k) {
      const T weight = random() % 3 == 0 ? 1000 + static_cast<T>(random() % 1000) / 7
                                         : static_cast<T>(random() % 5) * small;
      edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n), weight});
    }
    expectRight(n, edges);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Predecessors, OfRealsThatVanish) {
  expectRightOfVanishing(1e-6F);
  expectRightOfVanishing(1e-15);
}

/// Ways whose lengths are the same double, but not the same int64: only one of them is a shortest.
TEST(Predecessors, OfLargeInt64AreExact) {
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 60; ++turn) {
    const int n = 20 + static_cast<int>(random() % 20);
    const int bits = turn % 2 == 0 ? 40 : 55;
    Edges<std::int64_t> edges;
    for (int k = 0; k < (2 + turn % 5) * n; ++k) {
      const bool zero = random() % 5 == 0;
      edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n),
                       zero ? 0 : (std::int64_t{1} << bits) + static_cast<int>(random() % 3)});
    }
    expectRight(n, edges);
    if (HasFailure()) return;
  }
}

/// The predecessors in row 0. row: its distances.
template <class T>
std::vector<int> treeOf(const Graph& graph, const std::vector<T>& row) {
  std::vector<int> found(row.size());
  Predecessors(graph).rows(0, 1, row.data(), found.data());
  EXPECT_EQ("", TreeCheck(graph).rows(0, 1, row.data(), found.data()).why);
  return found;
}

/// Other edges fit within the tolerance of so many vertices, too.
TEST(Predecessors, OfRealsAttainTheLeastSum) {
  std::vector<float> row(3000, kInfinity<float>);
  row[0] = 0;
  row[1] = row[2] = 1000.5F;
  EXPECT_EQ(1,
            treeOf(fromEdges<float>(3000, {{0, 1, 1000.5F}, {1, 2, 0}, {0, 2, 1000.75F}}), row)[2]);

  const float first = 0.6152976751327515F, small = 3.767390808206983e-05F,
              third = 0.615310549736023F;
  row.assign(339, kInfinity<float>);
  row[0] = 0;
  row[1] = first;
  row[2] = row[3] = third;
  EXPECT_EQ(3,
            treeOf(fromEdges<float>(339, {{0, 1, first}, {1, 2, small}, {0, 3, third}, {3, 2, 0}}),
                   row)[2]);
}

/// From every second vertex two ways lead to the next one: an edge that fits within the tolerance,
/// and a shorter way whose last edge weighs 0. A thousand such edges are 20 % too long.
TEST(Predecessors, ErrorsOfManyEdgesDoNotAddUp) {
  constexpr int kVertices = 2001;
  Edges<float> edges = {{0, 1, 1000}};
  std::vector<float> row = {0, 1000};
  std::vector<int> wrong = {kNoPredecessor, 0};
  for (int v = 1; v + 2 < kVertices; v += 2) {
    edges.insert(edges.end(), {{v, v + 1, 0.001F}, {v + 1, v + 2, 0}, {v, v + 2, 0.2F}});
    row.insert(row.end(), 2, row.back() + 0.001F);
    wrong.insert(wrong.end(), 2, v);
  }
  const Graph graph = fromEdges(static_cast<int>(row.size()), edges);
  const std::vector<int> found = treeOf(graph, row);
  for (int v = 2; v < graph.n; ++v) EXPECT_EQ(v - 1, found[asSize(v)]) << v;
  const TreeFault fault = TreeCheck(graph).rows(0, 1, row.data(), wrong.data());
  EXPECT_EQ(asSize(kVertices) / 2 - 1, fault.count);
  EXPECT_EQ(3, fault.vertex);
  EXPECT_NE(std::string::npos,
            fault.why.find("predecessor 1, whose path of 2 edges has the length"))
      << fault.why;
}

/// Sums that are equal, but that each order rounds in another way; and edges of weight 0.
template <class T>
void expectRightOfTies(std::mt19937& random) {
  for (int turn = 0; turn < 40; ++turn) {
    const int n = 20 + static_cast<int>(random() % 40), least = turn % 2;
    Edges<T> edges;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int apart = std::abs(i - j), tenths = least + static_cast<int>(random() % 4);
        if (apart == 1 || random() % 4 == 0)
          edges.push_back(
              {i, j, static_cast<T>(0.1) * static_cast<T>(turn % 4 < 2 ? tenths : apart)});
      }
    }
    expectRight(n, edges);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Predecessors, OfRealsWithTies) {
  std::mt19937 random(testSeed());
  expectRightOfTies<float>(random);
  expectRightOfTies<double>(random);
}

TEST(Predecessors, OfLargeDoubles) {
  expectRight<double>(4, {{0, 1, 1e300}, {1, 2, 1e300}, {2, 3, 1}, {0, 2, 3e300}, {3, 0, 1e-300}});
}

// ---- negative weights ---------------------------------------------------------------------------

/// A random graph with potentials of its vertices in its weights: w = base + p(j) − p(i). Half of
/// the bases are 0, so there are many cycles of length 0 and many ties. most: the heaviest base.
/// unit: all of these are multiples of it.
template <class T = std::int32_t>
Edges<T> plantedEdges(int n, int arcs, int most, std::mt19937& random, T unit = 1) {
  std::vector<int> potential(static_cast<std::size_t>(n));
  for (int& p : potential) p = static_cast<int>(random() % 2000) - 1000;
  Edges<T> edges;
  for (int k = 0; k < arcs; ++k) {
    const int i = static_cast<int>(random() % n), j = static_cast<int>(random() % n);
    const int base = random() % 2 ? 0 : static_cast<int>(random() % most);
    if (i != j) edges.push_back({i, j, static_cast<T>(base + potential[j] - potential[i]) * unit});
  }
  return edges;
}

/// The distances of the graph as the plain loop finds them in 64 bits.
template <class T>
Square<T> signedDistances(const Square<T>& weights) {
  const int n = weights.n;
  Square<T> d = weights;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        if (d.at(i, k) == kInfinity<T> || d.at(k, j) == kInfinity<T>) continue;
        const std::int64_t through = std::int64_t{d.at(i, k)} + d.at(k, j);
        if (through < d.at(i, j)) d.at(i, j) = static_cast<T>(through);
      }
  return d;
}

template <class T>
void expectTreesOfNegativeWeights(T unit) {
  std::mt19937 random(testSeed());
  for (int turn = 0; turn < 300; ++turn) {
    const int n = turn % 10 == 0 ? 1 : 2 + static_cast<int>(random() % 60);
    const Edges<T> edges = plantedEdges(n, (1 + turn % 6) * n, 1 + turn % 4 * 40, random, unit);
    const Square<T> weights = squareOf<T>(toMatrix(fromEdges(n, edges)));
    const Square<T> distances = signedDistances(weights);
    for (const bool dense : {false, true}) {
      const Graph graph = dense ? matrixOf(n, edges) : fromEdges(n, edges);
      const auto potentials = potentialsOf(graph).of;
      for (const bool known : {false, true}) {
        const Trees found = predecessorsOf(graph, distances, known, potentials);
        expectTrees(weights, distances, found);
        EXPECT_EQ("", faultIn(graph, distances, found).why);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(NegativePredecessors, AreTreesOfTheGraphAsItWasGiven) {
  expectTreesOfNegativeWeights<std::int32_t>(1);
  expectTreesOfNegativeWeights<std::int64_t>((std::int64_t{1} << 45) + 1);
}

template <class T>
void expectRefusalOfNegative(const std::vector<T>& wrongs) {
  const Graph graph = fromEdges<T>(4, {{0, 1, -2}, {1, 2, 3}, {2, 1, -3}, {3, 0, 1}});
  const auto potentials = potentialsOf(graph).of;
  for (const T wrong : wrongs) {
    const std::vector<T> distances = {0, -2, wrong, kInfinity<T>};
    std::vector<int> found(4);
    expectError(ErrorCode::kMismatch, "no path", "from vertex 0 to vertex 2 has the distance", [&] {
      Predecessors(graph, {}, potentials).rows(0, 1, distances.data(), found.data());
    });
  }
}

TEST(NegativePredecessors, RefuseDistancesOfNoPath) {
  expectRefusalOfNegative<std::int32_t>({-1, 0, 2, -900});
  expectRefusalOfNegative<std::int64_t>({-1, 0, 2, -900, std::int64_t{1} << 40});
}

template <class T>
void expectRefusal(std::initializer_list<T> wrongs) {
  const Edges<T> edges = {{0, 1, 2}, {1, 2, 3}, {2, 1, 0}, {1, 3, 0}, {3, 1, 0}};
  const Graph graph = fromEdges(4, edges);
  const Square<T> right = distancesOf(squareOf<T>(toMatrix(fromEdges(4, edges))));
  for (const T wrong : wrongs) {
    Square<T> distances = right;
    distances.at(0, 2) = wrong;
    expectError(ErrorCode::kMismatch, "no path", "from vertex 0 to vertex 2 has the distance",
                [&] { predecessorsOf(graph, distances, false); });
  }
  Square<T> distances = right;
  distances.at(0, 3) = 1;  // an edge of weight 0 leads there, from 1 at the distance 2
  expectError(ErrorCode::kMismatch, "no path", "from vertex 0 to vertex 3 has the distance 1",
              [&] { predecessorsOf(graph, distances, false); });
}

TEST(Predecessors, RefuseDistancesOfNoPath) {
  expectRefusal<std::int32_t>({1, 4, 6});
  expectRefusal<float>({1, 4, 4.999F});  // a distance that is too large may pass
  expectRefusal<std::int64_t>({1, 4, 6, (std::int64_t{1} << 61) + 5});
  expectRefusal<double>({1, 4, 5 - 1e-13});
}

// ---- the check ----------------------------------------------------------------------------------

/// 0 → 1 → 2 → 3 of length 5, a longer edge 0 → 3, a pair 4 ⇄ 5 of weight 0 behind 3, and 6 alone.
struct Planted : testing::Test {
  const Edges<std::int32_t> edges = {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {0, 3, 9}, {0, 2, 5},
                                     {3, 4, 1}, {4, 5, 0}, {5, 4, 0}, {3, 5, 1}};
  const Graph graph = fromEdges(7, edges);
  const Square<int> distances = distancesOf(squareOf<int>(toMatrix(fromEdges(7, edges))));
  Trees predecessors = predecessorsOf(graph, distances, false);

  void expectFault(int i, int j, int wrong, const std::string& why) {
    const int before = std::exchange(predecessors.at(i, j), wrong);
    const TreeFault fault = faultIn(graph, distances, predecessors);
    EXPECT_EQ(i, fault.source) << why;
    EXPECT_EQ(j, fault.vertex) << why;
    EXPECT_NE(std::string::npos, fault.text().find(why)) << fault.text();
    predecessors.at(i, j) = before;
  }
};
using TreeChecks = Planted;

TEST_F(TreeChecks, AcceptAnyRightTree) {
  EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
  for (const int before : {0, 1}) {  // of length 5 are 0 → 2 and 0 → 1 → 2
    predecessors.at(0, 2) = before;
    EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
  }
  predecessors.at(0, 4) = 3;
  predecessors.at(0, 5) = 4;
  EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
  predecessors.at(0, 4) = 5;
  predecessors.at(0, 5) = 3;
  EXPECT_EQ(0u, faultIn(graph, distances, predecessors).count);
}

TEST_F(TreeChecks, FindPlantedErrors) {
  expectFault(0, 3, 0, "predecessor 0, whose distance and edge are 0 + 9, not 5");
  expectFault(0, 3, 1, "predecessor 1, but there is no such edge");
  expectFault(0, 3, 7, "predecessor 7, expected another vertex");
  expectFault(0, 3, -1, "predecessor -1, expected another vertex");
  expectFault(0, 3, 3, "predecessor 3, expected another vertex");
  expectFault(0, 3, -9999, "predecessor -9999, expected another vertex");
  expectFault(0, 0, 1, "expected -9999 because this is the source");
  expectFault(0, 6, 3, "expected -9999 because no path leads there");
  expectFault(1, 0, 0, "expected -9999 because no path leads there");
}

TEST_F(TreeChecks, FindCircles) {
  predecessors.at(0, 4) = 5;
  predecessors.at(0, 5) = 4;
  const TreeFault fault = faultIn(graph, distances, predecessors);
  EXPECT_EQ(1u, fault.count);
  EXPECT_EQ(
      "from vertex 0 to vertex 4: predecessor 5, from where predecessors lead in a circle (1 "
      "entry is wrong)",
      fault.text());
}

TEST_F(TreeChecks, OfAMatrixToo) {
  const Graph matrix = matrixOf(7, edges);
  EXPECT_EQ(0u, faultIn(matrix, distances, predecessors).count);
  predecessors.at(0, 3) = 1;
  EXPECT_EQ(1u, faultIn(matrix, distances, predecessors).count);
}

/// 0 → 1 → 2 of lengths 5 and −7; 2 ⇄ 3 of length 0 with weights −4 and 4; an edge 0 → 2 that is
/// longer; 4 alone.
TEST(TreeChecksOfNegativeWeights, TakeTheGraphAsItWasGiven) {
  const Edges<std::int32_t> edges = {{0, 1, 5}, {1, 2, -7}, {0, 2, -1}, {2, 3, -4}, {3, 2, 4}};
  const std::vector<int> distances = {0, 5, -2, -6, kInf};
  const std::vector<int> right = {-9999, 0, 1, 2, -9999};
  struct {
    int vertex, wrong;
    const char* why;
  } const faults[] = {
      {2, 0, "predecessor 0, whose distance and edge are 0 + -1, not -2"},
      {2, 3, "predecessor 3, from where predecessors lead in a circle"},
      {3, 1, "predecessor 1, but there is no such edge"},
      {1, -9999, "predecessor -9999, expected another vertex"},
      {4, 3, "expected -9999 because no path leads there"},
      {0, 2, "expected -9999 because this is the source"},
  };
  for (const bool dense : {false, true}) {
    const Graph graph = dense ? matrixOf(5, edges) : fromEdges(5, edges);
    const TreeCheck check(graph);
    EXPECT_EQ(0u, check.rows(0, 1, distances.data(), right.data()).count);
    for (const auto& fault : faults) {
      std::vector<int> planted = right;
      planted[static_cast<std::size_t>(fault.vertex)] = fault.wrong;
      const TreeFault found = check.rows(0, 1, distances.data(), planted.data());
      EXPECT_NE(std::string::npos, found.why.find(fault.why)) << found.text();
    }
  }
}

/// 0 → 1 of length 1, and 0 → 2 → 1, which is longer by more than two edges can have rounded, and
/// by less than n can.
TEST(TreeChecksOfReals, AllowWhatThePathsEdgesCanHaveRounded) {
  constexpr int kVertices = 2001;
  const Graph graph =
      fromEdges(kVertices, Edges<float>{{0, 1, 1.0f}, {0, 2, 0.5f}, {2, 1, 0.50001f}});
  std::vector<float> distances(kVertices, kInfinity<float>);
  std::vector<int> predecessors(kVertices, -9999);
  distances[0] = 0;
  distances[1] = 1;
  distances[2] = 0.5f;
  predecessors[1] = predecessors[2] = 0;
  const TreeCheck check(graph);
  EXPECT_EQ(0u, check.rows(0, 1, distances.data(), predecessors.data()).count);
  predecessors[1] = 2;
  const TreeFault found = check.rows(0, 1, distances.data(), predecessors.data());
  EXPECT_EQ(1u, found.count);
  EXPECT_NE(std::string::npos, found.why.find("predecessor 2, whose path of 2 edges"))
      << found.text();
}

// ---- the file -----------------------------------------------------------------------------------

Trees readPredecessors(const std::string& path, int n) {
  const std::string bytes = readBytes(path);
  const std::size_t size = sizeof(int) * static_cast<std::size_t>(n) * n;
  EXPECT_EQ("\x93NUMPY", bytes.substr(0, 6));
  EXPECT_NE(std::string::npos, bytes.find("'<i4'"));
  Trees trees{n, std::vector<int>(static_cast<std::size_t>(n) * n)};
  if (bytes.size() < size) return trees;
  std::memcpy(trees.all.data(), bytes.data() + bytes.size() - size, size);
  return trees;
}

class PredecessorFiles : public OnDevice {};
ON_EVERY_DEVICE(PredecessorFiles);

/// Solved by the solver apsp, whatever form its result has.
void expectFile(const Device& device, const Spec& spec, const Options& options, bool together) {
  SCOPED_TRACE(describe(spec) + " " + nameOf(spec.dtype) + " " + nameOf(options.method));
  const TempDir dir;
  const ProblemGraph graph(spec);
  const auto run = findSolver("apsp", device.kind()).prepare({graph}, {device, options});
  run->reset();
  run->solve();
  const Distances& distances = run->distances();
  {
    PredecessorFile file(dir / "p.npy", spec.n);
    if (together)
      file.passedOn(graph, distances, true)->rows(0, spec.n, [](int, int, ConstElements) {});
    else
      file.write(graph, distances, true);
    EXPECT_FALSE(std::filesystem::exists(dir / "p.npy"));
    file.commit();
  }
  withType(spec.dtype, [&](auto zero) {
    using T = decltype(zero);
    expectTrees(squareOf<T>(toMatrix(generate(spec))), squareOf<T>(toMatrix(distances)),
                readPredecessors(dir / "p.npy", spec.n));
  });
}

TEST_P(PredecessorFiles, HaveTreesOfWhatASolverFound) {
  Options sparsely;
  sparsely.method = Method::kSparse;
  for (const char* family : {"course", "grid", "ring", "sparse", "uniform"}) {
    for (const int n : {1, 33, 300}) {
      for (const Dtype dtype : kDtypes) {
        Spec spec = specOf(familyIndex(family), n, 5);
        spec.dtype = dtype;
        expectFile(device(), spec, {}, n == 33);
        if (HasFailure()) return;
      }
    }
  }
  if (device().kind() != DeviceKind::kCpu) return;
  // Rows are swept when they are asked for. More threads sweep more rows at the same time.
  const SmallDevice small(matrixBytes(900, Dtype::kInt32) - 1);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);
  for (const Device* place : {&device(), static_cast<const Device*>(&small)})
    for (const bool together : {false, true})
      expectFile(*place, specOf(familyIndex("grid"), 900, 5), sparsely, together);
  omp_set_num_threads(threads);
}

/// On the GPU there is a kernel for edges of weight 0, and one for long lists of edges.
TEST_P(PredecessorFiles, OfZerosTiesAndMetrics) {
  std::mt19937 random(testSeed());
  for (const int n : {5, 127, 128, 129, 400}) {
    for (const int kind : {0, 1, 2, 3}) {
      SCOPED_TRACE(fmt::format("n = {}, kind {}", n, kind));
      Matrix weights(n, Dtype::kInt32);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const int distance = std::abs(i - j), drawn = static_cast<int>(random() % 1000);
          const int choices[] = {distance, drawn < 30 ? drawn % 2 : kInf, drawn % 3,
                                 distance == 1 ? 0 : kInf};
          weights.row<int>(i)[j] = i == j ? 0 : choices[kind];
        }
      }
      const Square<int> before = squareOf<int>(weights);
      const Square<int> distances = distancesOf(before);
      const DeviceMatrix matrix(device(), n);
      upload(device(), matrix.data(), distances.all);
      Graph graph = emptyGraph(n, Dtype::kInt32, true);
      graph.body = std::move(weights);
      const ProblemGraph problem(std::move(graph));
      const TempDir dir;
      PredecessorFile file(dir / "p.npy", n);
      file.write(problem, WholeDistances(matrix), true);
      file.commit();
      expectTrees(before, distances, readPredecessors(dir / "p.npy", n));
      if (HasFailure()) return;
    }
  }
}

/// The predecessors that are written where weights may be negative, in one of two ways.
Trees writtenPredecessors(const ProblemGraph& graph, const Distances& distances) {
  const int n = graph.n();
  const TempDir dir;
  PredecessorFile file(dir / "p.npy", n, true);
  if (n == 130)
    file.passedOn(graph, distances, true)->rows(0, n, [](int, int, ConstElements) {});
  else
    file.write(graph, distances, true);
  file.commit();
  return readPredecessors(dir / "p.npy", n);
}

template <class T>
void expectFilesOfNegativeWeights(const Device& device, T unit) {
  std::mt19937 random(testSeed());
  Options sparsely;
  sparsely.method = Method::kSparse;
  const Solver solver = withNegativeWeights(findSolver("apsp", device.kind()));
  for (const int n : {1, 5, 128, 130, 300}) {
    for (const int kind : {0, 1, 2, 3}) {  // edges or a matrix, a few or many
      SCOPED_TRACE(fmt::format("n = {}, kind {}", n, kind));
      const Edges<T> edges = plantedEdges(n, (kind < 2 ? 3 : 40) * n, 300, random, unit);
      const ProblemGraph graph(kind % 2 ? matrixOf(n, edges) : fromEdges(n, edges));
      const bool sparse = kind == 0 && device.kind() == DeviceKind::kCpu;
      const auto run = solver.prepare({graph}, {device, sparse ? sparsely : Options{}});
      run->reset();
      run->solve();
      const Square<T> weights = squareOf<T>(toMatrix(fromEdges(n, edges)));
      expectTrees(weights, signedDistances(weights), writtenPredecessors(graph, run->distances()));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(PredecessorFiles, OfNegativeWeights) {
  expectFilesOfNegativeWeights<std::int32_t>(device(), 1);
  expectFilesOfNegativeWeights<std::int64_t>(device(), 1);
  if (device().kind() == DeviceKind::kCpu)  // a GPU may compute in 32 bits only
    expectFilesOfNegativeWeights<std::int64_t>(device(), (std::int64_t{1} << 45) + 1);
}

/// Real weights with potentials up to `scale`. near: sums that differ by less may be the same. It
/// is above the sum of two tolerances (verify/bellman_ford.h) of n = 5 vertices. If no walk leads
/// from a vertex to the next one and back, the reweighted distance is as large as the potentials.
template <class T>
void expectFilesOfNegativeReals(const Device& device, double scale, double near) {
  std::mt19937 random(testSeed());
  std::uniform_real_distribution<double> part(0.1, 1);
  const Solver solver = withNegativeWeights(findSolver("apsp", device.kind()));
  for (const int n : {2, 5, 130, 300}) {
    for (const int kind : {0, 1, 2, 3}) {  // edges or a matrix, a few or many
      SCOPED_TRACE(fmt::format("n = {}, kind {}, {}", n, kind, nameOf(kDtype<T>)));
      std::vector<double> potential(static_cast<std::size_t>(n));
      for (double& p : potential) p = scale * part(random);
      Edges<T> edges = plantedEdges<T>(n, (kind < 2 ? 3 : 40) * n, 300, random);
      for (Edge<T>& e : edges)
        e.weight = static_cast<T>(part(random) + potential[e.to] - potential[e.from]);
      Graph given = fromEdges(n, edges);
      const Square<T> weights = squareOf<T>(toMatrix(fromEdges(n, edges)));
      const SignedTolerance allowed(given, 3);
      if (kind % 2) given.body = toMatrix(fromEdges(n, edges));
      const ProblemGraph graph(std::move(given));
      const auto run = solver.prepare({graph}, {device});
      run->reset();
      run->solve();
      Trees found = writtenPredecessors(graph, run->distances());
      Square<T> distances = squareOf<T>(toMatrix(run->distances()));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double d = distances.at(i, j);
          ASSERT_EQ(i == j || std::isinf(d), found.at(i, j) == kNoPredecessor);
          double sum = 0, off = allowed(i, j, d);
          int steps = 0;
          for (int v = j; found.at(i, v) >= 0 && steps <= n; v = found.at(i, v), ++steps) {
            sum += weights.row(found.at(i, v))[v];
            off += 2 * allowed(i, v, distances.at(i, v));
          }
          ASSERT_LT(steps, n);
          if (found.at(i, j) >= 0) {
            ASSERT_NEAR(d, sum, off) << i << " " << j;
          }
        }
      if (testing::Test::HasFailure()) return;
      if (n != 5) continue;
      for (int j = 0; j < n; ++j) {  // every other tail is wrong
        const int right = found.at(0, j);
        for (int k = 0; k < n; ++k) {
          const double sum = static_cast<double>(distances.at(0, k)) + weights.row(k)[j];
          const bool fits = k != j && std::abs(sum - distances.at(0, j)) < near;
          found.at(0, j) = k;
          if (right >= 0 && !fits) {
            EXPECT_LE(1u, faultIn(graph.onHost(), distances, found).count) << j << " " << k;
          }
        }
        found.at(0, j) = right;
      }
    }
  }
}

/// Neighbouring floats near 10⁵ are 1/128 apart, and doubles near 10¹² are 1/8192 apart.
TEST_P(PredecessorFiles, OfNegativeReals) {
  expectFilesOfNegativeReals<float>(device(), 1e5, 0.2);
  if (device().kind() == DeviceKind::kGpu) return;  // it may compute in 32 bits only
  expectFilesOfNegativeReals<double>(device(), 1e12, 0.05);
}

TEST_P(PredecessorFiles, OfTheGpuAreFoundThere) {
  if (device().kind() != DeviceKind::kGpu) GTEST_SKIP() << "only with a GPU";
  const Spec spec = specOf(familyIndex("course"), 500, 5);
  const ProblemGraph graph(spec);
  const Square<int> distances = distancesOf(squareOf<int>(toMatrix(generate(spec))));
  const DeviceMatrix matrix(device(), spec.n);
  upload(device(), matrix.data(), distances.all);
  for (const bool negative : {false, true})  // potentials of 0 change nothing
    ASSERT_NE(nullptr, predecessorsOnGpu(graph, matrix, negative).matrix);
  const PredecessorsOnGpu found = predecessorsOnGpu(graph, matrix, false);
  const std::vector<int> once = download(device(), found.matrix->data(), spec.n);
  const PredecessorsOnGpu again = predecessorsOnGpu(graph, matrix, false);
  EXPECT_EQ(once, download(device(), again.matrix->data(), spec.n));  // no choice depends on time
}

TEST(PredecessorFile, IsNotWrittenIfItIsWrong) {
  const TempDir dir;
  const ProblemGraph graph(fromEdges<std::int32_t>(3, {{0, 1, 2}, {1, 2, 3}}));
  const std::vector<int> wrong = {0, 2, 4, kInf, 0, 3, kInf, kInf, 0};
  expectError(ErrorCode::kMismatch, "no path", "from vertex 0 to vertex 2 has the distance 4", [&] {
    PredecessorFile file(dir / "p.npy", 3);
    file.write(graph, HostDistances(3, wrong), true);
  });
  EXPECT_TRUE(dir.names().empty());
}

TEST(PredecessorFile, TakesMemoryThatIsKnownBefore) {
  const ProblemGraph dense(specOf(familyIndex("course"), 1000, 1));
  const ProblemGraph sparse(fromEdges<std::int32_t>(1000, {{0, 1, 2}}));
  EXPECT_GE(predecessorMemory(dense, cpuDevice, 0, false).host,
            2 * matrixBytes(1000, Dtype::kInt32));
  EXPECT_LT(predecessorMemory(sparse, cpuDevice, 0, false).host,
            2 * matrixBytes(1000, Dtype::kInt32));
  EXPECT_EQ(0u, predecessorMemory(dense, cpuDevice, 0, false).device);

  const std::vector<Solver> solvers = {findSolver("ref", DeviceKind::kCpu)};
  const SmallDevice device(3 * matrixBytes(1000, Dtype::kInt32));
  MeasureOptions plan{0, 1};
  EXPECT_NO_THROW(requireMemory({dense}, device, solvers, {}, plan));
  plan.predecessors = true;
  expectError(ErrorCode::kMemory, "n = 1000", "host memory needed 12.0 MB free",
              [&] { requireMemory({dense}, device, solvers, {}, plan); });
}

}  // namespace
