// Every solver of the table with every type that it takes, bit for bit against the plain loop on
// the host (of reals where they add up exactly) and against Dijkstra, which share no code with it,
// on inputs meant to break it. A new row of the table is tested by being there.
#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>

#include "apsp.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "generate/families.h"
#include "generate/source.h"
#include "ladder/kernels.h"
#include "ladder/ladder.h"
#include "seed.h"
#include "solver/solver.h"
#include "verify/verify.h"

namespace {

using Kernels = OnDevice;
ON_EVERY_DEVICE(Kernels);

/// Around the tiles of 16, 32, 64 and 128 that kernels use; 300 is several of each and no multiple.
const int kSizes[] = {1,  2,   3,   4,   5,   31,  32,  33,  63,  64,  65,
                      66, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300};

/// The distances of a graph in host memory, by a solver. Checks that nothing around the matrix is
/// written.
template <class T>
std::vector<T> solved(const Device& device, const Solver& solver, int n,
                      const std::vector<T>& graph) {
  constexpr std::size_t kGuard = 1024;
  std::vector<T> host(kGuard, -77);
  host.insert(host.end(), graph.begin(), graph.end());
  host.insert(host.end(), kGuard, -77);
  const DeviceElements memory(device, kDtype<T>, host.size());
  upload(device, memory.data(), host);
  callOn(device, solver, n, memory.data() + kGuard);
  download(device, host.data(), memory.data(), host.size());
  EXPECT_EQ(std::vector<T>(kGuard, -77), std::vector<T>(host.begin(), host.begin() + kGuard))
      << "before";
  EXPECT_EQ(std::vector<T>(kGuard, -77), std::vector<T>(host.end() - kGuard, host.end()))
      << "after";
  return {host.begin() + kGuard, host.end() - kGuard};
}

/// Runs every kernel of the device that takes the type on the graph and compares all of its
/// distances with the plain loop's.
template <class T>
void expectRightAs(const Device& device, int n, const std::vector<T>& graph,
                   const std::string& what) {
  std::vector<T> expected = graph;
  apspScalar(n, expected.data());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device.kind() || !takes(solver, kDtype<T>)) continue;
    const std::vector<T> got = solved(device, solver, n, graph);
    const Mismatch m = cpuDevice.compare(n, got.data(), expected.data(), 0);
    EXPECT_EQ(0u, m.count) << solver.name << " on " << what << " as " << nameOf(kDtype<T>)
                           << ": first at (" << m.i << ", " << m.j << "), expected "
                           << textOf(m.expected) << ", got " << textOf(m.got);
  }
}

/// The same with each type of weights. Floats add up exactly below 2²⁴.
void expectRight(const Device& device, int n, const std::vector<int>& graph,
                 const std::string& what) {
  for (const Dtype dtype : kDtypes) {
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      std::vector<T> weights(graph.size());
      std::transform(graph.begin(), graph.end(), weights.begin(), convertedTo<T, int>);
      expectRightAs(device, n, weights, what);
    });
  }
}

std::vector<int> hostGraph(const Spec& spec) {
  std::vector<int> graph(static_cast<std::size_t>(spec.n) * static_cast<std::size_t>(spec.n));
  generateInto(spec, graph.data());
  return graph;
}

/// On a GPU, by default, each family at one size of three, chosen by the seed.
TEST_P(Kernels, EveryFamilyAtEveryTileEdge) {
  const std::uint64_t seed = testSeed();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    int turn = family;
    for (const int n : kSizes) {
      if (!takes(++turn, 3)) continue;
      const Spec spec = specOf(family, n, seed, n % 2 == 0);
      expectRight(device(), n, hostGraph(spec), describe(spec));
    }
  }
}

TEST_P(Kernels, WeightsNearInfinityNeverOverflow) {
  std::mt19937 random(testSeed());
  for (const int n : {33, 65, 130}) {
    std::vector<int> graph(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int& weight : graph)
      weight = random() % 3 == 0 ? kInf : kInf - 1 - static_cast<int>(random() % 3);
    for (int i = 0; i < n; ++i)
      graph[static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 1)] = 0;
    expectRight(device(), n, graph, "weights near kInf, n = " + std::to_string(n));
  }
}

/// 32 bits hold none of these weights, nor 53 bits the last ones. Of two weights near 2⁶¹, the sum
/// may reach infinity.
TEST_P(Kernels, LongWeightsAreExact) {
  constexpr std::int64_t kInfinite = kInfinity<std::int64_t>;
  std::mt19937_64 random(testSeed());
  const auto graphOf = [&](int n, std::int64_t low, std::uint64_t range, unsigned missing) {
    std::vector<std::int64_t> graph(asSize(n) * asSize(n));
    for (std::int64_t& weight : graph)
      weight =
          random() % 10 < missing ? kInfinite : low + static_cast<std::int64_t>(random() % range);
    for (int i = 0; i < n; ++i) graph[asSize(i) * asSize(n + 1)] = 0;
    return graph;
  };
  for (const int n : {1, 2, 3, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 130}) {
    const std::string at = ", n = " + std::to_string(n);
    expectRightAs(device(), n, graphOf(n, 1, std::uint64_t{1} << 40, 0), "weights to 2^40" + at);
    expectRightAs(device(), n, graphOf(n, std::int64_t{1} << 40, 3, 8), "weights of 2^40" + at);
    expectRightAs(device(), n, graphOf(n, 0, std::uint64_t{1} << 61, 7), "weights to 2^61" + at);
    const std::int64_t half = std::int64_t{1} << 61;
    expectRightAs(device(), n, graphOf(n, half - 3, 6, 8), "weights of 2^61" + at);
    expectRightAs(device(), n, graphOf(n, kInfinite - 3, 3, 3), "weights near infinity" + at);
  }
}

TEST_P(Kernels, ShortPathsRunBackwardsThroughThePivotTile) {
  // n−1 → n−2 → … → 0 at weight 1: a pivot tile that is squared instead of closed fails here.
  for (const int n : {40, 64, 100, 129}) {
    std::vector<int> graph(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 100000);
    for (int i = 0; i < n; ++i) {
      graph[static_cast<std::size_t>(i * n + i)] = 0;
      if (i > 0) graph[static_cast<std::size_t>(i * n + i - 1)] = 1;
    }
    expectRight(device(), n, graph, "chain backwards, n = " + std::to_string(n));
  }
}

TEST_P(Kernels, LargerGraphsMatchDijkstraInWholeRows) {
  for (const char* family : {"course", "permuted-ring", "grid"}) {
    for (const int n : {997, 1000}) {
      const Spec spec = specOf(familyIndex(family), n, 5);
      const std::vector<int> graph = hostGraph(spec);
      std::vector<int> right;  // rows of it are verified
      for (const Solver& solver : kernelTable()) {
        if (solver.device != device().kind()) continue;
        const std::vector<int> got = solved(device(), solver, n, graph);
        if (got == right) continue;
        const Verdict verdict = verified(generate(spec), got, 40);
        EXPECT_TRUE(verdict.passed()) << solver.name << " on " << describe(spec);
        EXPECT_TRUE(right.empty()) << solver.name << " differs from others on " << describe(spec);
        right = got;
      }
    }
  }
}

template <class T>
void expectRealsRight(const Device& device, T scale) {
  std::mt19937 random(testSeed());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device.kind() || !takes(solver, kDtype<T>)) continue;
    for (const int n : {1, 2, 65, 300, 513}) {
      Edges<T> edges;
      for (int k = 0; k < 4 * n; ++k)
        edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n),
                         scale * std::exponential_distribution<T>(1)(random)});
      const Graph graph = fromEdges(n, edges);
      const Matrix matrix = toMatrix(fromEdges(n, edges));
      const T* const weights = matrix.data().template as<T>();
      const std::vector<T> got = solved<T>(device, solver, n, {weights, weights + matrix.size()});
      EXPECT_TRUE(verified(graph, got, n).passed())
          << solver.name << ", n = " << n << ", weights of about " << scale;
    }
  }
}

TEST_P(Kernels, RealWeightsMatchDijkstraInFull) {
  expectRealsRight<float>(device(), 1);
  expectRealsRight<double>(device(), 1);
  expectRealsRight<double>(device(), 1e300);
  expectRealsRight<double>(device(), 1e-310);  // subnormal
}

/// course/ladder_test.cpp solves large graphs of every family with the rungs.
bool isRung(const Solver& solver) {
  for (const Report& report : reports())
    for (const Rung& rung : report.rungs)
      if (solver.name == std::string(rung.name)) return true;
  return false;
}

TEST_P(Kernels, LargeGraphsOfEveryFamilyMatchRefInFull) {
  // Large enough for the schedules that small graphs do not see, around their tiles.
  const bool gpu = device().kind() == DeviceKind::kGpu;
  const std::vector<int> sizes =
      gpu ? std::vector<int>{1701, 1791, 1792, 1793, 2050, 2500} : std::vector<int>{500};
  const std::uint64_t seed = testSeed();
  const Solver& ref = findSolver("ref", device().kind());
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : sizes) {
      const Spec spec = specOf(family, n, seed, n % 2 == 0);
      constexpr Dtype kType = Dtype::kInt32;
      const DeviceMatrix graph(device(), n, kType), expected(device(), n, kType),
          got(device(), n, kType);
      const auto copy = [&](const DeviceMatrix& to) {
        device().copy(to.data().data(), graph.data().data(), graph.bytes());
      };
      generateOn(device(), spec, graph.data());
      copy(expected);
      callOn(device(), ref, n, expected.data());
      for (const Solver& solver : kernelTable()) {
        if (solver.device != device().kind() || &solver == &ref || isRung(solver)) continue;
        copy(got);
        callOn(device(), solver, n, got.data());
        const Mismatch m = device().compare(n, got.data(), expected.data(), 0);
        EXPECT_EQ(0u, m.count) << solver.name << " on " << describe(spec) << ": first at (" << m.i
                               << ", " << m.j << "), expected " << textOf(m.expected) << ", got "
                               << textOf(m.got);
      }
    }
  }
}

/// Solves a graph over and over on the default stream, for a thread.
void solveOften(const Device& device, int n, std::uint64_t seed) {
  const Spec spec = specOf(familyIndex("permuted-ring"), n, seed);
  const std::vector<int> graph = hostGraph(spec);
  std::vector<int> expected = graph;
  apspScalar(n, expected.data());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(expected, solved(device, findSolver("apsp", device.kind()), n, graph))
        << describe(spec) << ", call " << i;
}

TEST_P(Kernels, CallsOfManySizesFollowEachOther) {
  // Around the sizes from and up to which a GPU keeps the matrix in registers.
  for (const int n : {99, 100, 101, 1023, 1024, 1025, 500, 1, 1000, 999, 128, 129})
    solveOften(device(), n, testSeed());
}

TEST_P(Kernels, ThreadsSolveAtTheSameTime) {
  if (device().kind() == DeviceKind::kCpu) GTEST_SKIP() << "the CPU's threads are its own";
  std::vector<std::thread> threads;
  for (const int n : {300, 301, 600, 129})
    threads.emplace_back([this, n, seed = testSeed()] { solveOften(device(), n, seed); });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Kernels, TheTableNamesEachSolverOnce) {
  for (const Solver& a : kernelTable()) {
    for (const Solver& b : kernelTable()) {
      EXPECT_FALSE(&a != &b && a.name == std::string(b.name) && a.device == b.device) << a.name;
    }
  }
}

}  // namespace
