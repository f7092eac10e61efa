// The blocked CPU solver against the plain triple loop, bit for bit (real weights: within the
// tolerance), on graphs made to break it, and on cores that other processes use; its threads.
#include "base/thread_team.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "device/simd.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/dtype.h"
#include "base/error.h"
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

struct Solved {
  std::vector<int> graph, distances;
};

/// The graph with weights of that type and its distances by the plain loop, which runs once for all
/// instruction sets.
const Solved& solved(const Family& family, int n, Dtype dtype) {
  static std::map<std::tuple<std::string, int, Dtype>, Solved> all;
  Solved& one = all[{family.name, n, dtype}];
  if (one.graph.empty()) {
    one.graph = makeGraph(family, n);
    if (dtype == Dtype::kFloat32)
      std::transform(one.graph.begin(), one.graph.end(), one.graph.begin(), floatWord);
    one.distances = one.graph;
    apspScalar(n, one.distances.data(), dtype);
  }
  return one;
}

/// Fails with the first entry that differs instead of both matrices.
void expectSame(const std::vector<int>& found, const std::vector<int>& expected, int n,
                Dtype dtype = Dtype::kInt32) {
  const auto [at, there] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end()) return;
  const std::ptrdiff_t index = at - found.begin();
  ADD_FAILURE() << "distance " << index / n << "→" << index % n << ": found "
                << toDouble(*at, dtype) << ", expected " << toDouble(*there, dtype);
}

bool supported(const std::string& simd) {
  try {
    apspCpuWith(simd, 0, nullptr);
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
      const auto& [graph, expected] = solved(family, n, Dtype::kInt32);
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
      const auto& [graph, expected] = solved(family, n, Dtype::kFloat32);
      std::vector<int> found = graph;
      apspCpuWith(GetParam(), n, found.data(), Dtype::kFloat32);
      expectSame(found, expected, n, Dtype::kFloat32);
    }
  }
}

TEST_P(Cpu, RealWeightsAgreeWithTripleLoopWithinTheTolerance) {
  Rng rng(kSeed);
  for (const float scale : {1.0f, 1e-40f, 1e34f}) {  // 1e-40: subnormal
    for (const int n : kSizes) {
      SCOPED_TRACE("scale " + std::to_string(scale) + ", n = " + std::to_string(n) + ", seed " +
                   std::to_string(kSeed));
      std::vector<int> expected;
      for (int at = 0; at < n * n; ++at) {
        const bool edge = uniform(rng, 0, 9) < 3;
        const float weight = scale * std::uniform_real_distribution<float>(0, 1)(rng);
        expected.push_back(toWord(at % (n + 1) == 0 ? 0 : edge ? weight : HUGE_VALF));
      }
      std::vector<int> found = expected;
      apspScalar(n, expected.data(), Dtype::kFloat32);
      apspCpuWith(GetParam(), n, found.data(), Dtype::kFloat32);
      for (int at = 0; at < n * n; ++at) {
        const float one = toFloat(found[at]), other = toFloat(expected[at]);
        ASSERT_TRUE(agree(one, other, tolerance(n, Dtype::kFloat32, 2)))
            << at / n << "→" << at % n << ": " << one << ", not " << other;
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
    apspCpuWith("mmx", 0, nullptr);
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

/// The oracle on floats: a path of real weights is shorter than an edge, and infinity stays.
TEST(Scalar, SolvesFloatsByHand) {
  const float none = HUGE_VALF;
  std::vector<int> graph;
  for (const float weight : {0.f, .5f, 2.f, none, 0.f, .25f, none, none, 0.f})
    graph.push_back(toWord(weight));
  apspScalar(3, graph.data(), Dtype::kFloat32);
  std::vector<int> expected;
  for (const float weight : {0.f, .5f, .75f, none, 0.f, .25f, none, none, 0.f})
    expected.push_back(toWord(weight));
  EXPECT_EQ(graph, expected);
}

// ---- threads --------------------------------------------------------------------------------

TEST(ThreadTeam, RunsEveryTaskOnceAndThePhasesInOrder) {
  constexpr int kPhases = 300, kTasks = 7;
  for (const int threads : {1, 2, 5, 2}) {
    std::vector<std::atomic<int>> runs(kPhases * kTasks);
    std::atomic<int> complete{0}, tooEarly{0};
    std::vector<Phase> phases;
    for (int p = 0; p < kPhases; ++p) {
      phases.push_back({kTasks, [&, p](int task) {
                          if (complete < p * kTasks) ++tooEarly;
                          ++runs[p * kTasks + task];
                          ++complete;
                        }});
      phases.push_back({0, [&](int) { ++tooEarly; }});
    }
    runPhases(phases, threads);
    EXPECT_EQ(complete, kPhases * kTasks);
    EXPECT_EQ(tooEarly, 0);
    EXPECT_TRUE(
        std::all_of(runs.begin(), runs.end(), [](const auto& count) { return count == 1; }));
  }
  runPhases({}, 2);
}

TEST(ThreadTeam, TasksRunAtTheSameTime) {
  std::atomic<int> present{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  runPhases({{2,
              [&](int) {
                ++present;
                while (present < 2 && std::chrono::steady_clock::now() < end) sched_yield();
              }}},
            2);
  EXPECT_EQ(present, 2);
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

TEST(ThreadTeam, CallsFromATaskAndFromSeveralThreadsComplete) {
  std::atomic<int> runs{0};
  const auto call = [&] {
    for (int i = 0; i < 100; ++i)
      runPhases({{3, [&](int) { runPhases({{2, [&](int) { ++runs; }}}, 2); }}}, 2);
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(runs, 2 * 100 * 3 * 2);
}

/// While it lives, all threads of this process share one core with another process, which never
/// waits.
class BusyCore {
 public:
  BusyCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    }
    setCores(one);
    process_ = fork();
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned count = 0;;) count = count + 1;
  }
  ~BusyCore() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    setCores(before_);
  }
  BusyCore(const BusyCore&) = delete;
  BusyCore& operator=(const BusyCore&) = delete;

 private:
  static void setCores(const cpu_set_t& cores) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
      sched_setaffinity(std::atoi(thread.path().filename().c_str()), sizeof cores, &cores);
  }

  cpu_set_t before_;
  pid_t process_;
};

/// The share of two threads in one core that a third process uses is a third of what they have
/// without it. Barriers that wait for a thread without a core take 200 times as long.
TEST(CpuOnABusyCore, LosesLittleMoreThanItsShare) {
  constexpr int kSize = 300, kCalls = 31;
  const std::vector<int> graph = makeGraph(kFamilies.front(), kSize);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);
  const auto medianMilliseconds = [&] {
    std::vector<double> times;
    for (int call = 0; call < kCalls; ++call) {
      std::vector<int> work = graph;
      const auto begin = std::chrono::steady_clock::now();
      apspCpu(kSize, work.data());
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - begin;
      times.push_back(taken.count());
    }
    std::nth_element(times.begin(), times.begin() + kCalls / 2, times.end());
    return times[kCalls / 2];
  };
  const double idle = medianMilliseconds();
  {
    const BusyCore busy;
    EXPECT_LE(medianMilliseconds(), 10 * idle);
  }
  omp_set_num_threads(threads);
}

}  // namespace
