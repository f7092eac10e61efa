// Bellman's equation as an oracle: it passes right distances, and finds every planted error.
#include "verify/bellman.h"
#include "generate/families.h"
#include "generate/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "dense/plain_cpu.h"
#include "devices.h"
#include "seed.h"
#include "types.h"
#include "verify/bellman_gpu.h"

namespace {

/// A graph with weights of type T, and its distances by the plain loop.
template <class T = std::int32_t>
struct Solved {
  ProblemGraph graph;
  std::vector<T> distances;

  explicit Solved(ProblemGraph problem) : graph(std::move(problem)) {
    const auto n = static_cast<std::size_t>(graph.n());
    distances.resize(n * n);
    graph.rows(0, graph.n(), distances.data());
    apspScalar(graph.n(), distances.data());
  }

  Verdict verdict() const {
    return verifyByBellman(graph, HostDistances(graph.n(), distances), graph.n());
  }
};

template <class T>
Spec specWith(const char* family, int n, std::uint64_t seed) {
  Spec spec = specOf(familyIndex(family), n, seed);
  spec.dtype = kDtype<T>;
  return spec;
}

Graph copyOf(const Graph& graph) {
  return withEdges(graph, [&](const auto& edges) { return fromEdges(graph.n, edges); });
}

/// A graph with the same edges, held as a matrix.
ProblemGraph asMatrix(const Graph& graph) {
  Graph dense;
  dense.n = graph.n;
  dense.body = toMatrix(copyOf(graph));
  return ProblemGraph(std::move(dense));
}

/// A test of each type of weights.
template <class T>
class BellmanOf : public testing::Test {};
TYPED_TEST_SUITE(BellmanOf, AllTypes);
template <class T>
class BellmanOfReals : public testing::Test {};
TYPED_TEST_SUITE(BellmanOfReals, RealTypes);

TYPED_TEST(BellmanOf, PassesRightDistancesOfEveryFamily) {
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 65, 130}) {
      Spec spec = specOf(family, n, seed, family % 2 == 1);
      spec.dtype = kDtype<TypeParam>;
      const Verdict generated = Solved<TypeParam>(ProblemGraph(spec)).verdict();
      EXPECT_TRUE(generated.passed()) << describe(spec);
      EXPECT_TRUE(Solved<TypeParam>(ProblemGraph(generate(spec))).verdict().passed())
          << describe(spec);
    }
  }
}

/// Whether the verdict is that an entry of row `at` / n is wrong.
template <class T>
void expectFound(const Solved<T>& solved, const T& entry, T right, const std::string& what) {
  const Verdict verdict = solved.verdict();
  const auto at = static_cast<std::size_t>(&entry - solved.distances.data());
  EXPECT_TRUE(verdict.failed()) << what << ": " << textOf(entry) << " for " << textOf(right)
                                << " at " << at;
  EXPECT_EQ(static_cast<int>(at) / solved.graph.n(), verdict.mismatch.i);
}

/// What a distance in a graph of 30 vertices must be off by to be wrong for sure: 1, or more if it
/// is real and large.
template <class T>
T leastFound(T right) {
  if constexpr (std::is_integral_v<T>) {
    return 1;
  } else {
    return std::max(T(1), static_cast<T>(4 * tolerance(30, kDtype<T>, 2) * right));
  }
}

TYPED_TEST(BellmanOf, FindsEverySingleWrongEntry) {
  using T = TypeParam;
  for (const char* family : {"uniform", "sparse", "grid"}) {
    Solved<T> solved{ProblemGraph(specWith<T>(family, 30, 7))};
    for (T& entry : solved.distances) {
      const T right = entry;
      const T off = right < kInfinity<T> ? leastFound(right) : 1;
      for (const T wrong : {right - off, right + off, T(0), kInfinity<T>}) {
        if (wrong == right || wrong < 0 || wrong > kInfinity<T>) continue;
        entry = wrong;
        expectFound(solved, entry, right, family);
      }
      entry = right;
    }
  }
}

/// Distances of 2⁵⁹ and more, which doubles do not hold.
TEST(Bellman, FindsAnErrorOfOneIn64Bits) {
  using Whole = std::int64_t;
  for (const bool dense : {false, true}) {
    Edges<Whole> edges = toEdges<Whole>(generate(specWith<Whole>("sparse", 30, 7)));
    for (Edge<Whole>& e : edges) e.weight += Whole{1} << 59;
    const Graph graph = fromEdges(30, edges);
    Solved<Whole> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
    EXPECT_TRUE(solved.verdict().passed());
    for (Whole& entry : solved.distances) {
      const Whole right = entry;
      for (const Whole wrong : {right - 1, right + 1}) {
        if (wrong < 0 || wrong > kInfinity<Whole>) continue;
        entry = wrong;
        expectFound(solved, entry, right, dense ? "a matrix" : "edges");
        entry = right;
      }
    }
  }
}

/// Rows that are checked together: as many as a vector has lanes, and fewer.
TYPED_TEST(BellmanOf, ChecksGroupsOfRowsThatAreNotFull) {
  using T = TypeParam;
  for (const int n : {7, 8, 9, 15, 16, 17, 33}) {
    Solved<T> solved{ProblemGraph(specWith<T>("star", n, 7))};
    EXPECT_TRUE(solved.verdict().passed()) << n;
    for (const int row : {0, n / 2, n - 1}) {
      T& entry = solved.distances[static_cast<std::size_t>(row * n + (row == 1 ? 2 : 1))];
      const T right = entry;
      entry = right + 1;
      expectFound(solved, entry, right, std::to_string(n));
      entry = right;
    }
  }
}

TYPED_TEST(BellmanOf, NamesWhatItExpected) {
  using T = TypeParam;
  Solved<T> solved{ProblemGraph(fromEdges<T>(3, {{0, 1, 5}, {1, 2, 4}}))};
  solved.distances[2] = 8;
  const Mismatch found = solved.verdict().mismatch;
  EXPECT_EQ(1u, found.count);
  EXPECT_EQ(0, found.i);
  EXPECT_EQ(2, found.j);
  EXPECT_EQ(Number(T(9)), found.expected);
  EXPECT_EQ(Number(T(8)), found.got);
}

/// 1 and 2 are joined by edges of weight 0, and would support each other's wrong distances.
TYPED_TEST(BellmanOf, FindsACircleOfLengthZeroThatSupportsItself) {
  using T = TypeParam;
  const Edges<T> circle = {{1, 2, 0}, {2, 1, 0}};
  Edges<T> reached = circle;
  reached.push_back({0, 1, 9});
  for (const auto& edges : {circle, reached}) {
    const Graph graph = fromEdges(4, edges);
    for (const bool dense : {false, true}) {
      Solved<T> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
      EXPECT_TRUE(solved.verdict().passed());
      solved.distances[1] = solved.distances[2] = 5;
      const Mismatch found = solved.verdict().mismatch;
      EXPECT_EQ(2u, found.count);
      EXPECT_EQ(1, found.j);
      EXPECT_EQ(Number(edges.size() == 2 ? kInfinity<T> : T(9)), found.expected);
    }
  }
}

TYPED_TEST(BellmanOfReals, TakesRealsWithinTheirTolerance) {
  using T = TypeParam;
  for (const char* family : {"uniform", "grid"}) {
    Solved<T> solved{ProblemGraph(specWith<T>(family, 60, 3))};
    T& entry = solved.distances[61 * 7 + 5];
    const T right = entry;
    entry = right * (1 + std::numeric_limits<T>::epsilon());
    EXPECT_NE(right, entry);
    EXPECT_TRUE(solved.verdict().passed());
    const double four = 4 * tolerance(60, kDtype<T>, 2);
    for (const double off : {-four, four}) {
      entry = static_cast<T>(right * (1 + off));
      EXPECT_TRUE(solved.verdict().failed()) << family << off;
    }
    for (const T wrong : {std::numeric_limits<T>::quiet_NaN(), T(-1), -kInfinity<T>}) {
      entry = wrong;
      EXPECT_TRUE(solved.verdict().failed()) << family << wrong;
    }
  }
}

TEST(Bellman, ChecksAsManyRowsAsAskedFor) {
  const Solved<> solved{ProblemGraph(specOf(familyIndex("course"), 40, 1))};
  const HostDistances distances(40, solved.distances);
  EXPECT_EQ("bellman:7", verifyByBellman(solved.graph, distances, 7).how);
  EXPECT_EQ("bellman:40", verifyByBellman(solved.graph, distances, 100).how);
}

// ---- on a GPU -----------------------------------------------------------------------------------

/// A device that says it is a GPU, with so many bytes free.
class LittleRoom : public Like {
 public:
  LittleRoom(const Device& device, std::size_t bytes) : Like(device), bytes_(bytes) {}
  DeviceKind kind() const override { return DeviceKind::kGpu; }
  std::size_t freeBytes() const override { return bytes_; }

 private:
  std::size_t bytes_;
};

std::vector<int> allRows(int n) {
  std::vector<int> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// The rows that the GPU must doubt of right distances: all if too many edges have the weight 0.
/// T: the type of the weights.
template <class T>
std::vector<int> doubtsOf(const ProblemGraph& graph) {
  if (graph.heldAsEdges()) return {};
  const auto n = static_cast<std::size_t>(graph.n());
  std::vector<T> weights(n * n);
  graph.rows(0, graph.n(), weights.data());
  const auto zeros = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), 0)) - n;
  return zeros > kMostZeros * n ? allRows(graph.n()) : std::vector<int>{};
}

std::vector<int> doubtfulOn(const Device& device, const ProblemGraph& graph,
                            const Distances& distances) {
  const std::vector<int> rows = allRows(distances.rowCount());
  return graph.heldAsEdges() ? doubtfulByArcs(graph.onHost(), distances, rows, device)
                             : doubtfulByMatrix(graph, distances, rows, device);
}

TEST(Bellman, LeavesAllRowsToTheCpuWithoutAGpuThatHasRoom) {
  const LittleRoom full(cpuDevice, 0);
  for (const char* family : {"uniform", "grid"}) {
    const Solved<> solved{ProblemGraph(specOf(familyIndex(family), 30, 7))};
    const HostDistances distances(30, solved.distances);
    EXPECT_EQ(allRows(30), doubtfulOn(full, solved.graph, distances)) << family;
    EXPECT_EQ(allRows(30), doubtfulOn(cpuDevice, solved.graph, distances)) << family;
    EXPECT_TRUE(verifyByBellman(solved.graph, distances, 30, full).passed()) << family;
  }
}

TEST(Bellman, RowsInMemoryOfADeviceAreTheSameRows) {
  const Solved<> solved{ProblemGraph(specOf(familyIndex("uniform"), 30, 7))};
  const LittleRoom device(cpuDevice, 0);
  const DeviceMatrix here(cpuDevice, 30), there(device, 30);
  for (const DeviceMatrix* matrix : {&here, &there})
    upload(cpuDevice, matrix->data(), solved.distances);
  const HostDistances host(30, solved.distances);
  const WholeDistances wholeHere(here), wholeThere(there);
  const Selection asked = {{3, 4, 29}};
  const PickedDistances picked(host, asked);
  const std::vector<const Distances*> each = {&host, &wholeHere, &wholeThere, &picked};
  for (const Distances* all : each) {
    int next = 1;
    all->rowsOn(device, 1, all->rowCount(), [&](int first, int count, ConstElements elements) {
      EXPECT_EQ(next, first);
      const int* words = elements.as<int>();
      for (next = first; next < first + count; ++next, words += 30) {
        const auto right = solved.distances.begin() + std::ptrdiff_t{30} * all->source(next);
        EXPECT_TRUE(std::equal(words, words + 30, right));
      }
    });
    EXPECT_EQ(all->rowCount(), next);
  }
}

class GpuBellman : public OnGpu<> {
 protected:
  template <class T>
  std::vector<int> doubtful(const ProblemGraph& graph, const std::vector<T>& all) const {
    return doubtfulOn(*gpu_, graph, HostDistances(graph.n(), all));
  }

  /// The GPU must doubt exactly these rows, and the verdict be the CPU's.
  template <class T>
  void expectDoubts(const std::vector<int>& rows, const ProblemGraph& graph,
                    const std::vector<T>& all, const std::string& what) const {
    EXPECT_EQ(rows, doubtful(graph, all)) << what;
    const HostDistances distances(graph.n(), all);
    const Verdict here = verifyByBellman(graph, distances, graph.n(), *gpu_);
    const Verdict there = verifyByBellman(graph, distances, graph.n());
    EXPECT_EQ(rows.empty(), here.passed()) << what;
    EXPECT_EQ(there.how, here.how) << what;
    EXPECT_EQ(there.mismatch.count, here.mismatch.count) << what;
    EXPECT_EQ(there.mismatch.i, here.mismatch.i) << what;
    EXPECT_EQ(there.mismatch.j, here.mismatch.j) << what;
    EXPECT_EQ(there.mismatch.expected, here.mismatch.expected) << what;
    EXPECT_EQ(there.mismatch.got, here.mismatch.got) << what;
  }

  /// Plants an entry into every row at once, in another column each, several times.
  template <class T, class Wrong>
  void expectFound(const Solved<T>& solved, const Wrong& wrong, const std::string& what) const {
    const int n = solved.graph.n();
    for (int shift = 0; shift < n; shift += 1 + n / 20) {
      std::vector<T> all = solved.distances;
      std::vector<int> rows;
      for (int i = 0; i < n; ++i) {
        const int j = (i + shift) % n;
        T& entry = all[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
                       static_cast<std::size_t>(j)];
        const T other = wrong(entry);
        if (other != entry) rows.push_back(i);
        entry = other;
      }
      expectDoubts(rows, solved.graph, all, what + " shift " + std::to_string(shift));
    }
  }
};

/// A GPU that looks at rows of each type of weights.
template <class T>
class GpuBellmanOf : public GpuBellman {};
TYPED_TEST_SUITE(GpuBellmanOf, AllTypes);
template <class T>
class GpuBellmanOfReals : public GpuBellman {};
TYPED_TEST_SUITE(GpuBellmanOfReals, RealTypes);
template <class T>
class GpuBellmanOfWholes : public GpuBellman {};
using WholeTypes = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(GpuBellmanOfWholes, WholeTypes);

TYPED_TEST(GpuBellmanOf, ShowsRightRowsOfEveryFamily) {
  using T = TypeParam;
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 31, 33, 65, 128, 130, 300}) {
      Spec spec = specOf(family, n, seed, family % 2 == 1);
      spec.dtype = kDtype<T>;
      const Solved<T> solved{ProblemGraph(spec)};
      const auto expectRight = [&](const ProblemGraph& graph) {
        EXPECT_EQ(doubtsOf<T>(graph), this->doubtful(graph, solved.distances)) << describe(spec);
      };
      expectRight(solved.graph);
      const ProblemGraph read(generate(spec));
      expectRight(read);
      if (read.heldAsEdges()) expectRight(asMatrix(read.onHost()));
    }
  }
}

TYPED_TEST(GpuBellmanOf, FindsWrongEntries) {
  using T = TypeParam;
  for (const char* family : {"uniform", "sparse", "grid"}) {
    for (const int n : {2, 41, 130}) {
      Spec spec = specWith<T>(family, n, 7);
      spec.degree = std::min(3, n - 1);
      const Solved<T> solved{ProblemGraph(spec)};
      for (const int by : {-1, 1})
        this->expectFound(
            solved,
            [&](T entry) {
              // An error of 1 may be within the tolerance of a large real number.
              const T step = std::is_integral_v<T> ? T(1) : std::max(T(1), entry / 1000);
              const T wrong = entry + by * step;
              return entry == kInfinity<T> || wrong < 0 ? entry : wrong;
            },
            std::string(family) + " n=" + std::to_string(n) + " by " + std::to_string(by));
      if (n == 130 || !std::is_integral_v<T>) continue;
      for (const T fixed : {T(0), kInfinity<T>, static_cast<T>(kInfinity<T> + 1), T(-1),
                            std::numeric_limits<T>::max()})
        this->expectFound(
            solved, [&](T) { return fixed; },
            std::string(family) + " n=" + std::to_string(n) + ": " + std::to_string(fixed));
    }
  }
}

TYPED_TEST(GpuBellmanOfReals, TakesRealsWithinTheirTolerance) {
  using T = TypeParam;
  for (const char* family : {"uniform", "grid"}) {
    Solved<T> solved{ProblemGraph(specWith<T>(family, 60, 3))};
    const double four = 4 * tolerance(60, kDtype<T>, 2);
    for (const double factor : {0.999, 1.001, -1.0, 1 - four, 1 + four})
      this->expectFound(
          solved, [&](T entry) { return static_cast<T>(entry == 0 ? 0 : entry * factor); },
          std::string(family) + " times " + std::to_string(factor));
    T& entry = solved.distances[61 * 7 + 5];
    entry *= 1 + std::numeric_limits<T>::epsilon();
    this->expectDoubts({}, solved.graph, solved.distances, family);
    for (const T nan :
         {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()}) {
      entry = nan;
      EXPECT_EQ(std::vector<int>{7}, this->doubtful(solved.graph, solved.distances));
    }
  }
}

/// Weights of 0…3: vertices are grounded over many edges of weight 0, and circles of them occur.
TYPED_TEST(GpuBellmanOf, GroundsVerticesOverEdgesOfWeightZero) {
  using T = TypeParam;
  std::mt19937 rng(testSeed());
  const auto below = [&](int bound) { return std::uniform_int_distribution<>(0, bound - 1)(rng); };
  for (const int n : {5, 64, 129}) {
    Edges<T> edges;
    for (int v = 0; v + 1 < n; v += 2) edges.push_back({v, v + 1, 0});  // a path of them, too
    for (int e = 0; e < 4 * n; ++e) edges.push_back({below(n), below(n), static_cast<T>(below(4))});
    const Graph graph = fromEdges(n, edges);
    for (const bool dense : {false, true}) {
      const Solved<T> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
      this->expectDoubts({}, solved.graph, solved.distances, "right");
      for (const int by : {-1, 1})
        this->expectFound(
            solved,
            [&](T entry) {
              const bool stays = entry == kInfinity<T> || (by < 0 && entry == 0);
              return stays ? entry : entry + by;
            },
            std::string(dense ? "matrix" : "arcs"));
    }
  }
}

/// Sums of two weights reach infinity, and do not overflow.
TYPED_TEST(GpuBellmanOfWholes, CapsSumsAtInfinity) {
  using T = TypeParam;
  std::mt19937 rng(testSeed());
  const auto below = [&](int bound) { return std::uniform_int_distribution<>(0, bound - 1)(rng); };
  for (const T heavy : {kInfinity<T>, kInfinity<T> / 3}) {
    Edges<T> edges;
    for (int e = 0; e < 120; ++e) edges.push_back({below(40), below(40), heavy - 1 - below(3)});
    const Graph graph = fromEdges(40, edges);
    for (const bool dense : {false, true}) {
      const Solved<T> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
      this->expectDoubts({}, solved.graph, solved.distances, "right");
      this->expectFound(
          solved, [](T entry) { return entry == 0 ? 1 : entry - 1; }, "less");
    }
  }
}

TYPED_TEST(GpuBellmanOf, FindsACircleOfLengthZeroThatSupportsItself) {
  using T = TypeParam;
  const Edges<T> circle = {{1, 2, 0}, {2, 3, 0}, {3, 1, 0}};
  Edges<T> reached = circle;
  reached.push_back({0, 1, 9});
  for (const auto& edges : {circle, reached}) {
    const Graph graph = fromEdges(5, edges);
    for (const bool dense : {false, true}) {
      Solved<T> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
      this->expectDoubts({}, solved.graph, solved.distances, "right");
      const T right = solved.distances[1];
      for (const int j : {1, 2, 3}) solved.distances[static_cast<std::size_t>(j)] = 5;
      this->expectDoubts({0}, solved.graph, solved.distances, "a circle");
      for (const int j : {2, 3})  // as if no edge of weight 0 led there
        solved.distances[static_cast<std::size_t>(j)] = kInfinity<T>;
      solved.distances[1] = right;
      const bool isReached = right != kInfinity<T>;
      this->expectDoubts(isReached ? std::vector<int>{0} : std::vector<int>{}, solved.graph,
                         solved.distances, "vertices without a distance");
    }
  }
}

/// 2 is reached by an edge of weight 0 only, whose tail is farther than 2 is said to be.
TYPED_TEST(GpuBellmanOf, GroundsVerticesOnlyAtTheSameDistance) {
  using T = TypeParam;
  const Graph graph = fromEdges<T>(3, {{0, 1, 9}, {1, 2, 0}});
  for (const bool dense : {false, true}) {
    Solved<T> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
    this->expectDoubts({}, solved.graph, solved.distances, "right");
    solved.distances[2] = 4;
    this->expectDoubts({0}, solved.graph, solved.distances, "too near");
  }
}

/// More edges of weight 0 than are listed: the CPU judges all rows.
TYPED_TEST(GpuBellmanOf, LeavesManyEdgesOfWeightZeroToTheCpu) {
  using T = TypeParam;
  Spec spec = specWith<T>("binary", 100, 5);
  Matrix matrix = toMatrix(generate(spec));
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j)
      if ((i + j) % 2 == 0) matrix.row<T>(i)[j] = 0;
  Graph many;
  many.n = 100;
  many.body = std::move(matrix);
  const Solved<T> solved{ProblemGraph(std::move(many))};
  EXPECT_EQ(allRows(100), this->doubtful(solved.graph, solved.distances));
  EXPECT_TRUE(verifyByBellman(solved.graph, HostDistances(100, solved.distances), 100, *this->gpu_)
                  .passed());
}

/// Distances of 2⁵⁹ and more, which doubles do not hold.
TEST_F(GpuBellman, FindsAnErrorOfOneIn64Bits) {
  using Whole = std::int64_t;
  Edges<Whole> edges = toEdges<Whole>(generate(specWith<Whole>("sparse", 41, 7)));
  for (Edge<Whole>& e : edges) e.weight += Whole{1} << 59;
  const Graph graph = fromEdges(41, edges);
  for (const bool dense : {false, true}) {
    const Solved<Whole> solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
    for (const int by : {-1, 1})
      expectFound(
          solved,
          [&](Whole entry) {
            return entry == kInfinity<Whole> || entry + by < 0 ? entry : entry + by;
          },
          dense ? "matrix" : "arcs");
  }
}

TEST_F(GpuBellman, FindsAWrongArcAndADroppedVertex) {
  const Graph graph = generate(specOf(familyIndex("grid"), 225, 9));
  for (const bool dense : {false, true}) {
    const auto held = [&](const Graph& edges) {
      return dense ? asMatrix(edges) : ProblemGraph(copyOf(edges));
    };
    const Solved<> right(held(graph));
    const auto expectFoundIn = [&](Edges<int> edges, int at) {
      const Solved<> other(held(fromEdges(graph.n, std::move(edges))));
      std::vector<int> rows;
      for (const int i : allRows(225)) {
        const auto begin = static_cast<std::ptrdiff_t>(i) * 225;
        if (!std::equal(other.distances.begin() + begin, other.distances.begin() + begin + 225,
                        right.distances.begin() + begin))
          rows.push_back(i);
      }
      expectDoubts(rows, right.graph, other.distances, std::to_string(at));
    };
    for (std::size_t at = 0; at < graph.edgeCount(); at += 100) {
      Edges<int> edges = graph.edges<int>();
      edges[at].weight /= 2;
      expectFoundIn(edges, static_cast<int>(at));
    }
    for (const int dropped : {0, 112, 224}) {
      Edges<int> edges;
      for (const Edge<int>& e : graph.edges<int>())
        if (e.from != dropped && e.to != dropped) edges.push_back(e);
      expectFoundIn(edges, dropped);
    }
  }
}

TYPED_TEST(GpuBellmanOf, LooksAtRowsOfTablesAndAtBandsOfRows) {
  using T = TypeParam;
  for (const char* family : {"uniform", "sparse"}) {
    Solved<T> solved{ProblemGraph(specWith<T>(family, 300, 7))};
    const HostDistances all(300, solved.distances);
    const Selection asked = {{7, 299, 7, 100, 101}};
    const PickedDistances picked(all, asked);
    const bool arcs = solved.graph.heldAsEdges();
    // Room for a strip of 128 sources, or for a band of 7 rows.
    const std::size_t edges = arcs ? solved.graph.onHost().edgeCount() : 0;
    const std::size_t size = sizeof(T);
    const std::size_t room = arcs
                                 ? 4 * (300 * 16 + edges * 2 * size + 300 * 8 + 300 * size * 128)
                                 : 2 * (300 * 300 * size + 300 * 64 + 4 + 7 * (300 * 2 * size + 8));
    const LittleRoom little(*this->gpu_, room), tooLittle(*this->gpu_, room / 2);
    EXPECT_EQ(std::vector<int>{}, doubtfulOn(*this->gpu_, solved.graph, picked)) << family;
    EXPECT_EQ(std::vector<int>{}, doubtfulOn(little, solved.graph, all)) << family;
    EXPECT_EQ(allRows(300), doubtfulOn(tooLittle, solved.graph, all)) << family;
    for (const std::size_t row : {0, 6, 7, 100, 127, 128, 299}) {
      T& entry = solved.distances[row * 300 + 8];
      entry = entry < kInfinity<T> ? 2 * entry + 1 : T(3);
    }
    EXPECT_EQ((std::vector<int>{0, 1, 2, 3}), doubtfulOn(*this->gpu_, solved.graph, picked))
        << family;
    EXPECT_EQ((std::vector<int>{0, 6, 7, 100, 127, 128, 299}),
              doubtfulOn(little, solved.graph, all))
        << family;
  }
}

/// Distances that the GPU holds, in several strips, and whose weights come in several slabs.
TEST_F(GpuBellman, ChecksLargeResultsWhereTheyAre) {
  for (const char* family : {"grid", "uniform"}) {
    for (const Dtype dtype : kDtypes) {
      const bool dense = family == std::string("uniform"), wide = isWide(dtype);
      if (wide && !dense) continue;  // `ref`, which does not narrow it, would take long
      Spec spec = specOf(familyIndex(family), dense ? 5000 : 10000, 11);
      spec.dtype = dtype;
      const ProblemGraph graph(spec);
      const Solver& solver = findSolver(wide ? "ref" : "apsp", DeviceKind::kGpu);
      const auto run = solver.prepare({graph}, {*gpu_});
      run->reset();
      run->solve();
      const Distances& found = run->distances();
      ASSERT_NE(nullptr, found.whole());
      EXPECT_EQ(std::vector<int>{}, doubtfulOn(*gpu_, graph, found)) << describe(spec);
      const auto n = static_cast<std::size_t>(spec.n);
      const std::vector<int> rows = {0, 127, 128, 4999};
      for (const int i : rows) {
        const Elements at = found.whole()->data() + (static_cast<std::size_t>(i) * n + n - 1);
        withType(dtype, [&](auto zero) {
          const auto wrong = static_cast<decltype(zero)>(123456789);  // too large
          upload(*gpu_, at, &wrong, 1);
        });
      }
      EXPECT_EQ(rows, doubtfulOn(*gpu_, graph, found)) << describe(spec);
    }
  }
}

}  // namespace
