// Negative weights: every solver of the table against Floyd and Warshall's loop in 64 bits, which
// shares no code with it; real weights against the same loop in long doubles; potentials, negative
// cycles and the ends of the range; files; the check.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/negative_cycle.h"
#include "check/check.h"
#include "check/oracle.h"
#include "devices.h"
#include "files.h"
#include "generate/families.h"
#include "generate/source.h"
#include "io/formats/formats.h"
#include "ladder/kernels.h"
#include "measure/session.h"
#include "negative/negative.h"
#include "negative/potentials.h"
#include "negative/shift.h"
#include "paths/path.h"
#include "paths/summary.h"
#include "solver/options.h"
#include "system/screen.h"
#include "verify/bellman_ford.h"
#include "verify/distances_to.h"
#include "verify/signed.h"
#include "verify/verify.h"

namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;

/// The distances of a matrix in 64 bits; an entry below 0 on the diagonal: a negative cycle.
std::vector<std::int64_t> floyd(int n, const int* matrix) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::int64_t> d(size * size);
  for (std::size_t at = 0; at < d.size(); ++at) d[at] = matrix[at] == kInf ? kNone : matrix[at];
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        if (d[i * size + k] < kNone && d[k * size + j] < kNone)
          d[i * size + j] = std::min(d[i * size + j], d[i * size + k] + d[k * size + j]);
  return d;
}

bool hasCycle(int n, const std::vector<std::int64_t>& distances) {
  for (int v = 0; v < n; ++v)
    if (distances[static_cast<std::size_t>(v) * (n + 1)] < 0) return true;
  return false;
}

/// A random graph without a negative cycle. density: the chance of an edge. zeros: half of the
/// weights below the potentials are 0, so that there are cycles of length 0.
Graph planted(int n, double density, bool zeros, std::mt19937& random) {
  std::vector<int> potential(static_cast<std::size_t>(n));
  for (int& p : potential) p = static_cast<int>(random() % 2000) - 1000;
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j || std::uniform_real_distribution<>(0, 1)(random) >= density) continue;
      const int base = zeros && random() % 2 ? 0 : static_cast<int>(random() % 300);
      edges.push_back({i, j, base + potential[j] - potential[i]});
    }
  return fromEdges(n, std::move(edges));
}

Graph asMatrix(const Graph& graph) {
  Graph result;
  result.n = graph.n;
  result.body = toMatrix(fromEdges(graph.n, toEdges(graph)));
  return result;
}

Graph copyOf(const Graph& graph) {
  return graph.dense() ? asMatrix(graph) : fromEdges(graph.n, graph.edges());
}

/// A run can be used again.
std::unique_ptr<Run> solvedTwice(const ProblemGraph& problem, const Solver& solver,
                                 const Execution& where) {
  auto run = withNegativeWeights(solver).prepare({problem}, where);
  for (int call = 0; call < 2; ++call) {
    run->reset();
    run->solve();
  }
  return run;
}

/// Expects that a solver finds what the loop finds.
void expectRight(const Device& device, const Solver& solver, const Graph& graph,
                 const Options& options, const std::string& what) {
  const Matrix matrix = toMatrix(copyOf(graph));
  const std::vector<std::int64_t> right = floyd(graph.n, matrix.data());
  const ProblemGraph problem(copyOf(graph));
  const auto run = solvedTwice(problem, solver, {device, options});
  const Matrix got = toMatrix(run->distances());
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < got.size(); ++at)
    wrong += got.data()[at] != (right[at] == kNone ? kInf : right[at]);
  EXPECT_EQ(0u, wrong) << solver.name << " on " << what << ", n = " << graph.n;
  EXPECT_TRUE(verifySigned(graph, run->distances(), graph.n).passed()) << what;
}

using Negative = OnDevice;
ON_EVERY_DEVICE(Negative);

TEST_P(Negative, EverySolverIsRightOnEdgesAndMatrices) {
  std::mt19937 random(std::random_device{}());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device().kind()) continue;
    for (const int n : {1, 2, 3, 4, 5, 31, 64, 65, 130}) {
      for (const double density : {1.0, 0.1}) {
        const Graph graph = planted(n, density, random() % 2 != 0, random);
        expectRight(device(), solver, graph, {}, "edges");
        expectRight(device(), solver, asMatrix(graph), {}, "a matrix");
      }
    }
  }
}

TEST_P(Negative, EveryMethodIsRight) {
  std::mt19937 random(std::random_device{}());
  const Solver& apsp = findSolver("apsp", device().kind());
  const std::vector<Method> methods = {Method::kDense, Method::kFiltered, Method::kSparse};
  for (const Method method : methods) {
    if (method == Method::kSparse && device().kind() == DeviceKind::kGpu) continue;
    Options options;
    options.method = method;
    for (const int n : {3, 70, 333}) {
      const Graph graph = planted(n, n > 100 ? 0.02 : 0.5, true, random);
      expectRight(device(), apsp, graph, options, nameOf(method) + ", edges");
      expectRight(device(), apsp, asMatrix(graph), options, nameOf(method) + ", a matrix");
    }
  }
}

/// Some vertices of n, of which one may come up several times.
std::vector<int> someVertices(int n, std::mt19937& random) {
  std::vector<int> some;
  for (int k = 0; k < 1 + n / 3; ++k)
    some.push_back(static_cast<int>(random() % static_cast<unsigned>(n)));
  return some;
}

TEST_P(Negative, TablesAreThePartsThatWereAskedFor) {
  std::mt19937 random(std::random_device{}());
  const Solver solver = withNegativeWeights(findSolver("apsp", device().kind()));
  for (const Method method : {Method::kAuto, Method::kDense, Method::kSparse}) {
    if (method == Method::kSparse && device().kind() == DeviceKind::kGpu) continue;
    Options options;
    options.method = method;
    for (const int n : {1, 2, 40, 333}) {
      for (int kind = 0; kind < 6; ++kind) {  // rows, columns or both; of edges or a matrix
        SCOPED_TRACE(nameOf(method) + ", n = " + std::to_string(n) + ", " + std::to_string(kind));
        const Graph sparse = planted(n, n > 100 ? 0.01 : 0.3, true, random);
        const Graph graph = kind < 3 ? copyOf(sparse) : asMatrix(sparse);
        Selection asked;
        if (kind % 3 != 0) asked.sources = someVertices(n, random);
        if (kind % 3 != 1) asked.targets = someVertices(n, random);
        const std::vector<std::int64_t> right = floyd(n, toMatrix(copyOf(graph)).data());
        const ProblemGraph problem(copyOf(graph));
        const auto run = prepareAsked(solver, {problem, &asked}, {device(), options});
        for (int call = 0; call < 2; ++call) {
          run->reset();
          run->solve();
        }
        const Distances& table = run->distances();
        ASSERT_EQ(asked.rows(n), table.rowCount());
        ASSERT_EQ(asked.columns(n), table.columns());
        table.rows(0, table.rowCount(), [&](int first, int count, const int* words) {
          for (int r = first; r < first + count; ++r)
            for (int c = 0; c < table.columns(); ++c, ++words) {
              const std::int64_t expected =
                  right[static_cast<std::size_t>(asked.source(r)) * n + asked.target(c)];
              ASSERT_EQ(expected == kNone ? kInf : expected, *words) << r << " " << c;
            }
        });
        EXPECT_TRUE(verifySigned(graph, table, n).passed());
        if (HasFailure()) return;
      }
    }
  }
}

TEST(NegativeTables, RowsAreShiftedAFewAtATime) {
  const int n = 5000;
  ASSERT_LT(rowsAtATime(n), n - 1);
  const std::vector<int> potentials(static_cast<std::size_t>(n), -2);
  const DeviceMatrix matrix(cpuDevice, n);
  std::fill_n(matrix.data(), matrix.size(), 7);
  const WholeDistances whole(matrix);
  int next = 1;
  ShiftedDistances(whole, potentials, nullptr).rows(1, n, [&](int first, int count, const int* d) {
    EXPECT_EQ(next, first);
    EXPECT_LE(count, rowsAtATime(n));
    EXPECT_EQ(7, d[static_cast<std::size_t>(count) * n - 1]);
    next += count;
  });
  EXPECT_EQ(n, next);
}

TEST_P(Negative, VerticesMayBeRenumbered) {
  std::mt19937 random(7);
  const Graph graph = planted(90, 0.1, true, random);
  const std::vector<std::int64_t> right = floyd(90, toMatrix(copyOf(graph)).data());
  for (const bool dense : {false, true}) {
    const ProblemGraph problem(dense ? asMatrix(graph) : copyOf(graph));
    const Solver solver = withNegativeWeights(findSolver("apsp", device().kind()));
    const auto run = solver.prepare({problem}, {device(), {}, true});
    for (const int first : {0, 1, 89}) {
      run->reset(first);
      run->solve();
      const Matrix got = toMatrix(run->distances());
      for (std::size_t at = 0; at < got.size(); ++at)
        ASSERT_EQ(right[at] == kNone ? kInf : right[at], got.data()[at]) << first << dense;
    }
  }
}

/// Random weights; half of these graphs have a negative cycle.
Graph wild(int n, std::mt19937& random) {
  std::vector<Edge> edges;
  const int arcs = 2 * n + static_cast<int>(random() % (2 * static_cast<unsigned>(n)));
  for (int k = 0; k < arcs; ++k)
    edges.push_back({static_cast<int>(random() % static_cast<unsigned>(n)),
                     static_cast<int>(random() % static_cast<unsigned>(n)),
                     static_cast<int>(random() % 100) - 16});
  for (Edge& e : edges)
    if (e.from == e.to) e.weight = 1;
  return fromEdges(n, std::move(edges));
}

/// Whether the edges are a cycle of the graph, and negative.
bool isNegativeCycle(const Graph& graph, const std::vector<Edge>& cycle) {
  const Matrix matrix = toMatrix(copyOf(graph));
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    const Edge& e = cycle[k];
    if (e.to != cycle[(k + 1) % cycle.size()].from) return false;
    if (matrix.row(e.from)[e.to] != e.weight || e.weight == kInf) return false;
    sum += e.weight;
  }
  return !cycle.empty() && sum < 0;
}

TEST_P(Negative, CyclesAreFoundIfAndOnlyIfThereAreSome) {
  std::mt19937 random(std::random_device{}());
  const Solver apsp = withNegativeWeights(findSolver("apsp", device().kind()));
  int cycles = 0;
  constexpr int kGraphs = 300;
  for (int k = 0; k < kGraphs; ++k) {
    const Graph graph = wild(2 + static_cast<int>(random() % 40), random);
    const bool expected = hasCycle(graph.n, floyd(graph.n, toMatrix(copyOf(graph)).data()));
    cycles += expected;
    const ProblemGraph problem(k % 2 ? copyOf(graph) : asMatrix(graph));
    const auto run = apsp.prepare({problem}, {device()});
    run->reset();
    try {
      run->solve();
      EXPECT_FALSE(expected);
    } catch (const NegativeCycle& found) {
      EXPECT_TRUE(expected);
      EXPECT_TRUE(isNegativeCycle(graph, found.cycle)) << found.what();
      EXPECT_EQ(Exit::kInput, found.code);
    }
  }
  EXPECT_LT(kGraphs / 10, cycles);
  EXPECT_GT(kGraphs - kGraphs / 10, cycles);
}

TEST_P(Negative, ALongCycleAndAHeavyOneAreFound) {
  const Solver apsp = withNegativeWeights(findSolver("apsp", device().kind()));
  for (const int weight : {-1, 1 - kInf}) {
    Graph ring;
    ring.n = 300;
    Matrix matrix(ring.n);
    std::fill_n(matrix.data(), matrix.size(), kInf);
    for (int v = 0; v < ring.n; ++v) {
      matrix.row(v)[v] = 0;
      matrix.row(v)[v == 0 ? ring.n - 1 : v - 1] = v == 7 ? weight : 0;
    }
    ring.body = std::move(matrix);
    const ProblemGraph problem(asMatrix(ring));
    const auto run = apsp.prepare({problem}, {device()});
    run->reset();
    try {
      run->solve();
      ADD_FAILURE() << "no cycle found";
    } catch (const NegativeCycle& found) {
      EXPECT_EQ(300u, found.cycle.size());
      EXPECT_TRUE(isNegativeCycle(ring, found.cycle));
    }
  }
}

TEST_P(Negative, PotentialsAreTheShortestPathsFromAnywhere) {
  std::mt19937 random(std::random_device{}());
  for (const int n : {1, 2, 63, 64, 65, 1030}) {
    const Graph graph = asMatrix(planted(n, n > 100 ? 0.01 : 0.3, true, random));
    const Potentials exact = potentialsOf(graph);
    DeviceMatrix matrix(device(), n);
    device().upload(matrix.data(), graph.matrix().data(), matrix.size());
    const auto shift = shiftOn(device(), n, matrix.data());
    while (shift->relax(3) == 3) {
    }
    EXPECT_EQ(exact.of, shift->potentials()) << n;
    const std::vector<int> parents = shift->parents();
    for (int v = 0; v < n; ++v) {
      const int h = exact.of[static_cast<std::size_t>(v)], u = parents[static_cast<std::size_t>(v)];
      ASSERT_EQ(h < 0, u >= 0) << v;
      if (u < 0) continue;
      EXPECT_EQ(h, exact.of[static_cast<std::size_t>(u)] + graph.matrix().row(u)[v]) << v;
    }
    shift->reweight();
    const std::vector<int> words = download(device(), matrix.data(), n);
    EXPECT_EQ(words.end(), std::find_if(words.begin(), words.end(), [](int w) { return w < 0; }));
    const Graph other = reweighted(graph, exact.of);
    EXPECT_TRUE(std::equal(words.begin(), words.end(), other.matrix().data())) << n;
    shift->shiftBack();
    const std::vector<int> back = download(device(), matrix.data(), n);
    EXPECT_TRUE(std::equal(back.begin(), back.end(), graph.matrix().data())) << n;
    if (n > 100) continue;
    const std::vector<std::int64_t> d = floyd(n, graph.matrix().data());
    for (int v = 0; v < n; ++v) {
      std::int64_t least = 0;
      for (int u = 0; u < n; ++u) least = std::min(least, d[static_cast<std::size_t>(u) * n + v]);
      EXPECT_EQ(least, exact.of[static_cast<std::size_t>(v)]);
    }
  }
}

/// Each vertex is lowered once, by vertex 0. What a thread leaves out of its columns stays out.
TEST_P(Negative, EveryColumnIsLowered) {
  for (const int n : {1023, 1031, 4099}) {
    Matrix star(n);
    std::fill_n(star.data(), star.size(), kInf);
    for (int v = 0; v < n; ++v) star.row(0)[v] = -v;
    DeviceMatrix matrix(device(), n);
    device().upload(matrix.data(), star.data(), star.size());
    const auto shift = shiftOn(device(), n, matrix.data());
    EXPECT_EQ(1, shift->relax(3));
    const std::vector<int> potentials = shift->potentials(), parents = shift->parents();
    for (int v = 0; v < n; ++v) {
      ASSERT_EQ(-v, potentials[static_cast<std::size_t>(v)]) << n;
      ASSERT_EQ(v == 0 ? -1 : 0, parents[static_cast<std::size_t>(v)]) << v;
    }
  }
}

TEST_P(Negative, EveryFamilyIsAsItsPotentialsSay) {
  for (const FamilyInfo& family : negativeFamilyTable()) {
    const Spec spec = specOf(familyIndex(family.name), 80, 5);
    const Graph graph = generate(spec);
    const std::vector<std::int64_t> right = floyd(80, toMatrix(copyOf(graph)).data());
    const Matrix known = oracleDistances(spec, findSolver("apsp", DeviceKind::kCpu));
    std::size_t below = 0;
    for (std::size_t at = 0; at < known.size(); ++at) {
      EXPECT_EQ(right[at] == kNone ? kInf : right[at], known.data()[at]) << family.name;
      below += known.data()[at] < 0;
    }
    EXPECT_LT(100u, below) << family.name;
    DeviceMatrix there(device(), 80);
    generateOn(device(), spec, there.data());
    const Matrix here = toMatrix(copyOf(graph));
    EXPECT_TRUE(std::equal(here.data(), here.data() + here.size(),
                           download(device(), there.data(), 80).begin()));
    expectRight(device(), findSolver("apsp", device().kind()), graph, {}, family.name);
  }
}

TEST_P(Negative, TheCheckPassesRightSolvers) {
  CheckPlan plan;
  plan.depth = CheckPlan::kQuick;
  plan.negative = true;
  plan.most = 130;
  plan.seed = 1;
  const Check done = check(
      [this] { return withNegativeWeights(findSolver("apsp", device().kind())); }, device(), plan);
  EXPECT_EQ(0u, done.failed());
  EXPECT_LT(50u, done.cells.size());
}

TEST(NegativeCheck, FindsASolverThatForgetsTheShift) {
  Solver wrong = withNegativeWeights(findSolver("ref", DeviceKind::kCpu));
  wrong.inPlace = [inner = wrong.inPlace](const Device& device, int n, int* matrix, Dtype dtype,
                                          const Options& options) {
    const Call call = inner(device, n, matrix, dtype, options);
    if (n > 8) ++matrix[n - 1];
    return call;
  };
  CheckPlan plan;
  plan.depth = CheckPlan::kQuick;
  plan.negative = true;
  plan.most = 33;
  plan.seed = 1;
  const Check done = check([&] { return wrong; }, cpuDevice, plan);
  EXPECT_LT(0u, done.failed());
  EXPECT_EQ("unknown", done.diagnosis.pattern);
}

// ---- real weights -----------------------------------------------------------------------------

constexpr double kHalfStep = 0x1p-24;  // of a float32, relative to itself

int wordOf(double weight) {
  return toWord(static_cast<float>(weight));
}

/// A random float graph without a negative cycle: its weights are those of potentials up to
/// `depth`, plus what rounding cannot take away.
Graph plantedReals(int n, double density, double depth, std::mt19937& random) {
  std::uniform_real_distribution<> part(0, 1);
  std::vector<double> potential(static_cast<std::size_t>(n));
  for (double& p : potential) p = depth * part(random);
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && part(random) < density)
        edges.push_back(
            {i, j, wordOf(part(random) + depth * 0x1p-21 + potential[j] - potential[i])});
  return fromEdges(n, std::move(edges), Dtype::kFloat32);
}

Graph asRealMatrix(const Graph& graph) {
  Graph result;
  result.n = graph.n;
  result.dtype = Dtype::kFloat32;
  result.body = toMatrix(fromEdges(graph.n, toEdges(graph), Dtype::kFloat32));
  return result;
}

Graph copyOfReals(const Graph& graph) {
  return graph.dense() ? asRealMatrix(graph) : fromEdges(graph.n, graph.edges(), graph.dtype);
}

/// The distances in long doubles, by Floyd and Warshall's loop, and how far floats may be off.
struct RealDistances {
  int n;
  std::vector<long double> all, potentials;
  double heaviest = 0;  // of the negative weights

  explicit RealDistances(const Graph& graph) : n(graph.n), potentials(graph.n, 0) {
    const Matrix matrix = toMatrix(copyOfReals(graph));
    for (std::size_t at = 0; at < matrix.size(); ++at) {
      all.push_back(toFloat(matrix.data()[at]));
      heaviest = std::max(heaviest, -static_cast<double>(all.back()));
    }
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        if (!std::isinf(at(i, k)))
          for (int j = 0; j < n; ++j) at(i, j) = std::min(at(i, j), at(i, k) + at(k, j));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        potentials[static_cast<std::size_t>(j)] =
            std::min(potentials[static_cast<std::size_t>(j)], at(i, j));
  }
  long double& at(int i, int j) { return all[static_cast<std::size_t>(i) * n + j]; }
  bool hasCycle() {
    for (int v = 0; v < n; ++v)
      if (at(v, v) < 0) return true;
    return false;
  }
  /// The bound of docs/negative.md.
  double bound(int i, int j) {
    const long double d = at(i, j);
    const long double reweighted =
        d + potentials[static_cast<std::size_t>(i)] - potentials[static_cast<std::size_t>(j)];
    const double off = kHalfStep * (n - 1);
    return static_cast<double>(off / (1 - off) * reweighted + kHalfStep * std::abs(d)) +
           0x1p-59 * n * n * heaviest;
  }
};

void expectRealRight(const Device& device, const Solver& solver, const Graph& graph,
                     const Options& options, const std::string& what) {
  RealDistances right(graph);
  const ProblemGraph problem(copyOfReals(graph));
  const auto run = solvedTwice(problem, solver, {device, options});
  const Matrix got = toMatrix(run->distances());
  std::size_t wrong = 0;
  for (int i = 0; i < graph.n; ++i)
    for (int j = 0; j < graph.n; ++j) {
      const long double d = right.at(i, j), found = toFloat(got.row(i)[j]);
      wrong += std::isinf(d) ? found != d : !(std::abs(found - d) <= right.bound(i, j));
    }
  EXPECT_EQ(0u, wrong) << solver.name << " on " << what << ", n = " << graph.n;
  const Verdict verdict = verifySigned(graph, run->distances(), graph.n);
  EXPECT_TRUE(verdict.passed()) << what;
  EXPECT_NE(std::string::npos, verdict.how.find("±")) << verdict.how;
}

TEST_P(Negative, EverySolverIsRightOnReals) {
  std::mt19937 random(std::random_device{}());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device().kind() || !solver.can.float32) continue;
    for (const int n : {2, 3, 5, 64, 65, 130}) {
      for (const double depth : {0.5, 1e5}) {
        const Graph graph = plantedReals(n, n < 9 ? 1 : 0.2, depth, random);
        expectRealRight(device(), solver, graph, {}, "edges");
        expectRealRight(device(), solver, asRealMatrix(graph), {}, "a matrix");
      }
    }
  }
}

TEST_P(Negative, EveryMethodIsRightOnReals) {
  std::mt19937 random(std::random_device{}());
  const Solver& apsp = findSolver("apsp", device().kind());
  for (const Method method : {Method::kDense, Method::kFiltered, Method::kSparse}) {
    if (method == Method::kSparse && device().kind() == DeviceKind::kGpu) continue;
    Options options;
    options.method = method;
    for (const int n : {3, 70, 250}) {
      const Graph graph = plantedReals(n, n > 100 ? 0.02 : 0.5, 30, random);
      expectRealRight(device(), apsp, graph, options, nameOf(method) + ", edges");
      expectRealRight(device(), apsp, asRealMatrix(graph), options, nameOf(method) + ", a matrix");
    }
  }
}

/// All sums are exact in float32, so distances are, too. There are many cycles of length 0.
TEST_P(Negative, RealsOnAGridAreExact) {
  std::mt19937 random(std::random_device{}());
  const Solver& apsp = findSolver("apsp", device().kind());
  for (int tried = 0; tried < 20; ++tried) {
    const int n = 2 + static_cast<int>(random() % 50);
    Graph graph = planted(n, 0.3, true, random);
    std::vector<Edge> edges = graph.edges();
    for (Edge& e : edges) e.weight = wordOf(e.weight / 256.0);
    graph = fromEdges(n, std::move(edges), Dtype::kFloat32);
    RealDistances right(graph);
    const ProblemGraph problem(tried % 2 ? copyOfReals(graph) : asRealMatrix(graph));
    const auto run = withNegativeWeights(apsp).prepare({problem}, {device()});
    run->reset();
    run->solve();
    const Matrix got = toMatrix(run->distances());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        ASSERT_EQ(right.at(i, j), toFloat(got.row(i)[j])) << i << " " << j;
        ASSERT_FALSE(std::signbit(toFloat(got.row(i)[j])) && right.at(i, j) == 0) << "-0";
      }
  }
}

/// All vertices but one have potentials near −10⁶, where neighbouring floats are 1/16 apart.
TEST_P(Negative, DeepPotentialsDoNotBlurShortDistances) {
  std::mt19937 random(std::random_device{}());
  const int n = 40;
  std::vector<Edge> edges = {{0, 1, wordOf(-1e6)}};
  for (int i = 1; i < n; ++i) {
    edges.push_back({i, i % (n - 1) + 1, wordOf(0.7)});
    for (int k = 0; k < 3; ++k)
      edges.push_back({i, 1 + static_cast<int>(random() % (n - 1)),
                       wordOf(std::uniform_real_distribution<>(0, 1)(random))});
  }
  const Graph graph = fromEdges(n, std::move(edges), Dtype::kFloat32);
  RealDistances right(graph);
  for (const Method method : {Method::kDense, Method::kFiltered}) {
    Options options;
    options.method = method;
    const ProblemGraph problem(copyOfReals(graph));
    const auto run = withNegativeWeights(findSolver("apsp", device().kind()))
                         .prepare({problem}, {device(), options});
    run->reset();
    const Call call = run->solve();
    EXPECT_GT(-9e5, call.outcome.reweighting.least);
    const Matrix got = toMatrix(run->distances());
    for (int i = 1; i < n; ++i)
      for (int j = 1; j < n; ++j)
        EXPECT_NEAR(static_cast<double>(right.at(i, j)), toFloat(got.row(i)[j]), 2e-5);
  }
}

/// Weights from 2⁻⁴⁰ to 2⁴⁰ along edges that lead to larger numbers only: there is no cycle.
TEST_P(Negative, WeightsOfVeryDifferentSizes) {
  std::mt19937 random(std::random_device{}());
  const int n = 30;
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const double size =
          std::ldexp(1 + random() % 1000 / 1000.0, static_cast<int>(random() % 81) - 40);
      if (random() % 3 == 0) edges.push_back({i, j, wordOf(random() % 2 ? size : -size)});
    }
  const Graph graph = fromEdges(n, std::move(edges), Dtype::kFloat32);
  const Solver& apsp = findSolver("apsp", device().kind());
  expectRealRight(device(), apsp, graph, {}, "edges");
  expectRealRight(device(), apsp, asRealMatrix(graph), {}, "a matrix");
}

/// The cycle that is found, or none.
std::vector<Edge> cycleOf(const Graph& graph) {
  try {
    realPotentialsOf(graph);
  } catch (const NegativeCycle& found) {
    EXPECT_EQ(Dtype::kFloat32, found.dtype);
    const Matrix matrix = toMatrix(copyOfReals(graph));
    long double sum = 0;
    for (std::size_t k = 0; k < found.cycle.size(); ++k) {
      const Edge& e = found.cycle[k];
      EXPECT_EQ(e.to, found.cycle[(k + 1) % found.cycle.size()].from);
      EXPECT_EQ(e.weight, matrix.row(e.from)[e.to]);
      sum += toFloat(e.weight);
    }
    EXPECT_GT(0, sum) << found.what();
    return found.cycle;
  }
  return {};
}

/// The weights have few enough bits that long doubles add them exactly.
TEST(RealCycles, AreFoundIfAndOnlyIfTheExactSumIsNegative) {
  std::mt19937 random(std::random_device{}());
  int cycles = 0;
  constexpr int kGraphs = 400;
  for (int k = 0; k < kGraphs; ++k) {
    const Graph whole = planted(2 + static_cast<int>(random() % 30), 0.3, true, random);
    std::vector<Edge> edges = whole.edges();
    for (Edge& e : edges) e.weight = wordOf(e.weight / 1024.0);
    // Cycles of length 0 are many; now one edge may be a float shorter, or all of them longer.
    for (Edge& e : edges) {
      const float weight = toFloat(e.weight);
      if (random() % 40 != 0) continue;
      const float other = std::nextafterf(weight, k % 2 ? -9e9f : 9e9f);
      e.weight = toWord(weight != 0 ? other : k % 2 ? -0x1p-20f : 0x1p-20f);
    }
    const Graph graph = fromEdges(whole.n, std::move(edges), Dtype::kFloat32);
    const bool expected = RealDistances(graph).hasCycle();
    cycles += expected;
    EXPECT_EQ(expected, !cycleOf(k % 3 ? copyOfReals(graph) : asRealMatrix(graph)).empty());
  }
  EXPECT_LT(kGraphs / 10, cycles);
  EXPECT_GT(kGraphs - kGraphs / 10, cycles);
}

TEST(RealCycles, BelowTheUnitCountAsCyclesOfSumZero) {
  const auto ring = [](int exponent) {
    return fromEdges(
        3, {{0, 1, wordOf(-1)}, {1, 2, wordOf(1)}, {2, 0, wordOf(-std::ldexp(1, exponent))}},
        Dtype::kFloat32);
  };
  EXPECT_EQ(3u, cycleOf(ring(-55)).size());  // 9·2⁻⁵⁹ is less
  const Graph graph = ring(-100);
  EXPECT_TRUE(cycleOf(graph).empty());
  const RealPotentials found = realPotentialsOf(graph);
  EXPECT_EQ(-1, found.of[1]);
  EXPECT_GE(2, found.passes);
  const Graph shifted = reweighted(graph, found.of);
  for (const Edge& e : shifted.edges()) EXPECT_LE(0, e.weight);
}

TEST(RealCycles, ALongOneAndAHeavyOneAreFound) {
  for (const float weight : {-1e-30f, -1.0f, -3e38f}) {
    std::vector<Edge> edges;
    for (int v = 0; v < 300; ++v)
      edges.push_back({v, v == 0 ? 299 : v - 1, wordOf(v == 7 ? weight : 0)});
    const Graph graph = fromEdges(300, std::move(edges), Dtype::kFloat32);
    EXPECT_EQ(300u, cycleOf(graph).size()) << weight;
    EXPECT_EQ(300u, cycleOf(asRealMatrix(graph)).size()) << weight;
  }
  // All negative: sums fall fast, and 64 bits must not overflow.
  for (const int n : {2, 3, 200, 1500}) {
    std::vector<Edge> edges;
    for (int i = 0; i < n; ++i)
      for (int j : {(i + 1) % n, (i * 7 + 3) % n})
        if (j != i) edges.push_back({i, j, wordOf(-1.9999)});
    EXPECT_FALSE(cycleOf(fromEdges(n, std::move(edges), Dtype::kFloat32)).empty()) << n;
  }
}

TEST(RealCycles, TheMessageSaysIfRoundingMayBeTheCause) {
  const auto text = [](double back) {
    const std::vector<Edge> cycle = {
        {0, 1, wordOf(0.1)}, {1, 2, wordOf(0.2)}, {2, 0, wordOf(back)}};
    return negativeCycleText(cycle, Dtype::kFloat32, shortNames(""));
  };
  EXPECT_NE(std::string::npos,
            text(-0.3).find("0 -> 1 (0.1) -> 2 (0.2) -> 0 (-0.3), sum -7.45058e-09"));
  EXPECT_NE(std::string::npos, text(-0.3).find("rounding the weights to float32"));
  EXPECT_NE(std::string::npos, text(-0.4).find("correct the weights")) << text(-0.4);
}

// ---- the range --------------------------------------------------------------------------------

/// Solves and checks the range as a session does, and returns the distances, if all are asked for.
Matrix inSession(Graph graph, const Selection& asked = {}) {
  ProblemGraph problem(std::move(graph));
  MeasurePlan plan;
  plan.warmup = 0;
  plan.reps = 1;
  if (!asked.all()) plan.wanted = std::make_shared<Selection>(asked);
  Session session(problem, cpuDevice, plan, {});
  const VerifyPlan verify = withNegativeWeights(VerifyPlan{VerifyPlan::Oracle::kRef});
  const Record record = session.run(withNegativeWeights(findSolver("apsp", DeviceKind::kCpu)),
                                    verify, session.describe("g", {}));
  EXPECT_TRUE(record.verdict.passed());
  if (!asked.all()) return Matrix();
  return toMatrix(session.distances());
}

std::string refusal(Graph graph, const Selection& asked = {}) {
  try {
    inSession(std::move(graph), asked);
  } catch (const Error& error) {
    EXPECT_EQ(Exit::kInput, error.code);
    return error.what();
  }
  return "";
}

TEST(NegativeRange, TheLeastAndTheLargestDistanceAreKept) {
  const int half = (kInf - 1) / 2;
  for (const bool dense : {false, true}) {
    const auto as = [&](Graph graph) { return dense ? asMatrix(graph) : std::move(graph); };
    const Matrix low = inSession(as(fromEdges(3, {{0, 1, -half}, {1, 2, half - kInf + 1}})));
    EXPECT_EQ(1 - kInf, low.row(0)[2]);
    const Matrix high = inSession(as(fromEdges(4, {{0, 1, half}, {1, 2, kInf - 1 - half}})));
    EXPECT_EQ(kInf - 1, high.row(0)[2]);
    EXPECT_EQ(kInf, high.row(2)[0]);
    EXPECT_NE("", refusal(as(fromEdges(3, {{0, 1, -half - 1}, {1, 2, half - kInf + 1}}))));
    EXPECT_NE("", refusal(as(fromEdges(4, {{0, 1, half}, {1, 2, kInf - half}, {3, 2, -9}}))));
  }
}

TEST(NegativeRange, ShiftsStopAtInfinity) {
  EXPECT_EQ(kInf, reweighted(kInf - 5, 0, 1 - kInf));
  EXPECT_EQ(kInf, reweighted(kInf, -7, 0));
  EXPECT_EQ(kInf, shiftedBack(kInf - 5, 1 - kInf, 0));
  EXPECT_EQ(1 - kInf, shiftedBack(0, 0, 1 - kInf));
  EXPECT_EQ(3, reweighted(1 - kInf, 0, -kInf - 2));
}

TEST(NegativeRange, DistancesThatPotentialsPushOutOfTheRangeAreRefused) {
  // No weight and no distance is large, but the edge from 0 becomes so.
  const int half = kInf / 2;
  for (const bool dense : {false, true}) {
    Graph graph = fromEdges(4, {{0, 2, half - 100}, {3, 2, -half - 200}});
    EXPECT_NE("", refusal(dense ? asMatrix(graph) : std::move(graph)));
  }
  // d'(0,2) is kInf or more: vertex 2 has a low potential, because of the edge from 3.
  const int heavy = kInf / 2 + 5;
  const std::string why = refusal(fromEdges(4, {{0, 1, heavy}, {1, 2, 3}, {3, 2, -heavy}}));
  EXPECT_NE(std::string::npos, why.find("scale them down")) << why;
}

TEST(NegativeRange, ATableDoesNotHideThatPotentialsPushADistanceOut) {
  // d(0,2) = 3 + tenth·3, and h(2) = −9 tenths because of the path from 3, which the row of 0 has
  // not.
  const int tenth = kInf / 10;
  const std::vector<Edge> edges = {
      {0, 1, 3 * tenth}, {1, 2, 3}, {3, 4, -4 * tenth}, {4, 2, -5 * tenth}};
  for (const bool dense : {false, true}) {
    const auto graph = [&] { return dense ? asMatrix(fromEdges(5, edges)) : fromEdges(5, edges); };
    EXPECT_NE("", refusal(graph()));
    EXPECT_NE("", refusal(graph(), {{0}, {}}));
    EXPECT_NE("", refusal(graph(), {{}, {2, 1}}));
    EXPECT_NE("", refusal(graph(), {{0}, {2}}));
    EXPECT_EQ("", refusal(graph(), {{3, 4}, {2, 0}}));
    EXPECT_EQ("", refusal(graph(), {{1}, {}}));
  }
}

/// How many solves checkRange() makes, for a graph with a missing distance.
int solvesToDecide(int n, const std::vector<Edge>& edges, const Selection& asked = {}) {
  int solves = 0;
  Solver solver = withNegativeWeights(findSolver("apsp", DeviceKind::kCpu));
  const auto plan = solver.plan;
  const ProblemGraph graph(fromEdges(n, edges));
  const Problem problem = {graph, asked.all() ? nullptr : &asked};
  const auto run = prepareAsked(solver, problem, {cpuDevice});
  run->reset();
  const Call call = run->solve();
  const Distances& found = run->distances();
  const GraphStats output = statistics(found);
  solver.plan = [&](const Problem& zero, const Execution& where) {
    ++solves;
    return plan(zero, where);
  };
  EXPECT_LT(output.edges, pairsOf(found));
  checkRange(solver, problem, {cpuDevice}, graph.statistics(cpuDevice), output,
             pairsOf(found) - output.edges, call.outcome.reweighting.least);
  return solves;
}

TEST(NegativeRange, WeightsAndPotentialsDecideBeforeSolving) {
  // h(1) = −low, the heaviest weight is 100, and a path has at most 2 edges.
  const auto edges = [](int low) { return std::vector<Edge>{{0, 1, 100}, {2, 1, -low}}; };
  const Selection asked = {{0, 1}, {1, 2}};
  EXPECT_EQ(0, solvesToDecide(3, edges(kInf - 201)));
  EXPECT_EQ(1, solvesToDecide(3, edges(kInf - 200)));
  EXPECT_EQ(0, solvesToDecide(3, edges(kInf - 201), asked));
  EXPECT_EQ(1, solvesToDecide(3, edges(kInf - 200), asked));
  // Of a table of whole rows and of all distances, the largest one found decides, too.
  const auto chain = [](int low) {
    return std::vector<Edge>{{0, 1, 100}, {1, 2, -100}, {2, 3, 1}, {4, 3, -low}};
  };
  EXPECT_EQ(0, solvesToDecide(5, chain(kInf - 201)));
  EXPECT_EQ(0, solvesToDecide(5, chain(kInf - 201), {{0, 2}, {}}));
  EXPECT_EQ(1, solvesToDecide(5, chain(kInf - 200)));
  EXPECT_EQ(1, solvesToDecide(5, chain(kInf - 201), {{0, 2}, {3, 4}}));
  // Without a weight above 0, only the least distance matters.
  EXPECT_EQ(0, solvesToDecide(3, {{0, 1, 1 - kInf}, {2, 1, -5}}));
}

TEST(NegativeRange, RealDistancesThatNoFloatHoldsAreRefused) {
  const auto graph = [](double one, double other) {
    return fromEdges(3, {{0, 1, wordOf(one)}, {1, 2, wordOf(other)}}, Dtype::kFloat32);
  };
  const std::string low = refusal(graph(-3e38, -3e38));
  EXPECT_NE(std::string::npos, low.find("vertex 2 has the length -6e+38")) << low;
  EXPECT_NE(std::string::npos, refusal(graph(3e38, 3e38)).find("scale them down"));
  EXPECT_EQ("", refusal(graph(-1e38, -2e38)));
  EXPECT_EQ("", refusal(graph(3e38, -3e38)));
}

// ---- the check of distances ---------------------------------------------------------------------

/// A random graph with negative weights, held as a matrix or as edges.
Graph plantedAs(bool dense, int n, std::mt19937& random) {
  Graph edges = planted(n, 0.15, true, random);
  return dense ? asMatrix(edges) : std::move(edges);
}

/// The distances of a graph, (n, n).
std::vector<int> rightWords(const Graph& graph) {
  const std::vector<std::int64_t> right = floyd(graph.n, toMatrix(copyOf(graph)).data());
  std::vector<int> words(right.size());
  for (std::size_t at = 0; at < words.size(); ++at)
    words[at] = right[at] == kNone ? kInf : static_cast<int>(right[at]);
  return words;
}

TEST(SignedCheck, FindsASinglePlantedFaultWhereverItIs) {
  std::mt19937 random(std::random_device{}());
  const int n = 40;
  for (const bool dense : {false, true}) {
    const Graph graph = plantedAs(dense, n, random);
    std::vector<int> words = rightWords(graph);
    EXPECT_TRUE(verifySigned(graph, HostDistances(n, Dtype::kInt32, words), n).passed());
    for (int tried = 0; tried < 200; ++tried) {
      const std::size_t at = random() % words.size();
      for (const int wrong : {words[at] - 1, words[at] + 1, kInf, 0, -kInf}) {
        if (wrong == words[at]) continue;
        const int kept = std::exchange(words[at], wrong);
        const Verdict verdict = verifySigned(graph, HostDistances(n, Dtype::kInt32, words), n);
        EXPECT_EQ(1u, verdict.mismatch.count) << at << " " << wrong;
        EXPECT_EQ(kept, verdict.mismatch.expected);
        words[at] = kept;
      }
    }
  }
}

TEST(SignedCheck, FindsAPlantedFaultInATable) {
  std::mt19937 random(std::random_device{}());
  const int n = 40;
  for (const bool dense : {false, true}) {
    const Graph graph = plantedAs(dense, n, random);
    std::vector<int> words = rightWords(graph);
    for (int tried = 0; tried < 60; ++tried) {
      Selection asked;
      if (tried % 3 != 0) asked.sources = {3, 39, static_cast<int>(random() % n), 0};
      if (tried % 3 != 1) asked.targets = {17, 2, static_cast<int>(random() % n)};
      const int row = static_cast<int>(random() % static_cast<unsigned>(asked.rows(n)));
      const int column = static_cast<int>(random() % static_cast<unsigned>(asked.columns(n)));
      const int i = asked.source(row), j = asked.target(column);
      int& word = words[static_cast<std::size_t>(i) * n + j];
      for (const int wrong : {word - 1, word == kInf ? 5 : word + 1, kInf - 1}) {
        const int kept = std::exchange(word, wrong);
        const HostDistances all(n, Dtype::kInt32, words);
        const Verdict verdict = verifySigned(graph, PickedDistances(all, asked), n);
        EXPECT_LE(1u, verdict.mismatch.count);  // more if a row or a column comes up twice
        EXPECT_EQ(i, verdict.mismatch.i);
        EXPECT_EQ(j, verdict.mismatch.j);
        EXPECT_EQ(kept, verdict.mismatch.expected);
        word = kept;
      }
    }
  }
}

TEST(SignedCheck, ComparesRealsWithinTheTolerance) {
  std::mt19937 random(std::random_device{}());
  const int n = 40;
  for (const bool dense : {false, true}) {
    const Graph edges = plantedReals(n, 0.15, 1000, random);
    const Graph graph = dense ? asRealMatrix(edges) : copyOfReals(edges);
    RealDistances right(graph);
    const SignedTolerance allowed(graph, 1);
    std::vector<int> words;
    for (const long double d : right.all) words.push_back(wordOf(static_cast<double>(d)));
    const auto verdict = [&] {
      return verifySigned(graph, HostDistances(n, Dtype::kFloat32, words), n);
    };
    EXPECT_TRUE(verdict().passed());
    for (int tried = 0; tried < 100; ++tried) {
      const int i = static_cast<int>(random() % n), j = static_cast<int>(random() % n);
      int& word = words[static_cast<std::size_t>(i) * n + j];
      const int kept = word, wrong[] = {wordOf(INFINITY), wordOf(NAN)};
      const double d = static_cast<double>(right.at(i, j));
      for (const int other : wrong) {
        word = other;
        EXPECT_EQ(other == kept ? 0u : 1u, verdict().mismatch.count);
      }
      if (!std::isinf(d) && i != j) {
        const double bound = allowed(i, j, d);
        EXPECT_NEAR(right.bound(i, j), bound, 1e-4 * bound + 1e-10);
        for (const double times : {-3.0, -0.7, 0.7, 3.0}) {
          word = wordOf(d + times * bound);
          const bool far = std::abs(toFloat(word) - d) > bound;
          EXPECT_EQ(far ? 1u : 0u, verdict().mismatch.count) << d << " " << bound;
          EXPECT_TRUE(far || std::abs(times) < 1);
        }
      }
      word = kept;
    }
  }
}

/// Whole rows that pretend to be a table.
class WrongColumns : public Distances {
 public:
  WrongColumns(int n, const std::vector<int>& words, const Selection& asked)
      : Distances(n, Dtype::kInt32, &asked), words_(words) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, words_.data() + static_cast<std::size_t>(begin) * n());
  }

 private:
  const std::vector<int>& words_;
};

TEST(SignedCheck, KnowsTheOrderOfTheColumns) {
  const Graph graph = fromEdges(3, {{0, 1, 5}, {1, 2, -3}, {2, 1, 3}});
  const std::vector<int> words = {0, 5, 2, kInf, 0, -3, kInf, 3, 0};
  const Selection asked = {{}, {0, 2, 1}};
  const HostDistances all(3, Dtype::kInt32, words);
  EXPECT_TRUE(verifySigned(graph, PickedDistances(all, asked), 3).passed());
  EXPECT_EQ(6u, verifySigned(graph, WrongColumns(3, words, asked), 3).mismatch.count);
}

TEST(SignedCheck, VerticesOfACycleOfLengthZeroDoNotSupportEachOther) {
  // 1 and 2 are a cycle of length 0. Both a little too near: every edge still is tight or slack.
  const Graph graph = fromEdges(3, {{0, 1, 5}, {1, 2, -3}, {2, 1, 3}});
  std::vector<int> words = {0, 5, 2, kInf, 0, -3, kInf, 3, 0};
  EXPECT_TRUE(verifySigned(graph, HostDistances(3, Dtype::kInt32, words), 3).passed());
  words[1] = 4, words[2] = 1;
  EXPECT_EQ(2u, verifySigned(graph, HostDistances(3, Dtype::kInt32, words), 3).mismatch.count);
}

// ---- files
// ----------------------------------------------------------------------------------------

TEST(NegativeFiles, EveryFormatKeepsThem) {
  const TempDir dir;
  std::mt19937 random(3);
  const Graph graph = planted(9, 0.6, false, random);
  Graph withMinusOne = copyOf(graph);
  std::vector<Edge> edges = graph.edges();
  edges[0].weight = -1;
  edges[1].weight = 1 - kInf;
  withMinusOne = fromEdges(9, edges);
  for (const std::string& format : writableFormats()) {
    if (format == "metis" || format == "sg") continue;  // no directions, no weights
    const std::string path = dir / ("g." + format);
    {
      OutputFile out(path);
      writeGraph(out, withMinusOne, format);
    }
    ReadOptions options;
    options.format = format;
    options.zero = format == "npy" || format == "bin-dense" ? Zero::kEdge : Zero::kUnclear;
    options.negative = true;
    const Graph read = readGraph(path, options);
    EXPECT_EQ(graphStats(withMinusOne).hash, graphStats(read).hash) << format;
    EXPECT_EQ(1 - kInf, graphStats(read).minWeight) << format;
    options.negative = false;
    EXPECT_THROW(readGraph(path, options), Error) << format;
  }
}

TEST(NegativeFiles, MinusOneInAMatrixIsAWeight) {
  const TempDir dir;
  writeBytes(dir / "g.mtx", "%%MatrixMarket matrix array integer general\n2 2\n0\n-1\n-1\n0\n");
  ReadOptions options;
  EXPECT_EQ(0u, graphStats(readGraph(dir / "g.mtx", options)).edges);
  EXPECT_EQ(2u, readGraph(dir / "g.mtx", options).minusOnes);
  options.negative = true;
  const Graph graph = readGraph(dir / "g.mtx", options);
  EXPECT_EQ(2u, graphStats(graph).edges);
  EXPECT_EQ(-1, graph.matrix().row(0)[1]);
  EXPECT_EQ(0u, graph.minusOnes);
}

TEST(NegativeFiles, ASelfLoopOfNegativeWeightIsACycle) {
  const TempDir dir;
  ReadOptions options;
  options.negative = true;
  writeBytes(dir / "g.el", "0 1 5\n1 1 -2\n1 1 -3\n");
  writeBytes(dir / "g.mtx", "%%MatrixMarket matrix array integer general\n2 2\n0\n4\n4\n-3\n");
  for (const char* const name : {"g.el", "g.mtx"}) {
    try {
      readGraph(dir / name, options);
      ADD_FAILURE() << name;
    } catch (const NegativeCycle& found) {
      EXPECT_NE(std::string::npos, std::string(found.what()).find("1 -> 1 (-3), sum -3")) << name;
    }
  }
}

TEST(NegativeFiles, RealsAreReadAndWritten) {
  const TempDir dir;
  const auto word = [](float weight) { return toWord(weight); };
  const Graph graph =
      fromEdges(3, {{0, 1, word(-1.5f)}, {1, 2, word(-1)}, {2, 0, word(0.1f)}, {0, 2, word(7)}},
                Dtype::kFloat32);
  for (const std::string& format : writableFormats()) {
    const std::string path = dir / ("g." + format);
    try {
      OutputFile out(path);
      writeGraph(out, graph, format);
    } catch (const Error& error) {
      EXPECT_EQ(Exit::kUsage, error.code);  // a format of integers
      continue;
    }
    ReadOptions options;
    options.format = format;
    options.zero = format == "npy" ? Zero::kEdge : Zero::kUnclear;
    options.negative = true;
    const Graph read = readGraph(path, options);
    EXPECT_EQ(Dtype::kFloat32, read.dtype) << format;
    EXPECT_EQ(graphStats(graph).hash, graphStats(read).hash) << format;
    options.dtype = Dtype::kInt32;
    EXPECT_THROW(readGraph(path, options), Error) << format;
    options = {format};
    EXPECT_THROW(readGraph(path, options), Error) << format;
  }
}

TEST(NegativeFiles, OfParallelRealEdgesTheLightestCounts) {
  const auto word = [](float weight) { return toWord(weight); };
  const std::vector<Edge> edges = {{0, 1, word(-1)}, {0, 1, word(-2.5f)}, {0, 1, word(3)},
                                   {1, 1, word(-1)}, {1, 1, word(-4)},    {1, 0, word(-2)}};
  Graph graph = fromEdges(2, edges, Dtype::kFloat32);
  EXPECT_EQ(word(-2.5f), graph.edges()[0].weight);
  EXPECT_EQ(word(-4), graph.negativeLoop->weight);
  std::vector<int> matrix(4);
  writeMatrix(2, {edges.begin(), edges.begin() + 3}, matrix.data(), Dtype::kFloat32);
  EXPECT_EQ(word(-2.5f), matrix[1]);
  Graph dense;
  dense.n = 2;
  dense.dtype = Dtype::kFloat32;
  dense.body = toMatrix(fromEdges(2, edges, Dtype::kFloat32));
  addReverses(graph);
  addReverses(dense);
  EXPECT_EQ(word(-2.5f), graph.edges()[1].weight);
  EXPECT_EQ(word(-2.5f), dense.matrix().row(1)[0]);
}

// ---- paths and summaries
// --------------------------------------------------------------------------

TEST(NegativePaths, HaveTheLengthOfTheDistance) {
  std::mt19937 random(std::random_device{}());
  for (const bool dense : {false, true}) {
    const Graph sparse = planted(30, 0.15, true, random);
    const Graph graph = dense ? asMatrix(sparse) : copyOf(sparse);
    const std::vector<std::int64_t> right = floyd(30, toMatrix(copyOf(graph)).data());
    const Leaving leaving(graph);
    const DistancesTo solver(graph, true);
    for (int to = 0; to < 30; ++to) {
      const std::vector<double> distances = solver.vertex(to);
      for (int from = 0; from < 30; ++from) {
        const std::int64_t expected = right[static_cast<std::size_t>(from) * 30 + to];
        ASSERT_EQ(expected == kNone, std::isinf(distances[static_cast<std::size_t>(from)]));
        if (expected == kNone) continue;
        const auto path = followDistances(leaving, distances, from, to, 0);
        ASSERT_TRUE(path.has_value());
        EXPECT_EQ(static_cast<double>(expected), lengthOf(*path, Dtype::kInt32));
        EXPECT_EQ(from, path->vertices.front());
        EXPECT_EQ(to, path->vertices.back());
      }
    }
  }
}

TEST(NegativePaths, OfRealsHaveTheLengthOfTheDistance) {
  std::mt19937 random(std::random_device{}());
  for (const bool dense : {false, true}) {
    const Graph sparse = plantedReals(30, 0.15, 1000, random);
    const Graph graph = dense ? asRealMatrix(sparse) : copyOfReals(sparse);
    RealDistances right(graph);
    const Leaving leaving(graph);
    const DistancesTo solver(graph, true);
    const SignedTolerance allowed(graph, 1);
    for (int to = 0; to < 30; ++to) {
      const std::vector<double> exact = solver.vertex(to);
      std::vector<double> rounded = exact;
      for (double& d : rounded) d = static_cast<float>(d);
      for (int from = 0; from < 30; ++from) {
        const double expected = static_cast<double>(right.at(from, to));
        ASSERT_EQ(std::isinf(expected), std::isinf(exact[static_cast<std::size_t>(from)]));
        if (std::isinf(expected)) continue;
        for (const auto* distances : {&exact, &std::as_const(rounded)}) {
          const auto path = followDistances(leaving, *distances, from, to, 0, std::cref(allowed));
          ASSERT_TRUE(path.has_value());
          EXPECT_NEAR(expected, lengthOf(*path, Dtype::kFloat32), allowed(from, to, expected));
          EXPECT_EQ(from, path->vertices.front());
          EXPECT_EQ(to, path->vertices.back());
        }
        rounded[static_cast<std::size_t>(from)] -= 1;
        if (from != to) {
          EXPECT_FALSE(
              followDistances(leaving, rounded, from, to, 0, std::cref(allowed)).has_value());
        }
        rounded[static_cast<std::size_t>(from)] += 1;
      }
    }
  }
}

TEST(NegativePaths, SummariesKnowNegativeReals) {
  const int none = infinity(Dtype::kFloat32), zero = 0;
  const std::vector<int> words = {zero,       wordOf(-5), wordOf(-2.5), none, zero,
                                  wordOf(-7), none,       wordOf(-8),   zero};
  const Summary summary = summaryOf(HostDistances(3, Dtype::kFloat32, words));
  EXPECT_EQ(wordOf(-2.5), summary.vertices[0].eccentricity);
  EXPECT_EQ(wordOf(-2.5), summary.diameter());
  EXPECT_EQ(wordOf(-2.5), summary.radius());
  const std::vector<int> all = {zero, wordOf(-5), wordOf(-2), zero};
  EXPECT_EQ(wordOf(-5), summaryOf(HostDistances(2, Dtype::kFloat32, all)).radius());
  EXPECT_EQ(wordOf(-2), summaryOf(HostDistances(2, Dtype::kFloat32, all)).diameter());
}

TEST(NegativePaths, SummariesKnowNegativeDistances) {
  const std::vector<int> words = {0, -5, -2, kInf, 0, 3, kInf, kInf, 0};
  const Summary summary = summaryOf(HostDistances(3, Dtype::kInt32, words));
  EXPECT_EQ(-2, summary.vertices[0].eccentricity);
  EXPECT_EQ(3, summary.vertices[1].eccentricity);
  EXPECT_EQ(0, summary.vertices[2].eccentricity);
  EXPECT_EQ(3, summary.diameter());
  EXPECT_EQ(-2, summary.radius());
}

}  // namespace
