// Bellman's equation as an oracle: it passes right distances, and finds every planted error.
#include "verify/bellman.h"
#include "generate/families.h"
#include "generate/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "dense/plain_cpu.h"
#include "devices.h"
#include "verify/bellman_gpu.h"

namespace {

/// A graph, and its distances by the plain loop.
struct Solved {
  ProblemGraph graph;
  std::vector<int> distances;

  explicit Solved(ProblemGraph problem) : graph(std::move(problem)) {
    const auto n = static_cast<std::size_t>(graph.n());
    distances.resize(n * n);
    graph.rows(0, graph.n(), distances.data());
    apspScalar(graph.n(), distances.data(), graph.dtype());
  }

  Verdict verdict() const {
    return verifyByBellman(graph, HostDistances(graph.n(), graph.dtype(), distances), graph.n());
  }
};

Graph copyOf(const Graph& graph) {
  return fromEdges(graph.n, graph.edges(), graph.dtype);
}

TEST(Bellman, PassesRightDistancesOfEveryFamily) {
  const std::uint64_t seed = std::random_device{}();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 65, 130}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        const Verdict generated = Solved(ProblemGraph(spec)).verdict();
        EXPECT_TRUE(generated.passed()) << describe(spec) << " " << nameOf(dtype);
        EXPECT_TRUE(Solved(ProblemGraph(generate(spec))).verdict().passed()) << describe(spec);
      }
    }
  }
}

TEST(Bellman, FindsEverySingleWrongEntry) {
  for (const char* family : {"uniform", "sparse", "grid"}) {
    Solved solved{ProblemGraph(specOf(familyIndex(family), 30, 7))};
    for (int& entry : solved.distances) {
      const int right = entry;
      for (const int wrong : {right - 1, right + 1, 0, kInf}) {
        if (wrong == right || wrong < 0 || wrong > kInf) continue;
        entry = wrong;
        const Verdict verdict = solved.verdict();
        const auto at = static_cast<std::size_t>(&entry - solved.distances.data());
        EXPECT_TRUE(verdict.failed())
            << family << ": " << wrong << " for " << right << " at " << at;
        EXPECT_EQ(static_cast<int>(at / 30), verdict.mismatch.i);
      }
      entry = right;
    }
  }
}

TEST(Bellman, NamesWhatItExpected) {
  Solved solved{ProblemGraph(fromEdges(3, {{0, 1, 5}, {1, 2, 4}}))};
  solved.distances[2] = 8;
  const Mismatch found = solved.verdict().mismatch;
  EXPECT_EQ(1u, found.count);
  EXPECT_EQ(0, found.i);
  EXPECT_EQ(2, found.j);
  EXPECT_EQ(9, found.expected);
  EXPECT_EQ(8, found.got);
}

/// 1 and 2 are joined by edges of weight 0, and would support each other's wrong distances.
TEST(Bellman, FindsACircleOfLengthZeroThatSupportsItself) {
  const std::vector<Edge> circle = {{1, 2, 0}, {2, 1, 0}};
  std::vector<Edge> reached = circle;
  reached.push_back({0, 1, 9});
  for (const auto& edges : {circle, reached}) {
    Solved solved{ProblemGraph(fromEdges(4, edges))};
    EXPECT_TRUE(solved.verdict().passed());
    solved.distances[1] = solved.distances[2] = 5;
    const Mismatch found = solved.verdict().mismatch;
    EXPECT_EQ(2u, found.count);
    EXPECT_EQ(1, found.j);
    EXPECT_EQ(edges.size() == 2 ? kInf : 9, found.expected);
  }
}

TEST(Bellman, TakesFloatsWithinTheirTolerance) {
  Spec spec = specOf(familyIndex("uniform"), 60, 3);
  spec.dtype = Dtype::kFloat32;
  Solved solved{ProblemGraph(spec)};
  int& entry = solved.distances[61 * 7 + 5];
  const float right = toFloat(entry);
  entry = toWord(right * (1 + 1e-7f));
  EXPECT_TRUE(solved.verdict().passed());
  for (const float factor : {0.999f, 1.001f}) {
    entry = toWord(right * factor);
    EXPECT_TRUE(solved.verdict().failed()) << factor;
  }
}

TEST(Bellman, ChecksAsManyRowsAsAskedFor) {
  const Solved solved{ProblemGraph(specOf(familyIndex("course"), 40, 1))};
  const HostDistances distances(40, Dtype::kInt32, solved.distances);
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
std::vector<int> doubtsOf(const ProblemGraph& graph) {
  if (graph.heldAsEdges()) return {};
  const auto n = static_cast<std::size_t>(graph.n());
  std::vector<int> weights(n * n);
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

/// A graph with the same edges, held as a matrix.
ProblemGraph asMatrix(const Graph& graph) {
  Graph dense;
  dense.n = graph.n;
  dense.dtype = graph.dtype;
  dense.body = Matrix(graph.n);
  writeMatrix(graph.n, graph.edges(), std::get<Matrix>(dense.body).data(), graph.dtype);
  return ProblemGraph(std::move(dense));
}

TEST(Bellman, LeavesAllRowsToTheCpuWithoutAGpuThatHasRoom) {
  const LittleRoom full(cpuDevice, 0);
  for (const char* family : {"uniform", "grid"}) {
    const Solved solved{ProblemGraph(specOf(familyIndex(family), 30, 7))};
    const HostDistances distances(30, Dtype::kInt32, solved.distances);
    EXPECT_EQ(allRows(30), doubtfulOn(full, solved.graph, distances)) << family;
    EXPECT_EQ(allRows(30), doubtfulOn(cpuDevice, solved.graph, distances)) << family;
    EXPECT_TRUE(verifyByBellman(solved.graph, distances, 30, full).passed()) << family;
  }
}

TEST(Bellman, RowsInMemoryOfADeviceAreTheSameRows) {
  const Solved solved{ProblemGraph(specOf(familyIndex("uniform"), 30, 7))};
  const LittleRoom device(cpuDevice, 0);
  const DeviceMatrix here(cpuDevice, 30), there(device, 30);
  for (const DeviceMatrix* matrix : {&here, &there})
    cpuDevice.upload(matrix->data(), solved.distances.data(), matrix->size());
  const HostDistances host(30, Dtype::kInt32, solved.distances);
  const WholeDistances wholeHere(here), wholeThere(there);
  const Selection asked = {{3, 4, 29}};
  const PickedDistances picked(host, asked);
  const std::vector<const Distances*> each = {&host, &wholeHere, &wholeThere, &picked};
  for (const Distances* all : each) {
    int next = 1;
    all->rowsOn(device, 1, all->rowCount(), [&](int first, int count, const int* words) {
      EXPECT_EQ(next, first);
      for (next = first; next < first + count; ++next, words += 30) {
        const auto right = solved.distances.begin() + std::ptrdiff_t{30} * all->source(next);
        EXPECT_TRUE(std::equal(words, words + 30, right));
      }
    });
    EXPECT_EQ(all->rowCount(), next);
  }
}

class GpuBellman : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    gpu_ = findGpu(why);
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU: " << why;
  }

  std::vector<int> doubtful(const ProblemGraph& graph, const std::vector<int>& words) const {
    return doubtfulOn(*gpu_, graph, HostDistances(graph.n(), graph.dtype(), words));
  }

  /// The GPU must doubt exactly these rows, and the verdict be the CPU's.
  void expectDoubts(const std::vector<int>& rows, const ProblemGraph& graph,
                    const std::vector<int>& words, const std::string& what) const {
    EXPECT_EQ(rows, doubtful(graph, words)) << what;
    const HostDistances distances(graph.n(), graph.dtype(), words);
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
  template <class Wrong>
  void expectFound(const Solved& solved, const Wrong& wrong, const std::string& what) const {
    const int n = solved.graph.n();
    for (int shift = 0; shift < n; shift += 1 + n / 20) {
      std::vector<int> words = solved.distances, rows;
      for (int i = 0; i < n; ++i) {
        const int j = (i + shift) % n;
        int& word = words[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
                          static_cast<std::size_t>(j)];
        const int other = wrong(word);
        if (other != word) rows.push_back(i);
        word = other;
      }
      expectDoubts(rows, solved.graph, words, what + " shift " + std::to_string(shift));
    }
  }

  const Device* gpu_ = nullptr;
};

TEST_F(GpuBellman, ShowsRightRowsOfEveryFamily) {
  const std::uint64_t seed = std::random_device{}();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 31, 33, 65, 128, 130, 300}) {
      for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
        Spec spec = specOf(family, n, seed, family % 2 == 1);
        spec.dtype = dtype;
        const Solved solved{ProblemGraph(spec)};
        const auto expectRight = [&](const ProblemGraph& graph) {
          EXPECT_EQ(doubtsOf(graph), doubtful(graph, solved.distances))
              << describe(spec) << " " << nameOf(dtype);
        };
        expectRight(solved.graph);
        const ProblemGraph read(generate(spec));
        expectRight(read);
        if (read.heldAsEdges()) expectRight(asMatrix(read.onHost()));
      }
    }
  }
}

TEST_F(GpuBellman, FindsWrongEntries) {
  for (const char* family : {"uniform", "sparse", "grid"}) {
    for (const int n : {2, 41, 130}) {
      Spec spec = specOf(familyIndex(family), n, 7);
      spec.degree = std::min(3, n - 1);
      const Solved solved{ProblemGraph(spec)};
      for (const int by : {-1, 1})
        expectFound(
            solved, [&](int word) { return word == kInf || word + by < 0 ? word : word + by; },
            std::string(family) + " n=" + std::to_string(n) + " by " + std::to_string(by));
      if (n == 130) continue;
      for (const int fixed : {0, kInf, kInf + 1, -1, INT_MAX})
        expectFound(
            solved, [&](int) { return fixed; },
            std::string(family) + " n=" + std::to_string(n) + ": " + std::to_string(fixed));
    }
  }
}

TEST_F(GpuBellman, TakesFloatsWithinTheirTolerance) {
  for (const char* family : {"uniform", "grid"}) {
    Spec spec = specOf(familyIndex(family), 60, 3);
    spec.dtype = Dtype::kFloat32;
    Solved solved{ProblemGraph(spec)};
    for (const float factor : {0.999f, 1.001f, -1.0f})
      expectFound(
          solved,
          [&](int word) {
            const bool scales = word != 0 && word != infinity(Dtype::kFloat32);
            return scales ? toWord(toFloat(word) * factor) : word;
          },
          std::string(family) + " times " + std::to_string(factor));
    int& entry = solved.distances[61 * 7 + 5];
    const float right = toFloat(entry);
    entry = toWord(right * (1 + 1e-7f));
    expectDoubts({}, solved.graph, solved.distances, family);
    for (const unsigned nan : {0x7fc00000u, 0xffc00000u}) {
      entry = static_cast<int>(nan);
      EXPECT_EQ(std::vector<int>{7}, doubtful(solved.graph, solved.distances));
    }
  }
}

/// Weights of 0…3: vertices are grounded over many edges of weight 0, and circles of them occur.
TEST_F(GpuBellman, GroundsVerticesOverEdgesOfWeightZero) {
  std::mt19937 rng(std::random_device{}());
  const auto below = [&](int bound) { return std::uniform_int_distribution<>(0, bound - 1)(rng); };
  for (const int n : {5, 64, 129}) {
    for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
      std::vector<Edge> edges;
      for (int v = 0; v + 1 < n; v += 2) edges.push_back({v, v + 1, 0});  // a path of them, too
      for (int e = 0; e < 4 * n; ++e) edges.push_back({below(n), below(n), below(4)});
      if (dtype == Dtype::kFloat32) toFloats(edges);
      const Graph graph = fromEdges(n, edges, dtype);
      for (const bool dense : {false, true}) {
        const Solved solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
        expectDoubts({}, solved.graph, solved.distances, "right");
        const int none = infinity(dtype);
        const auto added = [&](int by) {
          return [&, by](int word) {
            if (word == none || (by < 0 && word == 0)) return word;
            if (dtype == Dtype::kInt32) return word + by;
            return toWord(toFloat(word) + static_cast<float>(by));
          };
        };
        for (const int by : {-1, 1})
          expectFound(solved, added(by), std::string(dense ? "matrix" : "arcs") + nameOf(dtype));
      }
    }
  }
}

/// Sums of two weights reach infinity, and do not overflow.
TEST_F(GpuBellman, CapsSumsAtInfinity) {
  std::mt19937 rng(std::random_device{}());
  const auto below = [&](int bound) { return std::uniform_int_distribution<>(0, bound - 1)(rng); };
  for (const int heavy : {kInf, kInf / 3}) {
    std::vector<Edge> edges;
    for (int e = 0; e < 120; ++e) edges.push_back({below(40), below(40), heavy - 1 - below(3)});
    const Graph graph = fromEdges(40, edges);
    for (const bool dense : {false, true}) {
      const Solved solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
      expectDoubts({}, solved.graph, solved.distances, "right");
      expectFound(
          solved, [](int word) { return word == 0 ? 1 : word - 1; }, "less");
    }
  }
}

TEST_F(GpuBellman, FindsACircleOfLengthZeroThatSupportsItself) {
  const std::vector<Edge> circle = {{1, 2, 0}, {2, 3, 0}, {3, 1, 0}};
  std::vector<Edge> reached = circle;
  reached.push_back({0, 1, 9});
  for (const auto& edges : {circle, reached}) {
    for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
      std::vector<Edge> list = edges;
      if (dtype == Dtype::kFloat32) toFloats(list);
      const Graph graph = fromEdges(5, list, dtype);
      for (const bool dense : {false, true}) {
        Solved solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
        expectDoubts({}, solved.graph, solved.distances, "right");
        const int right = solved.distances[1];
        for (const int j : {1, 2, 3})
          solved.distances[static_cast<std::size_t>(j)] = dtype == Dtype::kInt32 ? 5 : toWord(5.0f);
        expectDoubts({0}, solved.graph, solved.distances, "a circle");
        for (const int j : {2, 3})  // as if no edge of weight 0 led there
          solved.distances[static_cast<std::size_t>(j)] = infinity(dtype);
        solved.distances[1] = right;
        const bool isReached = right != infinity(dtype);
        expectDoubts(isReached ? std::vector<int>{0} : std::vector<int>{}, solved.graph,
                     solved.distances, "vertices without a distance");
      }
    }
  }
}

/// 2 is reached by an edge of weight 0 only, whose tail is farther than 2 is said to be.
TEST_F(GpuBellman, GroundsVerticesOnlyAtTheSameDistance) {
  for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
    std::vector<Edge> edges = {{0, 1, 9}, {1, 2, 0}};
    if (dtype == Dtype::kFloat32) toFloats(edges);
    const Graph graph = fromEdges(3, edges, dtype);
    for (const bool dense : {false, true}) {
      Solved solved{dense ? asMatrix(graph) : ProblemGraph(copyOf(graph))};
      expectDoubts({}, solved.graph, solved.distances, "right");
      solved.distances[2] = dtype == Dtype::kInt32 ? 4 : toWord(4.0f);
      expectDoubts({0}, solved.graph, solved.distances, "too near");
    }
  }
}

/// More edges of weight 0 than are listed: the CPU judges all rows.
TEST_F(GpuBellman, LeavesManyEdgesOfWeightZeroToTheCpu) {
  Spec spec = specOf(familyIndex("uniform"), 100, 5);
  spec.range = 2;
  const Solved solved{ProblemGraph(spec)};
  EXPECT_EQ(allRows(100), doubtful(solved.graph, solved.distances));
  EXPECT_TRUE(
      verifyByBellman(solved.graph, HostDistances(100, Dtype::kInt32, solved.distances), 100, *gpu_)
          .passed());
}

TEST_F(GpuBellman, FindsAWrongArcAndADroppedVertex) {
  const Graph graph = generate(specOf(familyIndex("grid"), 225, 9));
  for (const bool dense : {false, true}) {
    const auto held = [&](const Graph& edges) {
      return dense ? asMatrix(edges) : ProblemGraph(copyOf(edges));
    };
    const Solved right(held(graph));
    const auto expectFoundIn = [&](std::vector<Edge> edges, int at) {
      const Solved other(held(fromEdges(graph.n, std::move(edges))));
      std::vector<int> rows;
      for (const int i : allRows(225)) {
        const auto begin = static_cast<std::ptrdiff_t>(i) * 225;
        if (!std::equal(other.distances.begin() + begin, other.distances.begin() + begin + 225,
                        right.distances.begin() + begin))
          rows.push_back(i);
      }
      expectDoubts(rows, right.graph, other.distances, std::to_string(at));
    };
    for (std::size_t at = 0; at < graph.edges().size(); at += 100) {
      std::vector<Edge> edges = graph.edges();
      edges[at].weight /= 2;
      expectFoundIn(edges, static_cast<int>(at));
    }
    for (const int dropped : {0, 112, 224}) {
      std::vector<Edge> edges;
      for (const Edge& e : graph.edges())
        if (e.from != dropped && e.to != dropped) edges.push_back(e);
      expectFoundIn(edges, dropped);
    }
  }
}

TEST_F(GpuBellman, LooksAtRowsOfTablesAndAtBandsOfRows) {
  for (const char* family : {"uniform", "sparse"}) {
    Solved solved{ProblemGraph(specOf(familyIndex(family), 300, 7))};
    const HostDistances all(300, Dtype::kInt32, solved.distances);
    const Selection asked = {{7, 299, 7, 100, 101}};
    const PickedDistances picked(all, asked);
    const bool arcs = solved.graph.heldAsEdges();
    // Room for a strip of 128 sources, or for a band of 7 rows.
    const std::size_t edges = arcs ? solved.graph.onHost().edges().size() : 0;
    const std::size_t room = arcs ? 4 * (300 * 16 + edges * 8 + 300 * 8 + 300 * 4 * 128)
                                  : 2 * (300 * 300 * 4 + 300 * 64 + 4 + 7 * (300 * 8 + 8));
    const LittleRoom little(*gpu_, room), tooLittle(*gpu_, room / 2);
    EXPECT_EQ(std::vector<int>{}, doubtfulOn(*gpu_, solved.graph, picked)) << family;
    EXPECT_EQ(std::vector<int>{}, doubtfulOn(little, solved.graph, all)) << family;
    EXPECT_EQ(allRows(300), doubtfulOn(tooLittle, solved.graph, all)) << family;
    for (const std::size_t row : {0, 6, 7, 100, 127, 128, 299}) ++solved.distances[row * 300 + 8];
    EXPECT_EQ((std::vector<int>{0, 1, 2, 3}), doubtfulOn(*gpu_, solved.graph, picked)) << family;
    EXPECT_EQ((std::vector<int>{0, 6, 7, 100, 127, 128, 299}),
              doubtfulOn(little, solved.graph, all))
        << family;
  }
}

/// Distances that the GPU holds, in several strips, and whose weights come in several slabs.
TEST_F(GpuBellman, ChecksLargeResultsWhereTheyAre) {
  for (const char* family : {"grid", "uniform"}) {
    for (const Dtype dtype : {Dtype::kInt32, Dtype::kFloat32}) {
      const bool dense = family == std::string("uniform");
      Spec spec = specOf(familyIndex(family), dense ? 5000 : 10000, 11);
      spec.dtype = dtype;
      const ProblemGraph graph(spec);
      const auto run = findSolver("apsp", DeviceKind::kGpu).prepare({graph}, {*gpu_});
      run->reset();
      run->solve();
      const Distances& found = run->distances();
      ASSERT_NE(nullptr, found.whole());
      EXPECT_EQ(std::vector<int>{}, doubtfulOn(*gpu_, graph, found)) << describe(spec);
      const auto n = static_cast<std::size_t>(spec.n);
      const std::vector<int> rows = {0, 127, 128, 4999};
      for (const int i : rows) {
        int* const at = found.whole()->data() + static_cast<std::size_t>(i) * n + n - 1;
        const int wrong = dtype == Dtype::kInt32 ? 123456789 : toWord(1e9f);  // too large
        gpu_->upload(at, &wrong, 1);
      }
      EXPECT_EQ(rows, doubtfulOn(*gpu_, graph, found)) << describe(spec);
    }
  }
}

}  // namespace
