// The blocked CPU solver against the plain triple loop, bit for bit (real weights: within the
// tolerance), on graphs made to break it.
#include "device/simd.h"
#include "solvers/blocked_cpu.h"
#include "solvers/plain_cpu.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "core/dtype.h"
#include "core/error.h"
#include "verify/verify.h"

namespace {

// 64 is the solver's tile, 16 its step within the pivot tile.
constexpr int kSizes[] = {0,  1,  2,   3,   4,   5,   15,  16,  17,  31,  63, 64,
                          65, 96, 126, 127, 128, 129, 130, 191, 200, 257, 500};
const std::vector<std::string> kSimd = {"avx512", "avx2", "portable"};

/// A fresh seed for every run of the program, printed by every failure.
const std::uint32_t kSeed = std::random_device{}();

using Rng = std::mt19937;
using Weight = std::function<int(int n, int from, int to, Rng&)>;

int uniform(Rng& rng, int low, int high) {
  return std::uniform_int_distribution(low, high)(rng);
}

struct Family {
  const char* name;
  Weight weight;  // of each from ≠ to
};

const std::vector<Family> kFamilies = {
    // One shortest path through every vertex: breaks a pivot tile that is squared, not closed.
    {"ring", [](int n, int i, int j, Rng&) { return j == (i + 1) % n ? 1 : 100000; }},
    {"ringBackwards", [](int n, int i, int j, Rng&) { return i == (j + 1) % n ? 1 : 100000; }},
    {"chain", [](int, int i, int j, Rng&) { return j == i + 1 ? 1 : kInf; }},
    // A ring that hops from tile to tile: 37 is prime to every n tested that it does not divide.
    {"hops", [](int n, int i, int j, Rng&) { return j == (i + 37) % n ? 1 : kInf; }},
    {"complete", [](int, int, int, Rng& rng) { return uniform(rng, 0, 99999); }},
    {"smallWeights", [](int, int, int, Rng& rng) { return uniform(rng, 0, 3); }},
    {"sparse", [](int n, int, int,
                  Rng& rng) { return uniform(rng, 0, n) < 3 ? uniform(rng, 1, 1000) : kInf; }},
    {"twoParts",
     [](int n, int i, int j, Rng& rng) {
       return (i < n / 2) == (j < n / 2) ? uniform(rng, 1, 1000) : kInf;
     }},
    {"noEdges", [](int, int, int, Rng&) { return kInf; }},
    {"allZero", [](int, int, int, Rng&) { return 0; }},
    {"nearInfinity", [](int, int, int, Rng& rng) { return kInf - uniform(rng, 0, 3); }},
    // Two such edges add up to kInf, give or take one.
    {"halfInfinity", [](int, int, int, Rng& rng) { return kInf / 2 + uniform(rng, 0, 1); }},
};

std::vector<int> makeGraph(const Family& family, int n) {
  Rng rng(kSeed);
  std::vector<int> graph;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) graph.push_back(i == j ? 0 : family.weight(n, i, j, rng));
  }
  return graph;
}

template <class T>
struct Solved {
  std::vector<T> graph, distances;
};

/// The graph and what the plain loop finds, once for all instruction sets.
template <class T>
const Solved<T>& solved(const Family& family, int n) {
  static std::map<std::pair<std::string, int>, Solved<T>> all;
  Solved<T>& one = all[{family.name, n}];
  if (one.graph.empty()) {
    for (const int word : makeGraph(family, n))
      one.graph.push_back(std::is_same_v<T, int> ? T(word) : T(toFloat(floatWord(word))));
    one.distances = one.graph;
    apspScalar(n, one.distances.data());
  }
  return one;
}

/// Fails with the first entry that differs instead of both matrices.
template <class T>
void expectSame(const std::vector<T>& found, const std::vector<T>& expected, int n) {
  const auto [at, there] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end()) return;
  const std::ptrdiff_t index = at - found.begin();
  ADD_FAILURE() << "distance " << index / n << "→" << index % n << ": found " << *at
                << ", expected " << *there;
}

bool supported(const std::string& simd) {
  try {
    apspCpuWith(simd, 0, static_cast<int*>(nullptr));
    return true;
  } catch (const Error&) {
    return false;
  }
}

class Cpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  }
  void TearDown() override { omp_set_num_threads(threads_); }

 private:
  const int threads_ = omp_get_max_threads();
};

TEST_P(Cpu, EqualsTripleLoop) {
  for (const Family& family : kFamilies) {
    for (const int n : kSizes) {
      const auto& [graph, expected] = solved<int>(family, n);
      for (const int threads : {1, 2, 5}) {
        SCOPED_TRACE(std::string(family.name) + ", n = " + std::to_string(n) + ", " +
                     std::to_string(threads) + " threads, seed " + std::to_string(kSeed));
        omp_set_num_threads(threads);
        std::vector<int> found = graph;
        apspCpuWith(GetParam(), n, found.data());
        expectSame(found, expected, n);
      }
    }
  }
}

TEST_P(Cpu, FloatsThatAddUpExactlyEqualTripleLoop) {
  for (const Family& family : kFamilies) {
    for (const int n : kSizes) {
      SCOPED_TRACE(std::string(family.name) + ", n = " + std::to_string(n) + ", seed " +
                   std::to_string(kSeed));
      const auto& [graph, expected] = solved<float>(family, n);
      std::vector<float> found = graph;
      apspCpuWith(GetParam(), n, found.data());
      expectSame(found, expected, n);
    }
  }
}

TEST_P(Cpu, RealWeightsAgreeWithTripleLoopWithinTheTolerance) {
  Rng rng(kSeed);
  for (const float scale : {1.0f, 1e-40f, 1e34f}) {  // 1e-40: subnormal
    for (const int n : kSizes) {
      SCOPED_TRACE("scale " + std::to_string(scale) + ", n = " + std::to_string(n) + ", seed " +
                   std::to_string(kSeed));
      std::vector<float> expected;
      for (int at = 0; at < n * n; ++at) {
        const bool edge = uniform(rng, 0, 9) < 3;
        const float weight = scale * std::uniform_real_distribution<float>(0, 1)(rng);
        expected.push_back(at % (n + 1) == 0 ? 0 : edge ? weight : HUGE_VALF);
      }
      std::vector<float> found = expected;
      apspScalar(n, expected.data());
      apspCpuWith(GetParam(), n, found.data());
      for (int at = 0; at < n * n; ++at) {
        ASSERT_TRUE(agree(found[at], expected[at], tolerance(n, Dtype::kFloat32, 2)))
            << at / n << "→" << at % n << ": " << found[at] << ", not " << expected[at];
      }
    }
  }
}

TEST_P(Cpu, WritesNothingAroundTheMatrix) {
  constexpr int kGuard = 4096, kMark = -12345;
  for (const int n : {0, 1, 3, 63, 65, 130}) {
    const std::vector<int> graph = makeGraph(kFamilies.front(), n);
    std::vector<int> memory(kGuard, kMark);
    memory.insert(memory.end(), graph.begin(), graph.end());
    memory.resize(memory.size() + kGuard, kMark);
    apspCpuWith(GetParam(), n, memory.data() + kGuard);
    EXPECT_EQ(std::count(memory.begin(), memory.begin() + kGuard, kMark), kGuard) << "n = " << n;
    EXPECT_EQ(std::count(memory.end() - kGuard, memory.end(), kMark), kGuard) << "n = " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, Cpu, testing::ValuesIn(kSimd),
                         [](const auto& level) { return level.param; });

TEST(CpuSimd, IsTheWidestSupported) {
  EXPECT_EQ(widestSimd(), *std::find_if(kSimd.begin(), kSimd.end(), supported));
}

TEST(CpuSimd, UnknownSetIsAUsageError) {
  try {
    apspCpuWith("mmx", 0, static_cast<int*>(nullptr));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Exit::kUsage);
  }
}

TEST(CpuSimd, DefaultSolves) {
  const std::vector<int> graph = makeGraph(kFamilies.front(), 200);
  std::vector<int> expected = graph, found = graph;
  apspScalar(200, expected.data());
  apspCpu(200, found.data());
  expectSame(found, expected, 200);
}

/// The oracle itself, on a graph small enough for the reader.
TEST(Scalar, SolvesByHand) {
  std::vector<int> graph = {
      0,    3,    10,  //
      kInf, 0,    4,   //
      1,    kInf, 0,   //
  };
  apspScalar(3, graph.data());
  EXPECT_EQ(graph, (std::vector<int>{0, 3, 7, 5, 0, 4, 1, 4, 0}));
}

}  // namespace
