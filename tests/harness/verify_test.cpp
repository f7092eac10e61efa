// The verifier: the oracles and planted faults that they must find, and distances that reach
// infinity.
#include "verify/verify.h"
#include "generate/families.h"
#include "generate/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/error.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "measure/timing.h"
#include "seed.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "types.h"
#include "verify/bellman.h"
#include "verify/bellman_ford.h"
#include "verify/dijkstra.h"
#include "verify/distances_to.h"
#include "verify/signed.h"
#include "verify/tree.h"

namespace {

/// A graph of T, its distances by the plain loop, and the same graph in the other representation.
template <class T>
struct Solved {
  Graph graph, other;
  std::vector<T> distances;
  explicit Solved(const Spec& spec) : Solved(generate(spec)) {}
  explicit Solved(Graph made) : graph(std::move(made)) {
    const int n = graph.n;
    other = fromEdges(n, toEdges<T>(graph));
    const Matrix matrix = toMatrix(fromEdges(n, toEdges<T>(graph)));
    distances.assign(matrix.data().as<T>(), matrix.data().as<T>() + matrix.size());
    if (!graph.dense()) other.body = toMatrix(std::move(other));
    apspScalar(n, distances.data());
  }
  const Graph& asEdges() const { return graph.dense() ? other : graph; }
  const Graph& asMatrix() const { return graph.dense() ? graph : other; }
};

template <class T>
Spec specWith(int family, int n, std::uint64_t seed) {
  Spec spec = specOf(family, n, seed);
  spec.dtype = kDtype<T>;
  return spec;
}

/// About two edges a vertex, of real weights in [0, 4): from 2 on the bits of floats are above
/// kInf.
template <class T>
Graph realGraph(int n) {
  std::mt19937 random(testSeed());
  Edges<T> edges;
  for (int k = 0; k < 2 * n; ++k) {
    edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n),
                     std::uniform_real_distribution<T>(0, 4)(random)});
  }
  return fromEdges(n, edges);
}

/// A test of each type of weights.
template <class T>
class EveryType : public testing::Test {};
TYPED_TEST_SUITE(EveryType, AllTypes);
template <class T>
class EveryRealType : public testing::Test {};
TYPED_TEST_SUITE(EveryRealType, RealTypes);

// ---- Dijkstra's algorithm -------------------------------------------------------------------

TYPED_TEST(EveryType, DijkstraAgreesWithThePlainLoopOnEveryFamilyAsEdgesAndAsMatrix) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 64, 90}) {
      const Solved<TypeParam> solved(specWith<TypeParam>(family, n, testSeed()));
      EXPECT_TRUE(verified(solved.graph, solved.distances, n).passed()) << family << " " << n;
      EXPECT_TRUE(verified(solved.other, solved.distances, n).passed()) << family << " " << n;
    }
  }
}

TYPED_TEST(EveryRealType, DijkstraAgreesWithThePlainLoopOnRealWeights) {
  for (const int n : {1, 2, 3, 64, 300}) {
    const Solved<TypeParam> solved(realGraph<TypeParam>(n));
    const Verdict edges = verified(solved.graph, solved.distances, n);
    const Verdict matrix = verified(solved.other, solved.distances, n);
    EXPECT_TRUE(edges.passed()) << n;
    EXPECT_TRUE(matrix.passed()) << n;
    EXPECT_EQ("dijkstra:" + std::to_string(n) +
                  (std::is_same_v<TypeParam, float> ? "±6.0e-08/edge" : "±2.2e-16/edge"),
              edges.how);
  }
}

TEST(Dijkstra, HoldsDistancesBeyondAnInt) {
  const int heavy = kInf - 1;
  const Graph graph =
      fromEdges<int>(6, {{0, 1, heavy}, {1, 2, heavy}, {2, 3, heavy}, {3, 4, heavy}});
  const std::vector<double> d = Dijkstra(graph).from(0);
  EXPECT_EQ(4.0 * heavy, d[4]);
  EXPECT_EQ(Dijkstra<>::kUnreachable, d[5]);
  EXPECT_EQ(std::int64_t{4} * heavy, Dijkstra<std::int64_t>(graph).from(0)[4]);
}

TEST(Dijkstra, HoldsDistancesBeyond64Bits) {
  const std::int64_t heavy = kInfinity<std::int64_t> - 1;
  const Graph graph =
      fromEdges<std::int64_t>(6, {{0, 1, heavy}, {1, 2, heavy}, {2, 3, heavy}, {3, 4, heavy}});
  for (const bool dense : {false, true}) {
    const Solved<std::int64_t> solved(fromEdges(6, graph.edges<std::int64_t>()));
    const std::vector<Int128> d = Dijkstra<Int128>(dense ? solved.other : solved.graph).from(0);
    EXPECT_TRUE(d[4] == Int128{heavy} * 4);
    EXPECT_EQ(heavy, nearestTo<std::int64_t>(d[1]));
    EXPECT_EQ(kInfinity<std::int64_t>, nearestTo<std::int64_t>(d[2]));
    EXPECT_TRUE(d[5] == Dijkstra<Int128>::kUnreachable);
  }
}

/// Doubles that are added up hide what long doubles show.
TEST(Dijkstra, AddsDoublesUpMoreExactly) {
  constexpr int n = 1000;
  Edges<double> chain = {{0, 1, 1.0}};
  for (int i = 1; i + 1 < n; ++i) chain.push_back({i, i + 1, 0x1p-54});
  const Graph graph = fromEdges(n, chain);
  EXPECT_EQ(1.0, Dijkstra<double>(graph).from(0)[n - 1]);
  EXPECT_EQ(1 + (n - 2) * 0x1p-54L, Dijkstra<long double>(graph).from(0)[n - 1]);
}

// ---- every oracle ---------------------------------------------------------------------------

/// The vertices before the last of shortest paths. Weights are above 0.
template <class T>
std::vector<int> predecessorsOf(const Solved<T>& solved) {
  constexpr int kNone = -9999;
  const auto n = static_cast<std::size_t>(solved.graph.n);
  std::vector<int> all(n * n, kNone);
  for (std::size_t s = 0; s < n; ++s) {
    const T* const row = solved.distances.data() + s * n;
    std::vector<long double> error(n, std::numeric_limits<long double>::infinity());
    for (const Edge<T>& e : solved.asEdges().template edges<T>()) {
      const auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
      if (row[from] == kInfinity<T> || row[to] == kInfinity<T> || to == s) continue;
      const long double off = std::abs(static_cast<long double>(row[from]) + e.weight - row[to]);
      if (off >= error[to]) continue;
      error[to] = off;
      all[s * n + to] = e.from;
    }
  }
  return all;
}

/// A copy of a dense graph.
Graph copyOfMatrix(const Graph& graph) {
  Graph copy;
  copy.n = graph.n;
  Matrix matrix(graph.n, graph.dtype());
  copyElements(graph.matrix().data(), matrix.size(), matrix.data());
  copy.body = std::move(matrix);
  return copy;
}

/// Whether each oracle passes these distances: Dijkstra's algorithm and Bellman's equation, along
/// edges and in a matrix, and what knows weights of any sign. The predecessors are checked only if
/// there are any.
template <class T>
std::vector<std::pair<std::string, bool>> verdictsOn(const Solved<T>& solved,
                                                     const std::vector<T>& distances,
                                                     const std::vector<int>& predecessors = {}) {
  const int n = solved.graph.n;
  const HostDistances all(n, distances);
  std::vector<std::pair<std::string, bool>> verdicts;
  for (const Graph* graph : {&solved.asEdges(), &solved.asMatrix()}) {
    const std::string form = graph->dense() ? " in a matrix" : " along edges";
    const ProblemGraph problem(graph->dense() ? copyOfMatrix(*graph)
                                              : fromEdges(n, graph->edges<T>()));
    verdicts.emplace_back("dijkstra" + form, verifyByDijkstra(*graph, all, n).passed());
    verdicts.emplace_back("bellman" + form, verifyByBellman(problem, all, n).passed());
    verdicts.emplace_back("signed" + form, verifySigned(*graph, all, n).passed());
    if (predecessors.empty()) continue;
    const TreeFault fault = TreeCheck(*graph).rows(0, n, distances.data(), predecessors.data());
    verdicts.emplace_back("tree" + form, fault.count == 0);
  }
  return verdicts;
}

template <class T>
void expectAll(bool passed, const Solved<T>& solved, const std::vector<T>& distances,
               const std::string& what, const std::vector<int>& predecessors = {}) {
  for (const auto& [oracle, verdict] : verdictsOn(solved, distances, predecessors))
    EXPECT_EQ(passed, verdict) << oracle << ": " << what;
}

TYPED_TEST(EveryType, AllOraclesPassRightDistancesOfEveryFamily) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 40}) {
      const Spec spec = specWith<TypeParam>(family, n, testSeed());
      const Solved<TypeParam> solved(spec);
      expectAll(true, solved, solved.distances, describe(spec));
    }
  }
}

/// A distance of T that is as little too large as an oracle must notice; too small if by is −1. n:
/// of the graph.
template <class T>
T offBy(int by, T right, int n) {
  if constexpr (std::is_integral_v<T>) {
    (void)n;
    return right + by;
  } else {
    // The tolerance is 0 or more. One unit of the last place is what the type can tell apart.
    const double ulp = std::numeric_limits<T>::epsilon();
    return static_cast<T>(right + by * 4 * (tolerance(n, kDtype<T>, 2) + ulp) * right);
  }
}

/// The weights are above 0, as trees of predecessors must be found for them.
TYPED_TEST(EveryType, AllOraclesFindASmallErrorAndInfinitiesInEveryFamily) {
  using T = TypeParam;
  std::mt19937 random(testSeed());
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {2, 20}) {
      Spec spec = specWith<T>(family, n, random());
      spec.degree = 2;
      const Solved<T> solved(spec);
      for (int turn = 0; turn < 3; ++turn) {
        const std::size_t at = random() % solved.distances.size();
        const T right = solved.distances[at];
        std::vector<T> wrong = solved.distances;
        const auto expectFound = [&](T entry) {
          if (entry == right || entry < 0) return;
          wrong[at] = entry;
          expectAll(false, solved, wrong,
                    describe(spec) + ": " + textOf(entry) + " for " + textOf(right) + " at " +
                        std::to_string(at));
        };
        if (right == kInfinity<T>) {
          for (const T extra : {T(0), T(1), std::numeric_limits<T>::max()}) expectFound(extra);
          continue;
        }
        expectFound(offBy(1, right, n));
        expectFound(offBy(-1, right, n));
        expectFound(kInfinity<T>);
      }
    }
  }
}

/// Weights near 2⁶⁰: doubles do not hold them.
TEST(Oracles, FindAnErrorOfOneIn64Bits) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;
  std::mt19937_64 random(testSeed());
  for (const char* family : {"sparse", "grid", "uniform", "star"}) {
    Spec spec = specWith<std::int64_t>(familyIndex(family), 12, random());
    spec.range = kLarge / 100;
    spec.degree = 3;
    Edges<std::int64_t> edges = toEdges<std::int64_t>(generate(spec));
    // All paths begin at 0 with an edge that is so long.
    for (Edge<std::int64_t>& e : edges) e.weight += e.from == 0 ? kLarge + 1 : 1;
    const Solved<std::int64_t> solved(fromEdges(spec.n, edges));
    const std::vector<int> predecessors = predecessorsOf(solved);
    expectAll(true, solved, solved.distances, family, predecessors);
    for (std::size_t j = 1; j < 12; ++j) {
      if (solved.distances[j] == kInfinity<std::int64_t>) continue;
      EXPECT_GT(solved.distances[j], kLarge);
      for (const int by : {-1, 1}) {
        std::vector<std::int64_t> wrong = solved.distances;
        wrong[j] += by;
        expectAll(false, solved, wrong, family, predecessors);
        EXPECT_EQ(wrong[j], std::get<std::int64_t>(verified(solved.graph, wrong, 12).mismatch.got));
      }
    }
  }
}

/// Sums of two weights are above 2⁶².
TEST(Oracles, ExpectInfinityWhere64BitsDoNotHoldTheDistance) {
  const std::int64_t heavy = kInfinity<std::int64_t> - 1, half = kInfinity<std::int64_t> / 2;
  for (const auto& [one, other, fits] :
       {std::tuple(heavy, heavy, false), {half, half + 1, false}, {half, half, true}}) {
    const Solved<std::int64_t> solved(
        fromEdges<std::int64_t>(4, {{0, 1, one}, {1, 2, other}, {2, 3, heavy}}));
    EXPECT_EQ(fits, solved.distances[2] < kInfinity<std::int64_t>);
    expectAll(true, solved, solved.distances, std::to_string(one));
    std::vector<std::int64_t> wrong = solved.distances;
    wrong[2] = fits ? kInfinity<std::int64_t> : kInfinity<std::int64_t> - 1;
    expectAll(false, solved, wrong, std::to_string(one));
  }
}

TYPED_TEST(EveryRealType, AllOraclesFindAnErrorOfFourTolerances) {
  using T = TypeParam;
  for (const int n : {2, 40, 100}) {
    Spec spec = specWith<T>(familyIndex("grid"), n, testSeed());
    const Solved<T> solved(spec);
    const std::vector<int> predecessors = predecessorsOf(solved);
    expectAll(true, solved, solved.distances, describe(spec), predecessors);
    for (int by : {-1, 1}) {
      for (const std::size_t at : {std::size_t{1}, solved.distances.size() - 2}) {
        std::vector<T> wrong = solved.distances;
        wrong[at] = offBy(by, wrong[at], n);
        EXPECT_NE(solved.distances[at], wrong[at]);
        expectAll(false, solved, wrong, describe(spec), predecessors);
      }
    }
  }
}

/// The distances of all pairs by Bellman and Ford's algorithm, each the nearest number of T.
template <class T>
std::vector<T> byBellmanFord(const Graph& graph) {
  const BellmanFord<SumOf<T>> oracle(graph);
  std::vector<T> all;
  for (int i = 0; i < graph.n; ++i)
    for (const SumOf<T> d : oracle.from(i)) all.push_back(nearestTo<T>(d));
  return all;
}

TYPED_TEST(EveryType, NegativeWeightsAreCheckedInEveryFamilyThatHasThem) {
  using T = TypeParam;
  std::mt19937 random(testSeed());
  for (int family = 0; family < static_cast<int>(negativeFamilyTable().size()); ++family) {
    for (const int n : {1, 2, 30}) {
      Spec spec = specWith<T>(static_cast<int>(familyTable().size()) + family, n, random());
      spec.degree = 2;
      if (std::is_same_v<T, std::int64_t>) spec.range = std::int64_t{1} << 60;
      const Graph graph = generate(spec), edges = fromEdges(n, toEdges<T>(graph));
      const std::vector<T> right = byBellmanFord<T>(graph);
      const auto passes = [&](const std::vector<T>& distances) {
        const HostDistances all(n, distances);
        const bool passed = verifySigned(graph, all, n).passed();
        EXPECT_EQ(passed, verifySigned(edges, all, n).passed()) << describe(spec);
        return passed;
      };
      EXPECT_TRUE(passes(right)) << describe(spec);
      const SignedTolerance allowed = std::is_integral_v<T>
                                          ? SignedTolerance(fromEdges<double>(n, {}), 1)
                                          : SignedTolerance(graph, 1);
      for (int turn = 0; turn < 5; ++turn) {
        const std::size_t at = random() % right.size();
        std::vector<T> wrong = right;
        const auto expectFound = [&](T entry) {
          if (entry == right[at]) return;
          wrong[at] = entry;
          EXPECT_FALSE(passes(wrong)) << describe(spec) << ": " << textOf(entry) << " for "
                                      << textOf(right[at]) << " at " << at;
        };
        expectFound(right[at] == kInfinity<T> ? T(0) : kInfinity<T>);
        if (right[at] == kInfinity<T>) continue;
        const int from = static_cast<int>(at) / n, to = static_cast<int>(at) % n;
        const double off =
            std::is_integral_v<T> ? 1 : 4 * allowed(from, to, static_cast<double>(right[at]));
        expectFound(right[at] + static_cast<T>(off));
        expectFound(right[at] - static_cast<T>(off));
      }
    }
  }
}

TYPED_TEST(EveryType, DistancesToAVertexAreThoseFromIt) {
  using T = TypeParam;
  const int families = static_cast<int>(familyTable().size() + negativeFamilyTable().size());
  for (int family = 0; family < families; ++family) {
    Spec spec = specWith<T>(family, 20, testSeed());
    spec.degree = 2;
    if (std::is_same_v<T, std::int64_t>) spec.range = std::int64_t{1} << 59;
    const Graph graph = generate(spec);
    const std::vector<T> right = byBellmanFord<T>(graph);
    const DistancesTo solver(graph, isNegative(spec));
    for (int target = 0; target < 20; ++target) {
      const std::vector<double> found = solver.vertex(target);
      for (std::size_t from = 0; from < 20; ++from) {
        const T expected = right[from * 20 + static_cast<std::size_t>(target)];
        ASSERT_EQ(expected == kInfinity<T>, std::isinf(found[from])) << describe(spec);
        if constexpr (std::is_integral_v<T>) {
          ASSERT_EQ(convertedTo<std::int64_t>(expected), solver.vertex<std::int64_t>(target)[from])
              << describe(spec);
        } else if (expected != kInfinity<T>) {
          const double large = 20 * static_cast<double>(spec.range) + std::abs(found[from]);
          ASSERT_NEAR(expected, found[from], 20 * std::numeric_limits<T>::epsilon() * large)
              << describe(spec);
        }
      }
    }
  }
}

// ---- planted faults -------------------------------------------------------------------------

TYPED_TEST(EveryType, ASinglePlantedFaultIsFoundWhereverItIs) {
  using T = TypeParam;
  const Solved<T> solved(specWith<T>(familyIndex("disconnected"), 50, 1));
  for (const T change : {T(1), T(-1), kInfinity<T>}) {
    for (const int at : {0, 1, 49, 50, 1234, 2450, 2499}) {
      std::vector<T> wrong = solved.distances;
      T& entry = wrong[static_cast<std::size_t>(at)];
      if (change != kInfinity<T> && entry == kInfinity<T> && entry + change == entry) continue;
      entry = change == kInfinity<T> ? (entry == kInfinity<T> ? 5 : kInfinity<T>) : entry + change;
      const Verdict verdict = verified(solved.graph, wrong, 50);
      ASSERT_TRUE(verdict.failed()) << at;
      EXPECT_EQ(1u, verdict.mismatch.count);
      EXPECT_EQ(at, verdict.mismatch.i * 50 + verdict.mismatch.j);
      EXPECT_EQ(entry, std::get<T>(verdict.mismatch.got));
      const T right = solved.distances[static_cast<std::size_t>(at)];
      EXPECT_TRUE(
          agree(std::get<T>(verdict.mismatch.expected), right, tolerance(50, kDtype<T>, 1)));
    }
  }
}

TYPED_TEST(EveryRealType, ASingleWrongNumberAndNanIsFound) {
  using T = TypeParam;
  constexpr T kInfinite = kInfinity<T>, kNan = std::numeric_limits<T>::quiet_NaN();
  const Solved<T> solved(realGraph<T>(50));
  const auto planted = [&](T distance) {  // what is planted there instead
    const bool none = distance == kInfinite;
    const T slightly = std::is_same_v<T, float> ? T(1e-4) : T(1e-13);
    return std::vector<T>{kNan,
                          -kNan,
                          none ? std::numeric_limits<T>::max() : kInfinite,
                          -1,
                          -kInfinite,
                          none ? 0 : distance * (1 + slightly) + std::numeric_limits<T>::min(),
                          none ? 1 : distance - T(1e-2)};
  };
  for (const std::size_t at : {0u, 1u, 49u, 50u, 1234u, 2450u, 2499u}) {
    for (const T wrong : planted(solved.distances[at])) {
      std::vector<T> distances = solved.distances;
      distances[at] = wrong;
      for (const Graph* graph : {&solved.graph, &solved.other}) {
        const Verdict verdict = verified(*graph, distances, 50);
        EXPECT_EQ(1u, verdict.mismatch.count) << at << ": " << wrong;
        EXPECT_EQ(static_cast<int>(at), verdict.mismatch.i * 50 + verdict.mismatch.j);
        EXPECT_EQ(bitsOf(wrong), bitsOf(std::get<T>(verdict.mismatch.got)));
      }
      expectAll(false, solved, distances, std::to_string(wrong));
    }
  }
}

TEST(Verifier, StatesTheToleranceAndNoneForIntegers) {
  EXPECT_EQ(0, tolerance(10000, Dtype::kInt32, 2));
  EXPECT_EQ(0, tolerance(10000, Dtype::kInt64, 2));
  EXPECT_NEAR(10000 * 0x1p-23, tolerance(10000, Dtype::kFloat32, 2), 2e-6);
  EXPECT_NEAR(10000 * 0x1p-52, tolerance(10000, Dtype::kFloat64, 2), 2e-15);
  EXPECT_EQ("ref", within("ref", 0));
  EXPECT_EQ("ref±1.2e-03", within("ref", tolerance(10000, Dtype::kFloat32, 2)));
  EXPECT_EQ("ref", withinOfEdges("ref", Dtype::kInt32, 2));
  EXPECT_EQ("ref", withinOfEdges("ref", Dtype::kInt64, 2));
  EXPECT_EQ("ref±1.2e-07/edge", withinOfEdges("ref", Dtype::kFloat32, 2));
  EXPECT_EQ("ref±2.2e-16/edge", withinOfEdges("ref", Dtype::kFloat64, 2));
}

/// In floats, 1 and 2²⁴ times 2⁻²⁴ add up to 1 in this order, and to 2 in the other one.
TEST(Verifier, ToleratesWhatTheLongestPathsOfManyVerticesMayErr) {
  constexpr int kSmall = 1 << 24, n = kSmall + 2;
  float forwards = 1, backwards = 0;
  for (int i = 0; i < kSmall; ++i) {
    forwards += 0x1p-24F;
    backwards += 0x1p-24F;
  }
  backwards += 1;
  ASSERT_EQ(1, forwards);
  ASSERT_EQ(2, backwards);
  const double most = tolerance(n, Dtype::kFloat32, 2);
  EXPECT_TRUE(agree(forwards, backwards, most));
  EXPECT_TRUE(agree(backwards, forwards, most));
  double before = 0;
  for (const int vertices : {1 << 22, 1 << 23, (1 << 23) + 1, (1 << 23) + 2, n, INT_MAX}) {
    const double now = tolerance(vertices, Dtype::kFloat32, 2);
    EXPECT_GT(now, before) << vertices;
    EXPECT_LT(now, std::numeric_limits<double>::infinity());
    before = now;
  }
  // A short path errs as little as in a small graph.
  EXPECT_LT(Tolerance(n, Dtype::kFloat32, 2, 0.5).of(5), 1e-4);
}

TEST(Verifier, AllowsADistanceAsMuchAsTheLongestPathOfItsLengthMayErr) {
  constexpr double u = 0x1p-24;
  const Tolerance allowed(10000, Dtype::kFloat32, 2, 0.5);
  EXPECT_NEAR(2 * u, allowed.of(0.5), 0.01 * u);      // one edge
  EXPECT_NEAR(20 * u, allowed.of(5), 0.1 * u);        // ten
  EXPECT_GE(allowed.of(5), 20 * u);                   // and never less
  EXPECT_NEAR(4 * u, allowed.above(5, 2), 0.01 * u);  // a shortest path has two
  EXPECT_EQ(allowed.of(5), allowed.above(5, 9000));
  const double most = tolerance(10000, Dtype::kFloat32, 2);
  EXPECT_EQ(most, allowed.of(1e6));
  EXPECT_EQ(most, allowed.of(1e300));
  EXPECT_EQ(most, Tolerance(10000, Dtype::kFloat32, 2, 0).of(0.5));  // not known
  EXPECT_EQ(most, Tolerance(10000, Dtype::kFloat32, 2, 1e-45).of(1e30));
  EXPECT_EQ(0, Tolerance(10000, Dtype::kInt64, 2, 1).of(5));
  EXPECT_EQ(0.125, Tolerance(0.125).of(5));
}

/// Sums along paths of few edges err less than those along n − 1 edges, which are allowed if
/// nothing is known of the length.
TYPED_TEST(EveryRealType, AnErrorThatOnlyALongerPathMayHaveIsFound) {
  using T = TypeParam;
  constexpr int n = 300, target = 3;
  Edges<T> chain;
  for (int i = 0; i + 1 < n; ++i) chain.push_back({i, i + 1, T(1)});
  const Solved<T> solved(fromEdges(n, chain));
  const T epsilon = std::numeric_limits<T>::epsilon();
  for (const T off : {40 * epsilon, -40 * epsilon}) {
    ASSERT_LT(std::abs(off), tolerance(n, kDtype<T>, 1));
    std::vector<T> wrong = solved.distances;
    wrong[target] += off;
    for (const auto& [oracle, passed] : verdictsOn(solved, wrong)) {
      const bool ofLongest = oracle.rfind("signed", 0) == 0;
      EXPECT_EQ(ofLongest, passed) << oracle << ": " << off;
    }
  }
}

/// The path to the target is one heavy edge, and light edges make long paths possible elsewhere.
TYPED_TEST(EveryRealType, DijkstraFindsADistanceThatIsLargerThanItsEdgesExplain) {
  using T = TypeParam;
  constexpr int n = 300;
  Edges<T> edges = {{0, 1, T(1)}};
  for (int i = 2; i + 1 < n; ++i) edges.push_back({i, i + 1, T(0x1p-20)});
  const Solved<T> solved(fromEdges(n, edges));
  std::vector<T> wrong = solved.distances;
  wrong[1] += 40 * std::numeric_limits<T>::epsilon();
  EXPECT_FALSE(verified(solved.graph, wrong, n).passed());
  EXPECT_FALSE(verified(solved.other, wrong, n).passed());
}

/// Every addition of these weights rounds, and zeros beside them do not count.
TYPED_TEST(EveryRealType, RightDistancesOfLongPathsPass) {
  using T = TypeParam;
  constexpr int n = 300;
  for (const T weight : {T(0.1), T(1) / 3, std::numeric_limits<T>::min(), T(3e37)}) {
    Edges<T> chain;
    for (int i = 0; i + 1 < n; ++i) {
      const bool zero = i % 3 == 1;
      if (weight < 1 || i < 12) chain.push_back({i, i + 1, zero ? T(0) : weight});
    }
    const Solved<T> solved(fromEdges(n, chain));
    expectAll(true, solved, solved.distances, std::to_string(weight));
  }
}

// A chain whose every addition rounds down: 1, then halves of a last place. The whole of the bound
// for one solver is used up, and a right result passes.
TYPED_TEST(EveryRealType, TheToleranceHoldsAtItsWorst) {
  using T = TypeParam;
  constexpr int n = 500;
  const T half = std::numeric_limits<T>::epsilon() / 2;
  Edges<T> chain = {{0, 1, 1}};
  for (int i = 1; i + 1 < n; ++i) chain.push_back({i, i + 1, half});
  const Solved<T> solved(fromEdges(n, chain));
  EXPECT_TRUE(verified(solved.graph, solved.distances, n).passed());
  const long double truth = Dijkstra<long double>(solved.graph).from(0)[n - 1];
  const double results = std::is_same_v<T, float> ? 1 : 2;  // that tolerance() counts
  EXPECT_GT(std::abs(solved.distances[n - 1] - truth) / truth,
            0.99 * tolerance(n, kDtype<T>, 1) / results);
}

TEST(Verifier, CountsAllFaultsAndNamesTheFirst) {
  Solved<int> solved(specOf(familyIndex("uniform"), 40, 1));
  for (const std::size_t at : {100u, 101u, 900u, 1599u}) ++solved.distances[at];
  const Verdict verdict = verified(solved.graph, solved.distances, 1000);
  EXPECT_EQ("dijkstra:40", verdict.how);
  EXPECT_EQ(4u, verdict.mismatch.count);
  EXPECT_EQ(2, verdict.mismatch.i);
  EXPECT_EQ(20, verdict.mismatch.j);
}

TEST(Verifier, ChecksTheRowsAskedForAndFreshOnes) {
  // One row of 200 is wrong: 20 rows of 200 find it now and then, not always and not never.
  Solved<int> solved(specOf(familyIndex("ring"), 200, 1));
  for (int j = 0; j < 200; ++j) ++solved.distances[static_cast<std::size_t>(100 * 200 + j)];
  int found = 0;
  for (int turn = 0; turn < 100; ++turn) {
    const Verdict verdict = verified(solved.graph, solved.distances, 20);
    EXPECT_EQ("dijkstra:20", verdict.how);
    found += verdict.failed();
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 60);
}

TEST(Verifier, ParsesWhatItIsAskedFor) {
  using Oracle = VerifyOptions::Oracle;
  EXPECT_EQ(Oracle::kNone, parseVerify("").oracle);
  EXPECT_EQ(Oracle::kRef, parseVerify("ref").oracle);
  EXPECT_EQ(16, parseVerify("dijkstra").rows);
  EXPECT_EQ(3353, parseVerify("dijkstra:3353").rows);
  for (const char* bad : {"yes", "dijkstra:", "dijkstra:0", "dijkstra:-1", "dijkstra:1e3",
                          "dijkstra:9999999999", "REF"}) {
    EXPECT_THROW(parseVerify(bad), Error) << bad;
  }
}

// ---- distances that reach infinity ----------------------------------------------------------

using Range = OnDevice;
ON_EVERY_DEVICE(Range);

template <class T = std::int32_t>
void check(const Device& device, int n, const Edges<T>& edges, const Selection& asked = {}) {
  const ProblemGraph graph(fromEdges(n, edges));
  const Problem problem = {graph, asked.all() ? nullptr : &asked};
  const Solver& solver = findSolver("apsp", device.kind());
  const auto run = prepareAsked(solver, problem, {device});
  run->reset();
  run->solve();
  const GraphStats found = statistics(run->distances());
  checkRange(solver, problem, {device}, graph.statistics(device), run->distances(), found,
             pairsOf(run->distances()) - found.edges);
}

TEST_P(Range, ADistanceThatReachesInfinityIsRefused) {
  const int half = 1 << 29;  // half + half = kInf + 1
  EXPECT_THROW(check(device(), 3, {{0, 1, half}, {1, 2, half}}), Error);
  EXPECT_THROW(check(device(), 3, {{0, 1, half - 1}, {1, 2, half}}), Error) << "exactly kInf";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, half - 1}, {1, 2, half - 1}})) << "kInf − 1 fits";
  const int part = 1 << 28;  // the largest distance found plus the heaviest weight is kInf
  EXPECT_THROW(check(device(), 5, {{0, 1, part}, {1, 2, part - 1}, {2, 3, part}, {3, 4, part}}),
               Error);
}

/// The first pair that is too far apart, as source and target; −1 and −1 if none is.
template <class T>
std::pair<int, int> tooFar(const Device& device, int n, const Edges<T>& edges,
                           const Selection& asked = {}) {
  try {
    check<T>(device, n, edges, asked);
  } catch (const TooFar& error) {
    const std::string from = std::to_string(error.source), to = std::to_string(error.target);
    EXPECT_EQ(error.facts + ", the first pair " + from + " -> " + to + ")", error.what());
    const std::string named = tooFarText(error, [](int v) { return "v" + std::to_string(v); });
    EXPECT_EQ(error.facts + ", the first pair v" + from + " -> v" + to + ")", named);
    return {error.source, error.target};
  }
  return {-1, -1};
}

TEST_P(Range, TheFirstPairThatIsTooFarIsNamed) {
  using Pair = std::pair<int, int>;
  const auto expectPairs = [&](auto most) {
    using T = decltype(most);
    // Vertex 0 reaches nothing, 1 reaches 2 alone, and 3 -> 4 -> 5 -> 1 is too long from 4 on.
    const Edges<T> edges = {{1, 2, 1}, {3, 4, 1}, {4, 5, most}, {5, 1, most}};
    EXPECT_EQ(Pair(3, 1), tooFar(device(), 6, edges));
    EXPECT_EQ(Pair(4, 1), tooFar(device(), 6, edges, {{0, 4, 3}, {}}));
    EXPECT_EQ(Pair(4, 2), tooFar(device(), 6, edges, {{1, 4}, {0, 5, 2, 1}}));
    EXPECT_EQ(Pair(-1, -1), tooFar(device(), 6, edges, {{1, 4}, {0, 5}}));
    Edges<T> chain;  // longer than the rows that are looked at together
    for (int v = 0; v < 200; ++v) chain.push_back({v, v + 1, v < 150 ? T(0) : most});
    EXPECT_EQ(Pair(0, 152), tooFar(device(), 201, chain));
    std::reverse(chain.begin(), chain.end());
    for (Edge<T>& edge : chain) edge = {200 - edge.to, 200 - edge.from, edge.weight};
    EXPECT_EQ(Pair(0, 2), tooFar(device(), 201, chain));
    for (Edge<T>& edge : chain) edge.weight = edge.from == 130 || edge.from == 140 ? most : T(0);
    EXPECT_EQ(Pair(0, 141), tooFar(device(), 201, chain));
    chain.erase(std::remove_if(chain.begin(), chain.end(),
                               [](const Edge<T>& edge) { return edge.from == 99; }),
                chain.end());
    EXPECT_EQ(Pair(100, 141), tooFar(device(), 201, chain)) << "not in the first rows";
  };
  expectPairs(std::int32_t{1 << 29});
  expectPairs(std::int64_t{1} << 61);
  expectPairs(2e38f);
  expectPairs(1e308);
}

TEST_P(Range, ADistanceThatReachesInfinityIn64BitsIsRefused) {
  using Whole = std::int64_t;
  const Whole half = Whole{1} << 61;  // half + half = infinity + 1
  EXPECT_THROW(check<Whole>(device(), 3, {{0, 1, half}, {1, 2, half}}), Error);
  EXPECT_THROW(check<Whole>(device(), 3, {{0, 1, half - 1}, {1, 2, half}}), Error) << "infinity";
  EXPECT_NO_THROW(check<Whole>(device(), 3, {{0, 1, half - 1}, {1, 2, half - 1}}));
  const int int32 = 1 << 29;
  EXPECT_NO_THROW(check<Whole>(device(), 3, {{0, 1, int32}, {1, 2, int32}})) << "beyond int32";
}

TEST_P(Range, HeavyWeightsAloneAreNotRefused) {
  const int heavy = kInf - 1;
  EXPECT_NO_THROW(check(device(), 5, {{0, 1, heavy}, {2, 3, heavy}}))
      << "unreachable pairs, no long path";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, heavy}, {1, 2, heavy}, {0, 2, 1}}))
      << "a light way round";
  const std::int64_t heavier = kInfinity<std::int64_t> - 1;
  EXPECT_NO_THROW(check<std::int64_t>(device(), 5, {{0, 1, heavier}, {2, 3, heavier}}));
  EXPECT_NO_THROW(check<std::int64_t>(device(), 3, {{0, 1, heavier}, {1, 2, heavier}, {0, 2, 1}}));
}

TEST_P(Range, ASumThatOverflowsAFloatIsRefused) {
  const float half = 2e38f;
  EXPECT_THROW(check<float>(device(), 3, {{0, 1, half}, {1, 2, half}}), Error);
  EXPECT_NO_THROW(check<float>(device(), 3, {{0, 1, half}, {1, 2, 1e38f}}));
  EXPECT_NO_THROW(check<float>(device(), 5, {{0, 1, half}, {2, 3, half}})) << "no long path";
  EXPECT_NO_THROW(check<float>(device(), 3, {{0, 1, half}, {1, 2, half}, {0, 2, 1}}));
}

TEST_P(Range, ASumThatOverflowsADoubleIsRefused) {
  const double half = 1e308;
  EXPECT_THROW(check<double>(device(), 3, {{0, 1, half}, {1, 2, half}}), Error);
  EXPECT_NO_THROW(check<double>(device(), 3, {{0, 1, half}, {1, 2, 5e307}}));
  EXPECT_NO_THROW(check<double>(device(), 3, {{0, 1, 2e38}, {1, 2, 2e38}})) << "beyond a float";
  EXPECT_NO_THROW(check<double>(device(), 5, {{0, 1, half}, {2, 3, half}})) << "no long path";
  EXPECT_NO_THROW(check<double>(device(), 3, {{0, 1, half}, {1, 2, half}, {0, 2, 1}}));
}

TEST(Solvers, WithoutFloatsSayNoToThem) {
  const Solver solver = inPlace("ints", DeviceKind::kCpu, "", "", [](int, int*) {});
  EXPECT_NO_THROW(requireDtype(solver, Dtype::kInt32));
  expectError(ErrorCode::kUsage, "ints", "f32 another i32",
              [&] { requireDtype(solver, Dtype::kFloat32); });
  for (const Dtype dtype : {Dtype::kInt64, Dtype::kFloat64})
    expectError(ErrorCode::kUsage, "ints", nameOf(dtype), [&] { requireDtype(solver, dtype); });
}

// ---- statistics -----------------------------------------------------------------------------

TEST(Measure, SummarisesByMedianMinimumAndMaximum) {
  const Timing odd = summarise({3, 1, 9}), even = summarise({4, 1, 2, 9}), one = summarise({5});
  EXPECT_EQ(3, odd.median);
  EXPECT_EQ(3, even.median);
  EXPECT_EQ(1, even.minimum);
  EXPECT_EQ(9, even.maximum);
  EXPECT_EQ(4, even.reps);
  EXPECT_EQ(5, one.median);
}

TEST(Measure, KeepsEveryCallAndNamesOutliers) {
  const Timing t = summarise({4, 1, 2, 3, 5, 100, 2, -90});
  EXPECT_EQ((std::vector<double>{4, 1, 2, 3, 5, 100, 2, -90}), t.calls) << "in their order";
  EXPECT_DOUBLE_EQ(1.75, t.q1);  // as NumPy has it
  EXPECT_DOUBLE_EQ(4.25, t.q3);
  EXPECT_EQ(2, t.outliers) << "on both sides";
  EXPECT_EQ(0, summarise({1, 2, 3, 4, 5}).outliers);
  const Timing one = summarise({5});
  EXPECT_EQ(5, one.q1);
  EXPECT_EQ(5, one.q3);
}

TEST(Measure, ResetsTheGraphBeforeEachCallAndStopsAsPlanned) {
  static int calls;
  const Solver solver =
      inPlace("count", DeviceKind::kCpu, "", "", [](int, int* graph) { graph[0] += ++calls; });
  const ProblemGraph graph(fromEdges<int>(1, {}));
  const auto run = solver.prepare({graph}, {cpuDevice});
  const auto timed = [&](const MeasureOptions& plan) {
    calls = 0;
    const auto unchanged = [&](const Call&) {
      EXPECT_EQ(Number(calls), run->distances().whole()->data()[0])
          << "the graph was not as it was";
    };
    return measure(*run, "count", plan, {[&](int) { run->reset(); }, unchanged});
  };
  EXPECT_EQ(3, timed({2, 3}).reps);
  EXPECT_EQ(5, calls);
  EXPECT_EQ(1000, timed({1, 0}).reps) << "a call that takes no time ends at the cap";
}

TEST(Measure, ASolverGetsTheOptionsAndMayRefuse16Bits) {
  Solver row;
  row.name = "picky";
  const Solver solver = inPlace(
      row,
      [](const Device&, int, Elements, const Options& options) {
        EXPECT_FALSE(options.symmetry || options.skip);
        Call call;
        call.outcome = {options.precision == Precision::k16 ? Tier::kNone : Tier::kUint16, true};
        return call;
      },
      nullptr);
  const ProblemGraph graph(fromEdges<int>(1, {}));
  const auto timed = [&](Precision precision, const std::function<void(const Call&)>& done) {
    const Options options{precision, false, false};
    const auto run = solver.prepare({graph}, {cpuDevice, options});
    measure(*run, "picky", {1, 3, options}, {[&](int) { run->reset(); }, done});
  };
  timed(Precision::kAuto, [](const Call& call) {
    EXPECT_EQ(Tier::kUint16, call.outcome.tier);
    EXPECT_TRUE(call.outcome.symmetric);
  });
  expectError(ErrorCode::kInput, "picky", "16 --precision auto 32",
              [&] { timed(Precision::k16, [](const Call&) { ADD_FAILURE() << "a result"; }); });
}

}  // namespace
