// Every solver of the table, bit for bit against the plain loop on the host (of floats where they
// add up exactly) and against Dijkstra, which share no code with it, on inputs meant to break it. A
// new row of the table is tested by being there.
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
std::vector<int> solved(const Device& device, const Solver& solver, int n,
                        const std::vector<int>& graph, Dtype dtype = Dtype::kInt32) {
  constexpr std::size_t kGuard = 1024;
  std::vector<int> host(kGuard, -77);
  host.insert(host.end(), graph.begin(), graph.end());
  host.insert(host.end(), kGuard, -77);
  int* memory = device.allocate(host.size());
  device.upload(memory, host.data(), host.size());
  callOn(device, solver, n, memory + kGuard, dtype);
  device.download(host.data(), memory, host.size());
  device.release(memory);
  EXPECT_EQ(std::vector<int>(kGuard, -77), std::vector<int>(host.begin(), host.begin() + kGuard))
      << "before";
  EXPECT_EQ(std::vector<int>(kGuard, -77), std::vector<int>(host.end() - kGuard, host.end()))
      << "after";
  return {host.begin() + kGuard, host.end() - kGuard};
}

/// Runs every kernel of the device on the graph and compares all of its distances with the plain
/// loop's. So, too, with its weights as floats, which add up exactly below 2²⁴.
void expectRight(const Device& device, int n, const std::vector<int>& graph,
                 const std::string& what) {
  std::vector<int> expected = graph, floats = graph;
  apspScalar(n, expected.data());
  toFloats(floats.size(), floats.data());
  std::vector<int> expectedFloats = floats;
  apspScalar(n, expectedFloats.data(), Dtype::kFloat32);
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device.kind()) continue;
    const auto check = [&](const std::vector<int>& from, const std::vector<int>& to, Dtype dtype) {
      const std::vector<int> got = solved(device, solver, n, from, dtype);
      const Mismatch m = cpuDevice.compare(n, got.data(), to.data(), dtype, 0);
      EXPECT_EQ(0u, m.count) << solver.name << " on " << what << " as " << nameOf(dtype)
                             << ": first at (" << m.i << ", " << m.j << "), expected "
                             << weightText(m.expected, dtype) << ", got "
                             << weightText(m.got, dtype);
    };
    check(graph, expected, Dtype::kInt32);
    if (solver.can.float32) check(floats, expectedFloats, Dtype::kFloat32);
  }
}

std::vector<int> hostGraph(const Spec& spec) {
  std::vector<int> graph(static_cast<std::size_t>(spec.n) * static_cast<std::size_t>(spec.n));
  generateInto(spec, graph.data());
  return graph;
}

/// On a GPU, by default, each family at one size of three, chosen by the seed.
TEST_P(Kernels, EveryFamilyAtEveryTileEdge) {
  const std::uint64_t seed = std::random_device{}();
  const bool all = device().kind() == DeviceKind::kCpu || wantsAll();
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    unsigned turn = static_cast<unsigned>(seed) + static_cast<unsigned>(family);
    for (const int n : kSizes) {
      if (!all && ++turn % 3 != 0) continue;
      const Spec spec = specOf(family, n, seed, n % 2 == 0);
      expectRight(device(), n, hostGraph(spec), describe(spec));
    }
  }
}

TEST_P(Kernels, WeightsNearInfinityNeverOverflow) {
  std::mt19937 random(std::random_device{}());
  for (const int n : {33, 65, 130}) {
    std::vector<int> graph(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int& weight : graph)
      weight = random() % 3 == 0 ? kInf : kInf - 1 - static_cast<int>(random() % 3);
    for (int i = 0; i < n; ++i)
      graph[static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 1)] = 0;
    expectRight(device(), n, graph, "weights near kInf, n = " + std::to_string(n));
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

TEST_P(Kernels, RealWeightsMatchDijkstraInFull) {
  std::mt19937 random(std::random_device{}());
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device().kind() || !solver.can.float32) continue;
    for (const int n : {1, 2, 65, 300, 513}) {
      std::vector<Edge> edges;
      for (int k = 0; k < 4 * n; ++k) {
        const float weight = std::exponential_distribution<float>(1)(random);
        edges.push_back(
            {static_cast<int>(random() % n), static_cast<int>(random() % n), toWord(weight)});
      }
      const Graph graph = fromEdges(n, edges, Dtype::kFloat32);
      const Matrix matrix = toMatrix(fromEdges(n, edges, Dtype::kFloat32));
      const std::vector<int> got = solved(
          device(), solver, n, {matrix.data(), matrix.data() + matrix.size()}, Dtype::kFloat32);
      EXPECT_TRUE(verified(graph, got, n).passed()) << solver.name << ", n = " << n;
    }
  }
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
  const std::uint64_t seed = std::random_device{}();
  const Solver& ref = findSolver("ref", device().kind());
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : sizes) {
      const Spec spec = specOf(family, n, seed, n % 2 == 0);
      DeviceMatrix graph(device(), n), expected(device(), n), got(device(), n);
      generateOn(device(), spec, graph.data());
      device().copy(expected.data(), graph.data(), graph.size());
      callOn(device(), ref, n, expected.data());
      for (const Solver& solver : kernelTable()) {
        if (solver.device != device().kind() || &solver == &ref || isRung(solver)) continue;
        device().copy(got.data(), graph.data(), graph.size());
        callOn(device(), solver, n, got.data());
        const Mismatch m = device().compare(n, got.data(), expected.data(), Dtype::kInt32, 0);
        EXPECT_EQ(0u, m.count) << solver.name << " on " << describe(spec) << ": first at (" << m.i
                               << ", " << m.j << "), expected " << m.expected << ", got " << m.got;
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
    solveOften(device(), n, std::random_device{}());
}

TEST_P(Kernels, ThreadsSolveAtTheSameTime) {
  if (device().kind() == DeviceKind::kCpu) GTEST_SKIP() << "the CPU's threads are its own";
  std::vector<std::thread> threads;
  for (const int n : {300, 301, 600, 129})
    threads.emplace_back([this, n] { solveOften(device(), n, std::random_device{}()); });
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
