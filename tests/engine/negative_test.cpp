// Negative weights: every solver of the table against Floyd and Warshall's loop in 64 bits, which
// shares no code with it; real weights against the same loop in long doubles; potentials, negative
// cycles and the ends of the range; files; the check. All of it with numbers of 32 and of 64 bits.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "paths/trees.h"
#include "seed.h"
#include "solver/options.h"
#include "system/screen.h"
#include "verify/bellman_ford.h"
#include "verify/distances_to.h"
#include "verify/signed.h"
#include "verify/tree.h"
#include "verify/verify.h"

namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;

/// The distances of a matrix of whole numbers, none of which is far above 2⁵⁵, in 64 bits; an entry
/// below 0 on the diagonal: a negative cycle.
std::vector<std::int64_t> floyd(const Matrix& matrix) {
  const auto size = asSize(matrix.n());
  std::vector<std::int64_t> d(size * size);
  withElements(matrix.data(), [&](const auto* weights) {
    using T = NumberAt<decltype(weights)>;
    for (std::size_t at = 0; at < d.size(); ++at)
      d[at] = weights[at] == kInfinity<T> ? kNone : static_cast<std::int64_t>(weights[at]);
  });
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        if (d[i * size + k] < kNone && d[k * size + j] < kNone)
          d[i * size + j] =  // a negative cycle lowers it without end
              std::max(-kNone, std::min(d[i * size + j], d[i * size + k] + d[k * size + j]));
  return d;
}

/// One of these distances as a solver of that type should find it.
template <class T>
T distanceAs(std::int64_t distance) {
  return distance == kNone ? kInfinity<T> : static_cast<T>(distance);
}

bool hasCycle(int n, const std::vector<std::int64_t>& distances) {
  for (int v = 0; v < n; ++v)
    if (distances[static_cast<std::size_t>(v) * (n + 1)] < 0) return true;
  return false;
}

/// Weights of 64 bits are those of 32 bits times this.
template <class T>
constexpr T kScale = sizeof(T) == 8 ? T{1} << 40 : T{1};

/// A random graph without a negative cycle. density: the chance of an edge. zeros: half of the
/// weights below the potentials are 0, so that there are cycles of length 0. T: int32 or int64.
template <class T = int>
Graph planted(int n, double density, bool zeros, std::mt19937& random) {
  std::vector<int> potential(static_cast<std::size_t>(n));
  for (int& p : potential) p = static_cast<int>(random() % 2000) - 1000;
  Edges<T> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j || std::uniform_real_distribution<>(0, 1)(random) >= density) continue;
      const int base = zeros && random() % 2 ? 0 : static_cast<int>(random() % 300);
      // What is less than the scale differs, too, but less than a whole step of it.
      const T low = kScale<T> > 1 && base > 0 ? static_cast<T>(random() % 1000) : 0;
      edges.push_back({i, j, (base + potential[j] - potential[i]) * kScale<T> + low});
    }
  return fromEdges(n, std::move(edges));
}

Graph copyOf(const Graph& graph) {
  return withType(graph.dtype(), [&](auto zero) {
    if (!graph.dense()) return fromEdges(graph.n, graph.edges<decltype(zero)>());
    Graph result;
    result.n = graph.n;
    result.body = toMatrix(fromEdges(graph.n, toEdges<decltype(zero)>(graph)));
    return result;
  });
}

Matrix matrixOf(const Graph& graph) {
  return toMatrix(copyOf(graph));
}

Graph asMatrix(const Graph& graph) {
  Graph result;
  result.n = graph.n;
  result.body = matrixOf(graph);
  return result;
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
  const std::vector<std::int64_t> right = floyd(matrixOf(graph));
  const ProblemGraph problem(copyOf(graph));
  const auto run = solvedTwice(problem, solver, {device, options});
  const Matrix got = toMatrix(run->distances());
  std::size_t wrong = 0;
  withElements(got.data(), [&](const auto* distances) {
    using T = NumberAt<decltype(distances)>;
    for (std::size_t at = 0; at < got.size(); ++at)
      wrong += distances[at] != distanceAs<T>(right[at]);
  });
  EXPECT_EQ(0u, wrong) << solver.name << " on " << what << ", n = " << graph.n << ", "
                       << nameOf(graph.dtype());
  EXPECT_TRUE(verifySigned(graph, run->distances(), graph.n).passed()) << what;
}

/// Calls test(zero) with a 0 of each type of whole weights that the solver takes.
template <class Test>
void forWholeTypes(const Solver& solver, const Test& test) {
  if (takes(solver, Dtype::kInt32)) test(std::int32_t{});
  if (takes(solver, Dtype::kInt64)) test(std::int64_t{});
}
/// And of each type of matrices that the device shifts.
template <class Test>
void forShiftedTypes(const Device& device, const Test& test) {
  if (shiftsOn(device.kind(), Dtype::kInt32)) test(std::int32_t{});
  if (shiftsOn(device.kind(), Dtype::kInt64)) test(std::int64_t{});
}
/// And of each type of real ones.
template <class Test>
void forRealTypes(const Solver& solver, const Test& test) {
  if (takes(solver, Dtype::kFloat32)) test(float{});
  if (takes(solver, Dtype::kFloat64)) test(double{});
}

using Negative = OnDevice;
ON_EVERY_DEVICE(Negative);

TEST_P(Negative, EverySolverIsRightOnEdgesAndMatrices) {
  std::mt19937 random(testSeed());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device().kind()) continue;
    for (const int n : {1, 2, 3, 4, 5, 31, 64, 65, 130}) {
      for (const double density : {1.0, 0.1}) {
        forWholeTypes(solver, [&](auto zero) {
          const Graph graph = planted<decltype(zero)>(n, density, random() % 2 != 0, random);
          expectRight(device(), solver, graph, {}, "edges");
          expectRight(device(), solver, asMatrix(graph), {}, "a matrix");
        });
      }
    }
  }
}

/// Weights of 64 bits that int32 holds after a division are solved in int32, and shifted there.
template <class T>
void expectNarrowed(const Device& device, const Graph& whole, T unit) {
  const Solver& apsp = findSolver("apsp", device.kind());
  Edges<T> edges;
  for (const Edge<int>& e : whole.edges<int>()) edges.push_back({e.from, e.to, e.weight * unit});
  const Graph graph = fromEdges(whole.n, std::move(edges));
  const std::vector<std::int64_t> right = floyd(matrixOf(whole));
  for (const bool dense : {false, true}) {
    const ProblemGraph problem(dense ? asMatrix(graph) : copyOf(graph));
    const auto run = withNegativeWeights(apsp).prepare({problem}, {device});
    run->reset();
    const Call call = run->solve();
    EXPECT_TRUE(call.outcome.narrowing.used) << nameOf(kDtype<T>);
    const double depth = call.outcome.reweighting.least;
    const std::int64_t least = *std::min_element(right.begin(), right.end());
    EXPECT_EQ(static_cast<double>(least * unit), depth) << "of the given weights";
    const Matrix got = toMatrix(run->distances());
    for (std::size_t at = 0; at < got.size(); ++at) {
      const T expected = right[at] == kNone ? kInfinity<T> : static_cast<T>(right[at] * unit);
      ASSERT_EQ(expected, got.row<T>(0)[at]) << dense << " " << nameOf(kDtype<T>);
    }
  }
}

TEST_P(Negative, WeightsThatInt32HoldsAreSolvedThere) {
  std::mt19937 random(testSeed());
  for (const int n : {2, 30, 100}) {
    const Graph whole = planted(n, 0.3, true, random);
    expectNarrowed<std::int64_t>(device(), whole, 1);
    expectNarrowed<std::int64_t>(device(), whole, std::int64_t{1} << 40);
    expectNarrowed<double>(device(), whole, 0.25);
  }
}

TEST_P(Negative, EveryMethodIsRight) {
  std::mt19937 random(testSeed());
  const Solver& apsp = findSolver("apsp", device().kind());
  const std::vector<Method> methods = {Method::kDense, Method::kFiltered, Method::kSparse};
  for (const Method method : methods) {
    if (method == Method::kSparse && device().kind() == DeviceKind::kGpu) continue;
    Options options;
    options.method = method;
    for (const int n : {3, 70, 333}) {
      forWholeTypes(apsp, [&](auto zero) {
        const Graph graph = planted<decltype(zero)>(n, n > 100 ? 0.02 : 0.5, true, random);
        expectRight(device(), apsp, graph, options, nameOf(method) + ", edges");
        expectRight(device(), apsp, asMatrix(graph), options, nameOf(method) + ", a matrix");
      });
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
  std::mt19937 random(testSeed());
  const Solver solver = withNegativeWeights(findSolver("apsp", device().kind()));
  for (const Method method : {Method::kAuto, Method::kDense, Method::kSparse}) {
    if (method == Method::kSparse && device().kind() == DeviceKind::kGpu) continue;
    Options options;
    options.method = method;
    for (const int n : {1, 2, 40, 333}) {
      for (int kind = 0; kind < 6; ++kind) {  // rows, columns or both; of edges or a matrix
        SCOPED_TRACE(nameOf(method) + ", n = " + std::to_string(n) + ", " + std::to_string(kind));
        const bool wide = random() % 2 == 0 && takes(solver, Dtype::kInt64);
        const double density = n > 100 ? 0.01 : 0.3;
        const Graph sparse = wide ? planted<std::int64_t>(n, density, true, random)
                                  : planted(n, density, true, random);
        const Graph graph = kind < 3 ? copyOf(sparse) : asMatrix(sparse);
        Selection asked;
        if (kind % 3 != 0) asked.sources = someVertices(n, random);
        if (kind % 3 != 1) asked.targets = someVertices(n, random);
        const std::vector<std::int64_t> right = floyd(matrixOf(graph));
        const ProblemGraph problem(copyOf(graph));
        const auto run = prepareAsked(solver, {problem, &asked}, {device(), options});
        for (int call = 0; call < 2; ++call) {
          run->reset();
          run->solve();
        }
        const Distances& table = run->distances();
        ASSERT_EQ(asked.rows(n), table.rowCount());
        ASSERT_EQ(asked.columns(n), table.columns());
        table.rows(0, table.rowCount(), [&](int first, int count, ConstElements elements) {
          std::size_t at = 0;
          for (int r = first; r < first + count; ++r)
            for (int c = 0; c < table.columns(); ++c, ++at) {
              const std::int64_t expected =
                  right[static_cast<std::size_t>(asked.source(r)) * n + asked.target(c)];
              const Number number = wide ? Number(distanceAs<std::int64_t>(expected))
                                         : Number(distanceAs<std::int32_t>(expected));
              ASSERT_EQ(number, elements[at]) << r << " " << c;
            }
        });
        EXPECT_TRUE(verifySigned(graph, table, n).passed());
        if (HasFailure()) return;
      }
    }
  }
}

template <class T, class Potential>
void expectShiftedAFewAtATime() {
  const int n = 5000, most = rowsAtATime(n, kDtype<T>);
  ASSERT_LT(most, n - 1);
  const std::vector<Potential> potentials(static_cast<std::size_t>(n), -2);
  const DeviceMatrix matrix(cpuDevice, n, kDtype<T>);
  std::fill_n(matrix.data().as<T>(), matrix.size(), T{7});
  const WholeDistances whole(matrix);
  int next = 1;
  ShiftedDistances(whole, potentials, nullptr)
      .rows(1, n, [&](int first, int count, ConstElements d) {
        EXPECT_EQ(next, first);
        EXPECT_LE(count, most);
        EXPECT_EQ(7, d.as<T>()[static_cast<std::size_t>(count) * n - 1]);
        next += count;
      });
  EXPECT_EQ(n, next);
}

TEST(NegativeTables, RowsAreShiftedAFewAtATime) {
  expectShiftedAFewAtATime<std::int32_t, std::int64_t>();
  expectShiftedAFewAtATime<double, long double>();
}

TEST_P(Negative, VerticesMayBeRenumbered) {
  std::mt19937 random(7);
  const Graph graph = planted(90, 0.1, true, random);
  const std::vector<std::int64_t> right = floyd(matrixOf(graph));
  for (const bool dense : {false, true}) {
    const ProblemGraph problem(dense ? asMatrix(graph) : copyOf(graph));
    const Solver solver = withNegativeWeights(findSolver("apsp", device().kind()));
    const auto run = solver.prepare({problem}, {device(), {}, true});
    for (const int first : {0, 1, 89}) {
      run->reset(first);
      run->solve();
      const Matrix got = toMatrix(run->distances());
      for (std::size_t at = 0; at < got.size(); ++at)
        ASSERT_EQ(distanceAs<int>(right[at]), got.row<int>(0)[at]) << first << dense;
    }
  }
}

/// Random weights; half of these graphs have a negative cycle.
template <class T>
Graph wild(int n, std::mt19937& random) {
  Edges<T> edges;
  const int arcs = 2 * n + static_cast<int>(random() % (2 * static_cast<unsigned>(n)));
  for (int k = 0; k < arcs; ++k)
    edges.push_back({static_cast<int>(random() % static_cast<unsigned>(n)),
                     static_cast<int>(random() % static_cast<unsigned>(n)),
                     (static_cast<int>(random() % 100) - 16) * kScale<T>});
  for (Edge<T>& e : edges)
    if (e.from == e.to) e.weight = 1;
  return fromEdges(n, std::move(edges));
}

/// Whether the edges are a cycle of the graph, and negative.
bool isNegativeCycle(const Graph& graph, const std::vector<AnyEdge>& cycle) {
  const Matrix matrix = matrixOf(graph);
  long double sum = 0;
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    const AnyEdge& e = cycle[k];
    if (e.to != cycle[(k + 1) % cycle.size()].from) return false;
    const Number weight = matrix.row(e.from)[asSize(e.to)];
    if (weight != e.weight || weight == infinityOf(graph.dtype())) return false;
    sum += std::visit([](auto number) { return static_cast<long double>(number); }, weight);
  }
  return !cycle.empty() && sum < 0;
}

TEST_P(Negative, CyclesAreFoundIfAndOnlyIfThereAreSome) {
  std::mt19937 random(testSeed());
  const Solver apsp = withNegativeWeights(findSolver("apsp", device().kind()));
  int cycles = 0;
  constexpr int kGraphs = 300;
  for (int k = 0; k < kGraphs; ++k) {
    const int n = 2 + static_cast<int>(random() % 40);
    const bool wide = k % 4 < 2 && takes(apsp, Dtype::kInt64);
    const Graph graph = wide ? wild<std::int64_t>(n, random) : wild<std::int32_t>(n, random);
    const bool expected = hasCycle(graph.n, floyd(matrixOf(graph)));
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
      EXPECT_EQ(ErrorCode::kInput, found.code);
    }
  }
  EXPECT_LT(kGraphs / 10, cycles);
  EXPECT_GT(kGraphs - kGraphs / 10, cycles);
}

/// Such a graph, but no path leads from its lower half to the upper one.
template <class T>
Graph oneWay(int n, std::mt19937& random) {
  const Graph all = wild<T>(n, random);
  Edges<T> edges;
  for (const Edge<T>& e : all.edges<T>())
    if (e.from >= n / 2 || e.to < n / 2) edges.push_back(e);
  return fromEdges(n, std::move(edges));
}

/// Tables and trees of a graph whose negative cycles some vertices do not reach.
TEST_P(Negative, CyclesOutOfReachDoNotMatter) {
  std::mt19937 random(testSeed());
  const Solver apsp = withNegativeWeights(findSolver("apsp", device().kind()));
  int solved = 0, refused = 0;
  for (int k = 0; k < 400; ++k) {
    const int n = 5 + static_cast<int>(random() % 40);
    const bool wide = k % 4 < 2 && takes(apsp, Dtype::kInt64);
    const Graph graph = wide ? oneWay<std::int64_t>(n, random) : oneWay<std::int32_t>(n, random);
    const std::vector<std::int64_t> right = floyd(matrixOf(graph));
    const auto entry = [&](int u, int v) { return right[asSize(u) * asSize(n) + asSize(v)]; };
    if (!hasCycle(n, right)) continue;
    Selection asked;
    const int some = k % 3 == 0 ? n : n / 2;
    for (int i = 0; i < 3; ++i)
      asked.sources.push_back(static_cast<int>(random() % static_cast<unsigned>(some)));
    const bool expected = std::any_of(asked.sources.begin(), asked.sources.end(), [&](int s) {
      for (int v = 0; v < n; ++v)
        if (entry(s, v) < kNone && entry(v, v) < 0) return true;
      return false;
    });
    const ProblemGraph problem(k % 2 ? copyOf(graph) : asMatrix(graph));
    const auto run = prepareAsked(apsp, {problem, &asked}, {device()});
    try {
      for (int call = 0; call < 2; ++call) {
        run->reset();
        run->solve();
      }
      EXPECT_FALSE(expected);
    } catch (const NegativeCycle& found) {
      EXPECT_TRUE(expected);
      EXPECT_TRUE(isNegativeCycle(graph, found.cycle)) << found.what();
      ++refused;
      continue;
    }
    ++solved;
    const Distances& table = run->distances();
    const Trees trees(problem, table, true);
    const TreeCheck check(graph, &asked);
    table.rows(0, table.rowCount(), [&](int first, int count, ConstElements elements) {
      std::vector<int> before(asSize(count) * asSize(n));
      trees.rows(first, count, elements, before.data());
      for (int r = 0; r < count; ++r) {
        const int source = asked.source(first + r);
        const std::size_t row = asSize(r) * asSize(n);
        for (int v = 0; v < n; ++v) {
          const std::int64_t d = entry(source, v);
          const Number number =
              wide ? Number(distanceAs<std::int64_t>(d)) : Number(distanceAs<std::int32_t>(d));
          ASSERT_EQ(number, elements[row + asSize(v)]) << source << " " << v;
        }
        EXPECT_EQ("", check.rows(source, 1, elements + row, before.data() + row).why);
      }
    });
    EXPECT_TRUE(verifySigned(graph, table, 10).passed());
  }
  EXPECT_LT(10, solved);
  EXPECT_LT(10, refused);
}

/// The part that is solved stays a list of edges, although it has none: no matrix is made.
TEST(NegativeTables, ASourceThatLeadsNowhere) {
  const int n = 200000;
  const ProblemGraph problem(fromEdges<int>(n, {{1, 2, 5}, {3, 4, 1}, {4, 3, -2}}));
  const Selection asked = {{2}, {2, 1, n - 1}};
  const auto run = prepareAsked(withNegativeWeights(findSolver("apsp", DeviceKind::kCpu)),
                                {problem, &asked}, {cpuDevice});
  run->reset();
  run->solve();
  run->distances().rows(0, 1, [&](int, int, ConstElements row) {
    EXPECT_EQ((std::vector<int>{0, kInf, kInf}),
              std::vector<int>(row.as<int>(), row.as<int>() + 3));
  });
}

/// Without a cycle, the potentials of all vertices blur the distances, and the bound knows it.
TEST(RealCycles, ElsewhereBoundsAreThoseOfTheWholeGraph) {
  const Graph graph = fromEdges<float>(4, {{0, 1, 0.1F}, {1, 2, 0.2F}, {3, 2, -1000}});
  const Selection asked = {{0}};
  const ProblemGraph problem(copyOf(graph));
  const auto run = prepareAsked(withNegativeWeights(findSolver("apsp", DeviceKind::kCpu)),
                                {problem, &asked}, {cpuDevice});
  run->reset();
  run->solve();
  EXPECT_TRUE(verifySigned(graph, run->distances(), 1).passed());
}

/// Of reals, bounds are those of what the sources reach. The cycle would make them infinite.
TEST(RealCycles, OutOfReachDoNotWidenTheBounds) {
  const Graph graph = fromEdges<float>(
      5, {{0, 1, 1.5F}, {1, 2, -0.5F}, {3, 4, -3e8F}, {4, 3, 1}, {3, 2, 1}, {4, 1, 2}});
  const Selection asked = {{0}};
  const ProblemGraph problem(copyOf(graph));
  const auto run = prepareAsked(withNegativeWeights(findSolver("apsp", DeviceKind::kCpu)),
                                {problem, &asked}, {cpuDevice});
  run->reset();
  run->solve();
  const std::vector<float> expected = {0, 1.5F, 1, kInfinity<float>, kInfinity<float>};
  run->distances().rows(0, 1, [&](int, int, ConstElements row) {
    EXPECT_EQ(expected, std::vector<float>(row.as<float>(), row.as<float>() + 5));
  });
  EXPECT_TRUE(verifySigned(graph, run->distances(), 1).passed());
  std::vector<float> wrong(25, kInfinity<float>);
  std::copy(expected.begin(), expected.end(), wrong.begin());
  wrong[2] = 1.001F;
  const HostDistances all(5, wrong);
  EXPECT_EQ(1u, verifySigned(graph, PickedDistances(all, asked), 1).mismatch.count);
}

template <class T>
void expectRingFound(const Device& device, T weight) {
  const Solver apsp = withNegativeWeights(findSolver("apsp", device.kind()));
  Edges<T> edges;
  for (int v = 0; v < 300; ++v) edges.push_back({v, v == 0 ? 299 : v - 1, v == 7 ? weight : 0});
  const Graph ring = asMatrix(fromEdges(300, std::move(edges)));
  const ProblemGraph problem(asMatrix(ring));
  const auto run = apsp.prepare({problem}, {device});
  run->reset();
  try {
    run->solve();
    ADD_FAILURE() << "no cycle found";
  } catch (const NegativeCycle& found) {
    EXPECT_EQ(300u, found.cycle.size());
    EXPECT_TRUE(isNegativeCycle(ring, found.cycle));
  }
}

TEST_P(Negative, ALongCycleAndAHeavyOneAreFound) {
  forWholeTypes(findSolver("apsp", device().kind()), [&](auto zero) {
    expectRingFound(device(), zero - 1);
    expectRingFound<decltype(zero)>(device(), 1 - kInfinity<decltype(zero)>);
  });
}

template <class T>
void expectPotentialsRight(const Device& device, int n, std::mt19937& random) {
  const Graph graph = asMatrix(planted<T>(n, n > 100 ? 0.01 : 0.3, true, random));
  const Potentials exact = potentialsOf(graph);
  const DeviceMatrix matrix(device, n, kDtype<T>), distances(device, n, kDtype<T>);
  for (const DeviceMatrix* each : {&matrix, &distances})
    upload(device, each->data(), graph.matrix().data(), matrix.size());
  const auto shift = shiftOn(device, n, matrix.data());
  while (shift->relax(3) == 3) {
  }
  EXPECT_EQ(exact.of, shift->potentials()) << n;
  const std::vector<int> parents = shift->parents();
  for (int v = 0; v < n; ++v) {
    const std::int64_t h = exact.of[asSize(v)];
    const int u = parents[asSize(v)];
    ASSERT_EQ(h < 0, u >= 0) << v;
    if (u < 0) continue;
    EXPECT_EQ(h, exact.of[asSize(u)] + graph.matrix().row<T>(u)[v]) << v;
  }
  shift->reweight();
  const std::vector<T> weights = download<T>(device, matrix.data(), n);
  EXPECT_EQ(weights.end(), std::find_if(weights.begin(), weights.end(), [](T w) { return w < 0; }));
  const Graph other = reweighted(graph, exact.of);
  EXPECT_TRUE(std::equal(weights.begin(), weights.end(), other.matrix().row<T>(0))) << n;
  shift->reweightDistances(distances.data());  // here they are the weights again
  EXPECT_EQ(weights, download<T>(device, distances.data(), n)) << n;
  shift->shiftBack();
  const std::vector<T> back = download<T>(device, matrix.data(), n);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), graph.matrix().row<T>(0))) << n;
  if (n > 100) return;
  const std::vector<std::int64_t> d = floyd(graph.matrix());
  for (int v = 0; v < n; ++v) {
    std::int64_t least = 0;
    for (int u = 0; u < n; ++u) least = std::min(least, d[static_cast<std::size_t>(u) * n + v]);
    EXPECT_EQ(least, exact.of[static_cast<std::size_t>(v)]);
  }
}

TEST_P(Negative, PotentialsAreTheShortestPathsFromAnywhere) {
  std::mt19937 random(testSeed());
  for (const int n : {1, 2, 63, 64, 65, 1030})
    forShiftedTypes(device(),
                    [&](auto zero) { expectPotentialsRight<decltype(zero)>(device(), n, random); });
}

/// Each vertex is lowered once, by vertex 0. What a thread leaves out of its columns stays out.
template <class T>
void expectEveryColumnLowered(const Device& device, int n) {
  Matrix star(n, kDtype<T>);
  std::fill_n(star.row<T>(0), star.size(), kInfinity<T>);
  for (int v = 0; v < n; ++v) star.row<T>(0)[v] = -v * kScale<T>;
  const DeviceMatrix matrix(device, n, kDtype<T>);
  upload(device, matrix.data(), star.data(), star.size());
  const auto shift = shiftOn(device, n, matrix.data());
  EXPECT_EQ(1, shift->relax(3));
  const std::vector<std::int64_t> potentials = shift->potentials();
  const std::vector<int> parents = shift->parents();
  for (int v = 0; v < n; ++v) {
    ASSERT_EQ(-v * kScale<T>, potentials[static_cast<std::size_t>(v)]) << n;
    ASSERT_EQ(v == 0 ? -1 : 0, parents[static_cast<std::size_t>(v)]) << v;
  }
}

TEST_P(Negative, EveryColumnIsLowered) {
  for (const int n : {1023, 1031, 4099})
    forShiftedTypes(device(),
                    [&](auto zero) { expectEveryColumnLowered<decltype(zero)>(device(), n); });
}

/// A potential may be the least that is allowed. What is less counts as that: it is an error.
template <class T>
void expectLeastPotentialsKept(const Device& device) {
  const T half = kInfinity<T> / 2, rest = kInfinity<T> - 1 - half;
  for (const T more : {0, 1, 2}) {
    const Graph graph = asMatrix(fromEdges<T>(3, {{0, 1, -half}, {1, 2, -rest - more}}));
    const DeviceMatrix matrix(device, 3, kDtype<T>);
    upload(device, matrix.data(), graph.matrix().data(), matrix.size());
    const auto shift = shiftOn(device, 3, matrix.data());
    shift->relax(4);
    const std::vector<std::int64_t> expected = {0, -half,
                                                std::max(-half - rest - more, -kInfinity<T>)};
    EXPECT_EQ(expected, shift->potentials());
    if (more == 0) {
      EXPECT_EQ(expected, potentialsOf(graph).of);
    } else {
      EXPECT_THROW(potentialsOf(graph), Error);
    }
  }
}

TEST_P(Negative, TheLeastPotentialsAreKept) {
  forShiftedTypes(device(),
                  [&](auto zero) { expectLeastPotentialsKept<decltype(zero)>(device()); });
}

TEST_P(Negative, EveryFamilyIsAsItsPotentialsSay) {
  for (const FamilyInfo& family : negativeFamilyTable()) {
    const Spec spec = specOf(familyIndex(family.name), 80, 5);
    const Graph graph = generate(spec);
    const std::vector<std::int64_t> right = floyd(matrixOf(graph));
    const Matrix known = oracleDistances(spec, findSolver("apsp", DeviceKind::kCpu));
    std::size_t below = 0;
    for (std::size_t at = 0; at < known.size(); ++at) {
      const int distance = known.row<int>(0)[at];
      EXPECT_EQ(distanceAs<int>(right[at]), distance) << family.name;
      below += distance < 0;
    }
    EXPECT_LT(100u, below) << family.name;
    const DeviceMatrix there(device(), 80, Dtype::kInt32);
    generateOn(device(), spec, there.data());
    const Matrix here = matrixOf(graph);
    EXPECT_TRUE(std::equal(here.row<int>(0), here.row<int>(0) + here.size(),
                           download(device(), there.data(), 80).begin()));
    expectRight(device(), findSolver("apsp", device().kind()), graph, {}, family.name);
  }
}

TEST_P(Negative, TheCheckPassesRightSolvers) {
  CheckOptions plan;
  plan.depth = CheckOptions::kQuick;
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
  wrong.inPlace = [inner = wrong.inPlace](const Device& device, int n, Elements matrix,
                                          const Options& options) {
    const Call call = inner(device, n, matrix, options);
    if (n > 8) ++matrix.as<int>()[n - 1];
    return call;
  };
  CheckOptions plan;
  plan.depth = CheckOptions::kQuick;
  plan.negative = true;
  plan.most = 33;
  plan.seed = 1;
  const Check done = check([&] { return wrong; }, cpuDevice, plan);
  EXPECT_LT(0u, done.failed());
  EXPECT_EQ("unknown", done.diagnosis.pattern);
}

// ---- real weights -----------------------------------------------------------------------------

/// Half a step of a number, relative to itself.
template <class T>
constexpr double kHalfStep = std::numeric_limits<T>::epsilon() / 2.0;

/// A random graph of reals without a negative cycle: its weights are those of potentials up to
/// `depth`, plus what rounding cannot take away. T: float or double.
template <class T = float>
Graph plantedReals(int n, double density, double depth, std::mt19937& random) {
  std::uniform_real_distribution<> part(0, 1);
  std::vector<double> potential(static_cast<std::size_t>(n));
  for (double& p : potential) p = depth * part(random);
  Edges<T> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && part(random) < density)
        edges.push_back({i, j,
                         static_cast<T>(part(random) + depth * 8 * kHalfStep<T> + potential[j] -
                                        potential[i])});
  return fromEdges(n, std::move(edges));
}

/// The distances in long doubles, by Floyd and Warshall's loop, and how far solvers may be off.
struct RealDistances {
  int n;
  double halfStep;
  std::vector<long double> all, potentials;
  double heaviest = 0;  // of the negative weights

  explicit RealDistances(const Graph& graph)
      : n(graph.n),
        halfStep(graph.dtype() == Dtype::kFloat32 ? kHalfStep<float> : kHalfStep<double>),
        potentials(graph.n, 0) {
    const Matrix matrix = matrixOf(graph);
    withElements(matrix.data(), [&](const auto* weights) {
      for (std::size_t at = 0; at < matrix.size(); ++at) {
        all.push_back(static_cast<long double>(weights[at]));
        heaviest = std::max(heaviest, -static_cast<double>(all.back()));
      }
    });
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
    const double off = halfStep * (n - 1);
    return static_cast<double>(off / (1 - off) * reweighted + halfStep * std::abs(d)) +
           0x1p-59 * n * n * heaviest;
  }
};

/// A real number of a matrix.
double realIn(const Matrix& matrix, int i, int j) {
  return toDouble(matrix.row(i)[asSize(j)]);
}

void expectRealRight(const Device& device, const Solver& solver, const Graph& graph,
                     const Options& options, const std::string& what) {
  RealDistances right(graph);
  const ProblemGraph problem(copyOf(graph));
  const auto run = solvedTwice(problem, solver, {device, options});
  const Matrix got = toMatrix(run->distances());
  std::size_t wrong = 0;
  for (int i = 0; i < graph.n; ++i)
    for (int j = 0; j < graph.n; ++j) {
      const long double d = right.at(i, j), found = realIn(got, i, j);
      wrong += std::isinf(d) ? found != d : !(std::abs(found - d) <= right.bound(i, j));
    }
  EXPECT_EQ(0u, wrong) << solver.name << " on " << what << ", n = " << graph.n << ", "
                       << nameOf(graph.dtype());
  const Verdict verdict = verifySigned(graph, run->distances(), graph.n);
  EXPECT_TRUE(verdict.passed()) << what;
  EXPECT_NE(std::string::npos, verdict.how.find("±")) << verdict.how;
}

TEST_P(Negative, EverySolverIsRightOnReals) {
  std::mt19937 random(testSeed());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device().kind()) continue;
    for (const int n : {2, 3, 5, 64, 65, 130}) {
      for (const double depth : {0.5, 1e5}) {
        forRealTypes(solver, [&](auto zero) {
          const Graph graph = plantedReals<decltype(zero)>(n, n < 9 ? 1 : 0.2, depth, random);
          expectRealRight(device(), solver, graph, {}, "edges");
          expectRealRight(device(), solver, asMatrix(graph), {}, "a matrix");
        });
      }
    }
  }
}

TEST_P(Negative, EveryMethodIsRightOnReals) {
  std::mt19937 random(testSeed());
  const Solver& apsp = findSolver("apsp", device().kind());
  for (const Method method : {Method::kDense, Method::kFiltered, Method::kSparse}) {
    if (method == Method::kSparse && device().kind() == DeviceKind::kGpu) continue;
    Options options;
    options.method = method;
    for (const int n : {3, 70, 250}) {
      forRealTypes(apsp, [&](auto zero) {
        const Graph graph = plantedReals<decltype(zero)>(n, n > 100 ? 0.02 : 0.5, 30, random);
        expectRealRight(device(), apsp, graph, options, nameOf(method) + ", edges");
        expectRealRight(device(), apsp, asMatrix(graph), options, nameOf(method) + ", a matrix");
      });
    }
  }
}

/// A graph of reals whose weights are those of whole numbers, times a power of two.
template <class T>
Graph realsOf(const Graph& whole, double unit) {
  Edges<T> edges;
  for (const Edge<int>& e : whole.edges<int>())
    edges.push_back({e.from, e.to, static_cast<T>(e.weight * unit)});
  return fromEdges(whole.n, std::move(edges));
}

/// All sums are exact, so distances are, too. There are many cycles of length 0.
TEST_P(Negative, RealsOnAGridAreExact) {
  std::mt19937 random(testSeed());
  const Solver& apsp = findSolver("apsp", device().kind());
  for (int tried = 0; tried < 20; ++tried) {
    const int n = 2 + static_cast<int>(random() % 50);
    const Graph whole = planted(n, 0.3, true, random);
    forRealTypes(apsp, [&](auto zero) {
      using T = decltype(zero);
      // The units of float64 can be far below those of float32, and far above.
      const double units[] = {0x1p-8, sizeof(T) == 8 ? 0x1p-1060 : 0x1p-20,
                              sizeof(T) == 8 ? 0x1p1000 : 0x1p100};
      const Graph graph = realsOf<T>(whole, units[tried % 3]);
      RealDistances right(graph);
      const ProblemGraph problem(tried % 2 ? copyOf(graph) : asMatrix(graph));
      const auto run = withNegativeWeights(apsp).prepare({problem}, {device()});
      run->reset();
      run->solve();
      const Matrix got = toMatrix(run->distances());
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double found = realIn(got, i, j);
          ASSERT_EQ(right.at(i, j), found) << i << " " << j << " " << nameOf(kDtype<T>);
          ASSERT_FALSE(std::signbit(found) && right.at(i, j) == 0) << "-0";
        }
    });
  }
}

/// All vertices but one have potentials near −10⁶, where neighbouring floats are 1/16 apart.
TEST_P(Negative, DeepPotentialsDoNotBlurShortDistances) {
  std::mt19937 random(testSeed());
  const int n = 40;
  Edges<float> edges = {{0, 1, -1e6f}};
  for (int i = 1; i < n; ++i) {
    edges.push_back({i, i % (n - 1) + 1, 0.7f});
    for (int k = 0; k < 3; ++k)
      edges.push_back({i, 1 + static_cast<int>(random() % (n - 1)),
                       std::uniform_real_distribution<float>(0, 1)(random)});
  }
  const Graph graph = fromEdges(n, std::move(edges));
  RealDistances right(graph);
  for (const Method method : {Method::kDense, Method::kFiltered}) {
    Options options;
    options.method = method;
    const ProblemGraph problem(copyOf(graph));
    const auto run = withNegativeWeights(findSolver("apsp", device().kind()))
                         .prepare({problem}, {device(), options});
    run->reset();
    const Call call = run->solve();
    EXPECT_GT(-9e5, call.outcome.reweighting.least);
    const Matrix got = toMatrix(run->distances());
    for (int i = 1; i < n; ++i)
      for (int j = 1; j < n; ++j)
        EXPECT_NEAR(static_cast<double>(right.at(i, j)), realIn(got, i, j), 2e-5);
  }
}

/// Weights from 2⁻⁴⁰ to 2⁴⁰ along edges that lead to larger numbers only: there is no cycle.
TEST_P(Negative, WeightsOfVeryDifferentSizes) {
  std::mt19937 random(testSeed());
  const int n = 30;
  const Solver& apsp = findSolver("apsp", device().kind());
  forRealTypes(apsp, [&](auto zero) {
    using T = decltype(zero);
    Edges<T> edges;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        const double size =
            std::ldexp(1 + random() % 1000 / 1000.0, static_cast<int>(random() % 81) - 40);
        if (random() % 3 == 0) edges.push_back({i, j, static_cast<T>(random() % 2 ? size : -size)});
      }
    const Graph graph = fromEdges(n, std::move(edges));
    expectRealRight(device(), apsp, graph, {}, "edges");
    expectRealRight(device(), apsp, asMatrix(graph), {}, "a matrix");
  });
}

/// The cycle that is found, or none.
std::vector<AnyEdge> cycleOf(const Graph& graph) {
  try {
    realPotentialsOf(graph);
  } catch (const NegativeCycle& found) {
    EXPECT_TRUE(isNegativeCycle(graph, found.cycle)) << found.what();
    return found.cycle;
  }
  return {};
}

/// The weights have few enough bits that long doubles add them exactly.
template <class T>
void expectCyclesFound() {
  std::mt19937 random(testSeed());
  int cycles = 0;
  constexpr int kGraphs = 200;
  for (int k = 0; k < kGraphs; ++k) {
    const Graph whole = planted(2 + static_cast<int>(random() % 30), 0.3, true, random);
    Graph graph = realsOf<T>(whole, 1.0 / 1024);
    // Cycles of length 0 are many; now some edges may be a bit shorter, or a bit longer: of float
    // by its last bit.
    const T bit = sizeof(T) == 4 ? 0x1p-23 : 0x1p-40;
    for (Edge<T>& e : graph.edges<T>()) {
      if (random() % 40 != 0) continue;
      const T step = e.weight != 0 ? std::ldexp(bit, std::ilogb(e.weight)) : T{0x1p-20};
      e.weight += k % 2 ? -step : step;
    }
    const bool expected = RealDistances(graph).hasCycle();
    cycles += expected;
    EXPECT_EQ(expected, !cycleOf(k % 3 ? copyOf(graph) : asMatrix(graph)).empty());
  }
  EXPECT_LT(kGraphs / 10, cycles);
  EXPECT_GT(kGraphs - kGraphs / 10, cycles);
}

TEST(RealCycles, AreFoundIfAndOnlyIfTheExactSumIsNegative) {
  expectCyclesFound<float>();
  expectCyclesFound<double>();
}

template <class T>
void expectCyclesBelowTheUnitLeftOut() {
  const auto ring = [](int exponent) {
    return fromEdges<T>(3,
                        {{0, 1, -1}, {1, 2, 1}, {2, 0, static_cast<T>(-std::ldexp(1, exponent))}});
  };
  EXPECT_EQ(3u, cycleOf(ring(-55)).size());  // 9·2⁻⁵⁹ is less
  const Graph graph = ring(-100);
  EXPECT_TRUE(cycleOf(graph).empty());
  const RealPotentials found = realPotentialsOf(graph);
  EXPECT_EQ(-1, found.of[1]);
  EXPECT_GE(2, found.passes);
  const Graph shifted = reweighted(graph, found.of);
  for (const Edge<T>& e : shifted.edges<T>()) EXPECT_LE(0, e.weight);
}

TEST(RealCycles, BelowTheUnitCountAsCyclesOfSumZero) {
  expectCyclesBelowTheUnitLeftOut<float>();
  expectCyclesBelowTheUnitLeftOut<double>();
}

template <class T>
void expectRingsFound(const std::vector<T>& weights) {
  for (const T weight : weights) {
    Edges<T> edges;
    for (int v = 0; v < 300; ++v) edges.push_back({v, v == 0 ? 299 : v - 1, v == 7 ? weight : 0});
    const Graph graph = fromEdges(300, std::move(edges));
    EXPECT_EQ(300u, cycleOf(graph).size()) << weight;
    EXPECT_EQ(300u, cycleOf(asMatrix(graph)).size()) << weight;
  }
  // All negative: sums fall fast, and 64 bits must not overflow.
  for (const int n : {2, 3, 200, 1500}) {
    Edges<T> edges;
    for (int i = 0; i < n; ++i)
      for (int j : {(i + 1) % n, (i * 7 + 3) % n})
        if (j != i) edges.push_back({i, j, static_cast<T>(-1.9999)});
    EXPECT_FALSE(cycleOf(fromEdges(n, std::move(edges))).empty()) << n;
  }
}

TEST(RealCycles, ALongOneAndAHeavyOneAreFound) {
  expectRingsFound<float>({-1e-30f, -1.0f, -3e38f, -std::numeric_limits<float>::denorm_min()});
  expectRingsFound<double>({-1e-30, -1.0, -1.7e308, -std::numeric_limits<double>::denorm_min()});
}

/// All negative, and as large as they may be: sums in 64 bits would overflow at once.
TEST(WholeCycles, OfTheLargestWeightsAreFound) {
  for (const int n : {2, 3, 200, 1500}) {
    Edges<std::int64_t> edges;
    for (int i = 0; i < n; ++i)
      for (int j : {(i + 1) % n, (i * 7 + 3) % n})
        if (j != i) edges.push_back({i, j, 1 - kInfinity<std::int64_t>});
    const Graph graph = fromEdges(n, std::move(edges));
    for (const bool dense : {false, true}) {
      const Graph one = dense ? asMatrix(graph) : copyOf(graph);
      try {
        potentialsOf(one);
        ADD_FAILURE() << "no cycle found, n = " << n;
      } catch (const NegativeCycle& found) {
        EXPECT_TRUE(isNegativeCycle(one, found.cycle)) << found.what();
      }
    }
  }
}

/// A path whose length only 128 bits hold is no cycle.
TEST(WholeCycles, ALongPathIsNone) {
  constexpr std::int64_t kLeast = 1 - kInfinity<std::int64_t>;
  Edges<std::int64_t> edges;
  for (int v = 0; v + 1 < 20; ++v) edges.push_back({v, v + 1, kLeast});
  try {
    potentialsOf(fromEdges(20, std::move(edges)));
    ADD_FAILURE() << "not refused";
  } catch (const NegativeCycle& found) {
    ADD_FAILURE() << found.what();
  } catch (const Error& error) {
    const std::string why = error.what();
    EXPECT_EQ(ErrorCode::kInput, error.code);
    // 19 · (2 − 2⁶²)
    EXPECT_NE(std::string::npos, why.find("vertex 19 has the length -87622034350120370138")) << why;
    EXPECT_NE(std::string::npos, why.find("-4611686018427387902..4611686018427387902")) << why;
  }
}

template <class T>
std::string cycleText(double back) {
  const std::vector<AnyEdge> cycle = {
      {0, 1, static_cast<T>(0.1)}, {1, 2, static_cast<T>(0.2)}, {2, 0, static_cast<T>(back)}};
  return negativeCycleText(cycle, shortNames(""));
}

TEST(RealCycles, TheMessageSaysIfRoundingMayBeTheCause) {
  const std::string text = cycleText<float>(-0.3);
  EXPECT_NE(std::string::npos, text.find("0 -> 1 (0.1) -> 2 (0.2) -> 0 (-0.3), sum -7.45058e-09"));
  EXPECT_NE(std::string::npos, text.find("rounding the weights"));
  for (const std::string& other : {cycleText<float>(-0.4), cycleText<double>(-0.3000001)})
    EXPECT_NE(std::string::npos, other.find("correct the weights")) << other;
  const std::string wide = cycleText<double>(-0.30000000000000004);
  EXPECT_NE(std::string::npos, wide.find("rounding the weights")) << wide;
}

// ---- the range --------------------------------------------------------------------------------

/// Solves and checks the range as a session does, and returns the distances, if all are asked for.
Matrix inSession(Graph graph, const Selection& asked = {}) {
  ProblemGraph problem(std::move(graph));
  MeasureOptions plan;
  plan.warmup = 0;
  plan.reps = 1;
  if (!asked.all()) plan.wanted = std::make_shared<Selection>(asked);
  Session session(problem, cpuDevice, plan, {});
  const VerifyOptions verify = withNegativeWeights(VerifyOptions{VerifyOptions::Oracle::kRef});
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
    EXPECT_EQ(ErrorCode::kInput, error.code);
    return error.what();
  }
  return "";
}

template <class T>
void expectTheRange() {
  constexpr T kNo = kInfinity<T>, half = (kNo - 1) / 2;
  for (const bool dense : {false, true}) {
    const auto as = [&](Edges<T> edges) {
      Graph graph = fromEdges(4, std::move(edges));
      return dense ? asMatrix(graph) : std::move(graph);
    };
    const Matrix low = inSession(as({{0, 1, -half}, {1, 2, half - kNo + 1}}));
    EXPECT_EQ(1 - kNo, low.row<T>(0)[2]);
    const Matrix high = inSession(as({{0, 1, half}, {1, 2, kNo - 1 - half}}));
    EXPECT_EQ(kNo - 1, high.row<T>(0)[2]);
    EXPECT_EQ(kNo, high.row<T>(2)[0]);
    EXPECT_NE("", refusal(as({{0, 1, -half - 1}, {1, 2, half - kNo + 1}})));
    EXPECT_NE("", refusal(as({{0, 1, half}, {1, 2, kNo - half}, {3, 2, -9}})));
  }
}

TEST(NegativeRange, TheLeastAndTheLargestDistanceAreKept) {
  expectTheRange<std::int32_t>();
  expectTheRange<std::int64_t>();
}

/// Potential: T, or a wider type.
template <class T, class Potential>
void expectShiftsToStop() {
  constexpr T kNo = kInfinity<T>;
  constexpr Potential kWide = kNo;
  EXPECT_EQ(kNo, reweighted<T>(kNo - 5, Potential{0}, 1 - kWide));
  EXPECT_EQ(kNo, reweighted<T>(kNo, Potential{-7}, Potential{0}));
  EXPECT_EQ(kNo, shiftedBack<T>(kNo - 5, 1 - kWide, Potential{0}));
  EXPECT_EQ(1 - kNo, shiftedBack<T>(0, Potential{0}, 1 - kWide));
  EXPECT_EQ(3, reweighted<T>(1 - kNo, Potential{0}, -kWide - 2));
}

TEST(NegativeRange, ShiftsStopAtInfinity) {
  expectShiftsToStop<std::int32_t, std::int32_t>();
  expectShiftsToStop<std::int32_t, std::int64_t>();
  expectShiftsToStop<std::int64_t, std::int64_t>();
}

template <class T>
void expectPushedOutRefused() {
  // No weight and no distance is large, but the edge from 0 becomes so.
  const T half = kInfinity<T> / 2;
  for (const bool dense : {false, true}) {
    Graph graph = fromEdges<T>(4, {{0, 2, half - 100}, {3, 2, -half - 200}});
    EXPECT_NE("", refusal(dense ? asMatrix(graph) : std::move(graph)));
  }
  // d'(0,2) is infinity or more: vertex 2 has a low potential, because of the edge from 3.
  const T heavy = half + 5;
  const std::string why = refusal(fromEdges<T>(4, {{0, 1, heavy}, {1, 2, 3}, {3, 2, -heavy}}));
  EXPECT_NE(std::string::npos, why.find("scale them down")) << why;
}

TEST(NegativeRange, DistancesThatPotentialsPushOutOfTheRangeAreRefused) {
  expectPushedOutRefused<std::int32_t>();
  expectPushedOutRefused<std::int64_t>();
}

TEST(NegativeRange, ATableDoesNotHideThatPotentialsPushADistanceOut) {
  // d(0,2) = 3 + tenth·3, and h(2) = −9 tenths because of the path from 3, which the row of 0 has
  // not.
  const int tenth = kInf / 10;
  const Edges<int> edges = {{0, 1, 3 * tenth}, {1, 2, 3}, {3, 4, -4 * tenth}, {4, 2, -5 * tenth}};
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
int solvesToDecide(int n, const Edges<int>& edges, const Selection& asked = {}) {
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
  checkRange(solver, problem, {cpuDevice}, graph.statistics(cpuDevice), found, output,
             pairsOf(found) - output.edges, call.outcome.reweighting.least);
  return solves;
}

TEST(NegativeRange, WeightsAndPotentialsDecideBeforeSolving) {
  // h(1) = −low, the heaviest weight is 100, and a path has at most 2 edges.
  const auto edges = [](int low) { return Edges<int>{{0, 1, 100}, {2, 1, -low}}; };
  const Selection asked = {{0, 1}, {1, 2}};
  EXPECT_EQ(0, solvesToDecide(3, edges(kInf - 201)));
  EXPECT_EQ(1, solvesToDecide(3, edges(kInf - 200)));
  EXPECT_EQ(0, solvesToDecide(3, edges(kInf - 201), asked));
  EXPECT_EQ(1, solvesToDecide(3, edges(kInf - 200), asked));
  // Of a table of whole rows and of all distances, the largest one found decides, too.
  const auto chain = [](int low) {
    return Edges<int>{{0, 1, 100}, {1, 2, -100}, {2, 3, 1}, {4, 3, -low}};
  };
  EXPECT_EQ(0, solvesToDecide(5, chain(kInf - 201)));
  EXPECT_EQ(0, solvesToDecide(5, chain(kInf - 201), {{0, 2}, {}}));
  EXPECT_EQ(1, solvesToDecide(5, chain(kInf - 200)));
  EXPECT_EQ(1, solvesToDecide(5, chain(kInf - 201), {{0, 2}, {3, 4}}));
  // Without a weight above 0, only the least distance matters.
  EXPECT_EQ(0, solvesToDecide(3, {{0, 1, 1 - kInf}, {2, 1, -5}}));
}

template <class T>
void expectRealRange(T large, const std::string& twice) {
  const auto graph = [](T one, T other) { return fromEdges<T>(3, {{0, 1, one}, {1, 2, other}}); };
  const std::string low = refusal(graph(-large, -large));
  EXPECT_NE(std::string::npos, low.find("vertex 2 has the length " + twice)) << low;
  EXPECT_NE(std::string::npos, refusal(graph(large, large)).find("scale them down"));
  EXPECT_EQ("", refusal(graph(-large / 3, -large / 3 * 2)));
  EXPECT_EQ("", refusal(graph(large, -large)));
}

TEST(NegativeRange, RealDistancesThatTheTypeDoesNotHoldAreRefused) {
  expectRealRange<float>(3e38f, "-6e+38, and distances lie in -3.4e+38..3.4e+38");
  expectRealRange<double>(1e308, "-2e+308, and distances lie in -1.8e+308..1.8e+308");
}

// ---- the check of distances ---------------------------------------------------------------------

/// A random graph with negative weights, held as a matrix or as edges.
Graph plantedAs(bool dense, int n, std::mt19937& random) {
  Graph edges = planted(n, 0.15, true, random);
  return dense ? asMatrix(edges) : std::move(edges);
}

/// The distances of a graph, (n, n).
std::vector<int> rightDistances(const Graph& graph) {
  const std::vector<std::int64_t> right = floyd(matrixOf(graph));
  std::vector<int> distances(right.size());
  std::transform(right.begin(), right.end(), distances.begin(), distanceAs<int>);
  return distances;
}

TEST(SignedCheck, FindsASinglePlantedFaultWhereverItIs) {
  std::mt19937 random(testSeed());
  const int n = 40;
  for (const bool dense : {false, true}) {
    const Graph graph = plantedAs(dense, n, random);
    std::vector<int> all = rightDistances(graph);
    EXPECT_TRUE(verifySigned(graph, HostDistances(n, all), n).passed());
    for (int tried = 0; tried < 200; ++tried) {
      const std::size_t at = random() % all.size();
      for (const int wrong : {all[at] - 1, all[at] + 1, kInf, 0, -kInf}) {
        if (wrong == all[at]) continue;
        const int kept = std::exchange(all[at], wrong);
        const Verdict verdict = verifySigned(graph, HostDistances(n, all), n);
        EXPECT_EQ(1u, verdict.mismatch.count) << at << " " << wrong;
        EXPECT_EQ(Number(kept), verdict.mismatch.expected);
        all[at] = kept;
      }
    }
  }
}

TEST(SignedCheck, FindsAPlantedFaultInATable) {
  std::mt19937 random(testSeed());
  const int n = 40;
  for (const bool dense : {false, true}) {
    const Graph graph = plantedAs(dense, n, random);
    std::vector<int> distances = rightDistances(graph);
    for (int tried = 0; tried < 60; ++tried) {
      Selection asked;
      if (tried % 3 != 0) asked.sources = {3, 39, static_cast<int>(random() % n), 0};
      if (tried % 3 != 1) asked.targets = {17, 2, static_cast<int>(random() % n)};
      const int row = static_cast<int>(random() % static_cast<unsigned>(asked.rows(n)));
      const int column = static_cast<int>(random() % static_cast<unsigned>(asked.columns(n)));
      const int i = asked.source(row), j = asked.target(column);
      int& distance = distances[static_cast<std::size_t>(i) * n + j];
      for (const int wrong : {distance - 1, distance == kInf ? 5 : distance + 1, kInf - 1}) {
        const int kept = std::exchange(distance, wrong);
        const HostDistances all(n, distances);
        const Verdict verdict = verifySigned(graph, PickedDistances(all, asked), n);
        EXPECT_LE(1u, verdict.mismatch.count);  // more if a row or a column comes up twice
        EXPECT_EQ(i, verdict.mismatch.i);
        EXPECT_EQ(j, verdict.mismatch.j);
        EXPECT_EQ(Number(kept), verdict.mismatch.expected);
        distance = kept;
      }
    }
  }
}

template <class T>
void expectRealsCompared() {
  std::mt19937 random(testSeed());
  const int n = 40;
  for (const bool dense : {false, true}) {
    const Graph edges = plantedReals<T>(n, 0.15, 1000, random);
    const Graph graph = dense ? asMatrix(edges) : copyOf(edges);
    RealDistances right(graph);
    const SignedTolerance allowed(graph, 1);
    std::vector<T> all;
    for (const long double d : right.all) all.push_back(static_cast<T>(d));
    const auto verdict = [&] { return verifySigned(graph, HostDistances(n, all), n); };
    EXPECT_TRUE(verdict().passed());
    for (int tried = 0; tried < 100; ++tried) {
      const int i = static_cast<int>(random() % n), j = static_cast<int>(random() % n);
      T& distance = all[static_cast<std::size_t>(i) * n + j];
      const T kept = distance;
      for (const T other :
           {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
        distance = other;
        EXPECT_EQ(other == kept ? 0u : 1u, verdict().mismatch.count);
      }
      const long double d = right.at(i, j);
      if (!std::isinf(d) && i != j) {
        const double bound = allowed(i, j, static_cast<double>(d));
        EXPECT_NEAR(right.bound(i, j), bound, 1e-4 * bound + 1e-10);
        for (const double times : {-3.0, -0.7, 0.7, 3.0}) {
          distance = static_cast<T>(d + times * static_cast<long double>(bound));
          const bool far = std::abs(distance - d) > bound;
          EXPECT_EQ(far ? 1u : 0u, verdict().mismatch.count) << d << " " << bound;
          EXPECT_TRUE(far || std::abs(times) < 1);
        }
      }
      distance = kept;
    }
  }
}

TEST(SignedCheck, ComparesRealsWithinTheTolerance) {
  expectRealsCompared<float>();
  expectRealsCompared<double>();
}

/// Whole rows that pretend to be a table.
class WrongColumns : public Distances {
 public:
  WrongColumns(int n, const std::vector<int>& all, const Selection& asked)
      : Distances(n, Dtype::kInt32, &asked), all_(all) {}
  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, all_.data() + static_cast<std::size_t>(begin) * n());
  }

 private:
  const std::vector<int>& all_;
};

TEST(SignedCheck, KnowsTheOrderOfTheColumns) {
  const Graph graph = fromEdges<int>(3, {{0, 1, 5}, {1, 2, -3}, {2, 1, 3}});
  const std::vector<int> distances = {0, 5, 2, kInf, 0, -3, kInf, 3, 0};
  const Selection asked = {{}, {0, 2, 1}};
  const HostDistances all(3, distances);
  EXPECT_TRUE(verifySigned(graph, PickedDistances(all, asked), 3).passed());
  EXPECT_EQ(6u, verifySigned(graph, WrongColumns(3, distances, asked), 3).mismatch.count);
}

TEST(SignedCheck, VerticesOfACycleOfLengthZeroDoNotSupportEachOther) {
  // 1 and 2 are a cycle of length 0. Both a little too near: every edge still is tight or slack.
  const Graph graph = fromEdges<int>(3, {{0, 1, 5}, {1, 2, -3}, {2, 1, 3}});
  std::vector<int> all = {0, 5, 2, kInf, 0, -3, kInf, 3, 0};
  EXPECT_TRUE(verifySigned(graph, HostDistances(3, all), 3).passed());
  all[1] = 4, all[2] = 1;
  EXPECT_EQ(2u, verifySigned(graph, HostDistances(3, all), 3).mismatch.count);
}

// ---- files
// ----------------------------------------------------------------------------------------

TEST(NegativeFiles, EveryFormatKeepsThem) {
  const TempDir dir;
  std::mt19937 random(3);
  const Graph graph = planted(9, 0.6, false, random);
  Edges<int> edges = graph.edges<int>();
  edges[0].weight = -1;
  edges[1].weight = 1 - kInf;
  const Graph withMinusOne = fromEdges(9, edges);
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
    EXPECT_EQ(Number(1 - kInf), graphStats(read).minWeight) << format;
    options.negative = false;
    EXPECT_THROW(readGraph(path, options), Error) << format;
  }
}

TEST(NegativeFiles, MinusOneInAMatrixIsAWeight) {
  const TempDir dir;
  writeBytes(dir / "g.mtx", "%%MatrixMarket matrix array integer general\n2 2\n0\n-1\n-1\n0\n");
  ReadOptions options;
  EXPECT_EQ(0u, graphStats(readGraph(dir / "g.mtx", options)).edges);
  EXPECT_EQ(2u, readGraph(dir / "g.mtx", options).report.minusOnes);
  options.negative = true;
  const FileGraph graph = readGraph(dir / "g.mtx", options);
  EXPECT_EQ(2u, graphStats(graph).edges);
  EXPECT_EQ(-1, graph.matrix().row<int>(0)[1]);
  EXPECT_EQ(0u, graph.report.minusOnes);
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
  const Graph graph = fromEdges<float>(3, {{0, 1, -1.5f}, {1, 2, -1}, {2, 0, 0.1f}, {0, 2, 7}});
  for (const std::string& format : writableFormats()) {
    const std::string path = dir / ("g." + format);
    try {
      OutputFile out(path);
      writeGraph(out, graph, format);
    } catch (const Error& error) {
      EXPECT_EQ(ErrorCode::kUsage, error.code);  // a format of integers
      continue;
    }
    ReadOptions options;
    options.format = format;
    options.zero = format == "npy" ? Zero::kEdge : Zero::kUnclear;
    options.negative = true;
    const bool binary = format == "npy" || format == "npz";
    EXPECT_EQ(binary ? Dtype::kFloat32 : Dtype::kFloat64, readGraph(path, options).dtype())
        << format;
    options.dtype = Dtype::kFloat32;
    const Graph read = readGraph(path, options);
    EXPECT_EQ(Dtype::kFloat32, read.dtype()) << format;
    EXPECT_EQ(graphStats(graph).hash, graphStats(read).hash) << format;
    options.dtype = Dtype::kInt32;
    EXPECT_THROW(readGraph(path, options), Error) << format;
    options = {format};
    EXPECT_THROW(readGraph(path, options), Error) << format;
  }
}

TEST(NegativeFiles, OfParallelRealEdgesTheLightestCounts) {
  const Edges<double> edges = {{0, 1, -1}, {0, 1, -2.5}, {0, 1, 3},
                               {1, 1, -1}, {1, 1, -4},   {1, 0, -2}};
  Dropped dropped;
  Graph graph = fromEdges(2, edges, &dropped);
  EXPECT_EQ(-2.5, graph.edges<double>()[0].weight);
  EXPECT_EQ(Number(-4.0), dropped.negativeLoop->weight);
  std::vector<double> matrix(4);
  writeMatrix(2, Edges<double>(edges.begin(), edges.begin() + 3), matrix.data());
  EXPECT_EQ(-2.5, matrix[1]);
  Graph dense;
  dense.n = 2;
  dense.body = toMatrix(fromEdges(2, edges));
  addReverses(graph);
  addReverses(dense);
  EXPECT_EQ(-2.5, graph.edges<double>()[1].weight);
  EXPECT_EQ(-2.5, dense.matrix().row<double>(1)[0]);
}

// ---- paths and summaries
// --------------------------------------------------------------------------

TEST(NegativePaths, HaveTheLengthOfTheDistance) {
  std::mt19937 random(testSeed());
  for (const bool dense : {false, true}) {
    const Graph sparse = planted(30, 0.15, true, random);
    const Graph graph = dense ? asMatrix(sparse) : copyOf(sparse);
    const std::vector<std::int64_t> right = floyd(matrixOf(graph));
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
        EXPECT_EQ(Number(expected), lengthOf(*path, Dtype::kInt32));
        EXPECT_EQ(from, path->vertices.front());
        EXPECT_EQ(to, path->vertices.back());
      }
    }
  }
}

TEST(NegativePaths, OfRealsHaveTheLengthOfTheDistance) {
  std::mt19937 random(testSeed());
  for (const bool dense : {false, true}) {
    const Graph sparse = plantedReals(30, 0.15, 1000, random);
    const Graph graph = dense ? asMatrix(sparse) : copyOf(sparse);
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
          // Each edge of the path may miss the distances by as much as is allowed.
          const auto edges = static_cast<double>(path->vertices.size());
          EXPECT_NEAR(expected, toDouble(lengthOf(*path, Dtype::kFloat32)),
                      allowed(from, to, expected) * edges);
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

template <class T>
void expectRealSummaries() {
  const T none = kInfinity<T>;
  const std::vector<T> some = {0, -5, -2.5, none, 0, -7, none, -8, 0};
  const Summary summary = summaryOf(HostDistances(3, some));
  EXPECT_EQ(Number(T(-2.5)), summary.vertices[0].eccentricity);
  EXPECT_EQ(Number(T(-2.5)), summary.diameter());
  EXPECT_EQ(Number(T(-2.5)), summary.radius());
  const std::vector<T> all = {0, -5, -2, 0};
  EXPECT_EQ(Number(T(-5)), summaryOf(HostDistances(2, all)).radius());
  EXPECT_EQ(Number(T(-2)), summaryOf(HostDistances(2, all)).diameter());
}

TEST(NegativePaths, SummariesKnowNegativeReals) {
  expectRealSummaries<float>();
  expectRealSummaries<double>();
}

template <class T>
void expectSummaries() {
  const T none = kInfinity<T>, one = kScale<T>;
  const std::vector<T> all = {0, -5 * one, -2 * one, none, 0, 3 * one, none, none, 0};
  const Summary summary = summaryOf(HostDistances(3, all));
  EXPECT_EQ(Number(-2 * one), summary.vertices[0].eccentricity);
  EXPECT_EQ(Number(3 * one), summary.vertices[1].eccentricity);
  EXPECT_EQ(Number(0 * one), summary.vertices[2].eccentricity);
  EXPECT_EQ(Number(3 * one), summary.diameter());
  EXPECT_EQ(Number(-2 * one), summary.radius());
}

TEST(NegativePaths, SummariesKnowNegativeDistances) {
  expectSummaries<std::int32_t>();
  expectSummaries<std::int64_t>();
}

}  // namespace
