// The blocked CPU solver against the plain triple loop, bit for bit (real weights: within the
// tolerance), with every type of weights, on graphs made to break it, and on cores that other
// processes use; its threads.
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
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/graph.h"
#include "base/memory.h"
#include "base/tolerance.h"
#include "seed.h"
#include "small_graphs.h"

using namespace engine;

namespace {

// 64 is the solver's tile, 16 its step within the pivot tile.
constexpr int kSizes[] = {0,  1,  2,   3,   4,   5,   15,  16,  17,  31,  63, 64,
                          65, 96, 126, 127, 128, 129, 130, 191, 200, 257, 500};
const std::vector<std::string> kSimd = {"avx512", "avx2", "portable"};

/// Printed by every failure.
const std::uint32_t kSeed = testSeed();

/// Weights of type W, which can be converted to others.
template <class W>
struct Family {
  const char* name;
  std::function<W(int n, int from, int to, Rng&)> weight;  // of each from ≠ to
};

const std::vector<Family<int>> kFamilies = {
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

/// What 32 bits do not hold.
constexpr std::int64_t kInfinity64 = kInfinity<std::int64_t>, kTwoTo40 = std::int64_t{1} << 40,
                       kTwoTo61 = std::int64_t{1} << 61;
const std::vector<Family<std::int64_t>> kLongFamilies = {
    {"longRing",
     [](int n, int i, int j, Rng&) { return j == (i + 1) % n ? kTwoTo40 + i : kTwoTo61; }},
    {"near2To40", [](int, int, int, Rng& rng) { return kTwoTo40 + uniform(rng, -9, 99999); }},
    {"someNear2To40",
     [](int, int, int, Rng& rng) {
       return uniform(rng, 0, 2) ? kInfinity64 : (kTwoTo40 >> uniform(rng, 0, 9)) - 1;
     }},
    // Only the low or only the high halves of these numbers differ.
    {"lowHalves", [](int, int, int, Rng& rng) { return kTwoTo40 + uniform(rng, -1, 1); }},
    {"highHalves", [](int, int, int, Rng& rng) { return uniform(rng, 0, 1000) * (kTwoTo40 >> 8); }},
    // Two such edges add up to infinity, give or take some.
    {"near2To61", [](int, int, int, Rng& rng) { return kTwoTo61 - uniform(rng, -2, 3); }},
    {"nearInfinity64", [](int, int, int, Rng& rng) { return kInfinity64 - uniform(rng, 0, 3); }},
};

template <class T, class W>
std::vector<T> makeGraph(const Family<W>& family, int n) {
  Rng rng(kSeed);
  std::vector<T> graph;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      graph.push_back(i == j ? 0 : convertedTo<T>(family.weight(n, i, j, rng)));
  }
  return graph;
}

/// The distances by a loop that has nothing to do with the solvers.
template <class T>
std::vector<T> byTripleLoop(int n, std::vector<T> d) {
  const auto row = [&](int i) { return d.data() + static_cast<std::size_t>(i) * n; };
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      T* const from = row(i);
      const T* const through = row(k);
      const T first = from[k];
      for (int j = 0; j < n && first < kInfinity<T>; ++j)
        if (through[j] < kInfinity<T> && first + through[j] < from[j]) from[j] = first + through[j];
    }
  return d;
}

template <class T>
struct Solved {
  std::vector<T> graph, distances;
};

/// The graph with weights of type T and its distances by that loop, which runs once for all
/// instruction sets.
template <class T, class W>
const Solved<T>& solved(const Family<W>& family, int n) {
  static std::map<std::tuple<std::string, int>, Solved<T>> all;
  Solved<T>& one = all[{family.name, n}];
  if (one.graph.empty()) {
    one.graph = makeGraph<T>(family, n);
    one.distances = byTripleLoop(n, one.graph);
  }
  return one;
}

/// Fails with the first entry that differs instead of both matrices.
template <class T>
void expectSame(const std::vector<T>& found, const std::vector<T>& expected, int n) {
  const auto [at, there] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end()) return;
  const std::ptrdiff_t index = at - found.begin();
  ADD_FAILURE() << "distance " << index / n << "→" << index % n << " as " << nameOf(kDtype<T>)
                << ": found " << textOf(*at) << ", expected " << textOf(*there);
}

/// Solves every family and size with weights of type T.
template <class T, class W>
void expectFamiliesSolved(const std::string& simd, const std::vector<Family<W>>& families,
                          const std::vector<int>& threadCounts) {
  for (const Family<W>& family : families) {
    for (const int n : kSizes) {
      const auto& [graph, expected] = solved<T>(family, n);
      for (const int threads : threadCounts) {
        SCOPED_TRACE(std::string(family.name) + ", n = " + std::to_string(n) + ", " +
                     std::to_string(threads) + " threads, seed " + std::to_string(kSeed));
        omp_set_num_threads(threads);
        std::vector<T> found = graph;
        apspCpuWith(simd, n, found.data());
        expectSame(found, expected, n);
      }
    }
  }
}

bool supported(const std::string& simd) {
  try {
    apspCpuWith(simd, 0, Elements());
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
  expectFamiliesSolved<std::int32_t>(GetParam(), kFamilies, {1, 2, 5});
}

TEST_P(Cpu, FloatsThatAddUpExactlyEqualTripleLoop) {
  expectFamiliesSolved<float>(GetParam(), kFamilies, {2});
}

TEST_P(Cpu, LongWeightsEqualTripleLoop) {
  expectFamiliesSolved<std::int64_t>(GetParam(), kFamilies, {2});
  expectFamiliesSolved<std::int64_t>(GetParam(), kLongFamilies, {2});
}

TEST_P(Cpu, DoublesThatAddUpExactlyEqualTripleLoop) {
  expectFamiliesSolved<double>(GetParam(), kFamilies, {2});
  expectFamiliesSolved<double, std::int64_t>(
      GetParam(), {kLongFamilies.begin(), kLongFamilies.begin() + 5}, {2});
}

template <class T>
void expectRealsSolved(const std::string& simd, const std::vector<T>& scales) {
  Rng rng(kSeed);
  for (const T scale : scales) {
    for (const int n : kSizes) {
      SCOPED_TRACE("scale " + textOf(scale) + ", n = " + std::to_string(n) + ", seed " +
                   std::to_string(kSeed));
      std::vector<T> graph;
      for (int at = 0; at < n * n; ++at) {
        const bool edge = uniform(rng, 0, 9) < 3;
        const T weight = scale * std::uniform_real_distribution<T>(0, 1)(rng);
        graph.push_back(at % (n + 1) == 0 ? 0 : edge ? weight : kInfinity<T>);
      }
      const std::vector<T> expected = byTripleLoop(n, graph);
      std::vector<T> found = graph;
      apspCpuWith(simd, n, found.data());
      for (int at = 0; at < n * n; ++at)
        ASSERT_TRUE(agree(found[at], expected[at], tolerance(n, kDtype<T>, 2)))
            << at / n << "→" << at % n << ": " << found[at] << ", not " << expected[at];
    }
  }
}

TEST_P(Cpu, RealWeightsAgreeWithTripleLoopWithinTheTolerance) {
  expectRealsSolved<float>(GetParam(), {1, 1e-40f, 1e34f});  // 1e-40: subnormal
  expectRealsSolved<double>(GetParam(), {1, 1e-310, 1e300});
}

template <class T>
void expectNothingAroundIsWritten(const std::string& simd) {
  constexpr int kGuard = 4096;
  constexpr T kMark = -12345;
  for (const int n : {0, 1, 3, 63, 65, 130}) {
    const std::vector<T> graph = makeGraph<T>(kFamilies.front(), n);
    std::vector<T> memory(kGuard, kMark);
    memory.insert(memory.end(), graph.begin(), graph.end());
    memory.resize(memory.size() + kGuard, kMark);
    apspCpuWith(simd, n, memory.data() + kGuard);
    EXPECT_EQ(std::count(memory.begin(), memory.begin() + kGuard, kMark), kGuard) << "n = " << n;
    EXPECT_EQ(std::count(memory.end() - kGuard, memory.end(), kMark), kGuard) << "n = " << n;
  }
}

TEST_P(Cpu, WritesNothingAroundTheMatrix) {
  for (const Dtype dtype : kDtypes)
    withType(dtype, [&](auto zero) { expectNothingAroundIsWritten<decltype(zero)>(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Simd, Cpu, testing::ValuesIn(kSimd),
                         [](const auto& level) { return level.param; });

TEST(CpuSimd, IsTheWidestSupported) {
  EXPECT_EQ(widestSimd(), *std::find_if(kSimd.begin(), kSimd.end(), supported));
}

TEST(CpuSimd, UnknownSetIsAUsageError) {
  try {
    apspCpuWith("mmx", 0, Elements());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::kUsage);
  }
}

TEST(CpuSimd, DefaultSolves) {
  const std::vector<int> graph = makeGraph<int>(kFamilies.front(), 200);
  std::vector<int> found = graph;
  apspCpu(200, found.data());
  expectSame(found, byTripleLoop(200, graph), 200);
}

/// The plain loop of the solver table, with which other tests compare.
template <class T, class W>
void expectScalarSolves(const std::vector<Family<W>>& families) {
  for (const Family<W>& family : families) {
    for (const int n : {0, 1, 2, 3, 64, 130}) {
      SCOPED_TRACE(std::string(family.name) + ", n = " + std::to_string(n));
      const auto& [graph, expected] = solved<T>(family, n);
      std::vector<T> found = graph;
      apspScalar(n, found.data());
      expectSame(found, expected, n);
    }
  }
}

TEST(Scalar, EqualsTripleLoop) {
  for (const Dtype dtype : kDtypes)
    withType(dtype, [](auto zero) { expectScalarSolves<decltype(zero)>(kFamilies); });
  expectScalarSolves<std::int64_t>(kLongFamilies);
  expectScalarSolves<double>(kLongFamilies);
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

/// With real numbers: a path is shorter than an edge, and infinity stays.
template <class T>
void expectRealsByHand() {
  const T none = kInfinity<T>;
  std::vector<T> graph = {0, .5, 2, none, 0, .25, none, none, 0};
  apspScalar(3, graph.data());
  EXPECT_EQ(graph, (std::vector<T>{0, .5, .75, none, 0, .25, none, none, 0}));
}

TEST(Scalar, SolvesRealsByHand) {
  expectRealsByHand<float>();
  expectRealsByHand<double>();
}

// ---- threads --------------------------------------------------------------------------------

TEST(TakePages, WritesToEachPageAndNoFurther) {
  constexpr std::size_t kPage = 4096;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, kPage, 3 * kPage + 7, (std::size_t{9} << 20) + 5}) {
    std::vector<char> memory(bytes + 1, 1);
    takePages(memory.data(), bytes);
    EXPECT_EQ(1, memory[bytes]);
    for (std::size_t at = 0; at < bytes; at += kPage) {
      const char* const page = memory.data() + at;
      EXPECT_GT(std::count(page, page + std::min(kPage, bytes - at), 0), 0);
    }
    EXPECT_TRUE(bytes == 0 || memory[bytes - 1] == 0);
  }
}

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
  runPhases({{2,
              [&](int) {
                ++present;
                while (present < 2) sched_yield();  // otherwise for ever
              }}},
            2);
  EXPECT_EQ(present, 2);
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

/// Waits until the count is reached, but not for ever: a test that fails ends.
void await(const std::atomic<int>& count, int reached, double seconds = 20) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (count < reached && std::chrono::steady_clock::now() < end) sched_yield();
}

/// How many threads a call for two has. seconds: for which one of its tasks waits for the other.
std::size_t threadsOfTwo(double seconds) {
  std::atomic<int> together{0};
  std::set<std::thread::id> by;
  std::mutex mutex;
  const auto look = [&](int) {
    ++together;
    await(together, 2, seconds);
    const std::lock_guard lock(mutex);
    by.insert(std::this_thread::get_id());
  };
  runPhases({{2, look}}, 2);
  return by.size();
}

/// The same, beside a call that has `taken` threads.
std::size_t threadsBeside(int taken, double seconds) {
  std::atomic<int> present{0};
  std::size_t found = 0;
  const auto task = [&](int number) {
    ++present;
    await(present, taken);
    if (number == 0) std::thread([&] { found = threadsOfTwo(seconds); }).join();
  };
  runPhases({{taken, task}}, taken);
  return found;
}

TEST(ThreadTeam, CallsAtTheSameTimeShareTheCores) {
  const int cores = omp_get_num_procs();
  EXPECT_EQ(1U, threadsBeside(std::max(2, cores), 0.2));
  EXPECT_EQ(cores >= 4 ? 2U : 1U, threadsBeside(2, cores >= 4 ? 20 : 0.2));
}

TEST(ThreadTeam, ACallMayTakeMoreThreadsThanThereAreCores) {
  const int many = omp_get_num_procs() + 2;
  std::atomic<int> present{0};
  std::vector<std::atomic<int>> numbers(static_cast<std::size_t>(many));
  runPhases({{many,
              [&](int) {
                ++present;
                await(present, many);
                ++numbers[static_cast<std::size_t>(threadOfPhase())];
              }}},
            many);
  EXPECT_EQ(present, many);
  for (const auto& each : numbers) EXPECT_EQ(1, each) << "each thread has a number of its own";
}

TEST(ThreadTeam, ANestedCallHasNoTeam) {
  std::size_t threads = 0;
  runPhases({{1, [&](int) { threads = threadsOfTwo(0.2); }}}, 1);
  EXPECT_EQ(1U, threads);
}

TEST(ThreadTeam, ANestedCallHasANumberOfItsOwn) {
  std::atomic<int> present{0}, wrong{0};
  runPhases({{3,
              [&](int) {
                ++present;
                await(present, 3);
                const int before = threadOfPhase();
                runPhases({{2, [&](int) { wrong += threadOfPhase() != 0; }}}, 2);
                wrong += threadOfPhase() != before;
              }}},
            3);
  EXPECT_EQ(0, wrong);
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
  const std::vector<int> graph = makeGraph<int>(kFamilies.front(), kSize);
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
