// The verifier: the Dijkstra oracle, planted faults that it must find, and distances that reach
// kInf.
#include "verify.h"

#include <gtest/gtest.h>

#include <random>

#include "apsp.h"
#include "cpu.h"
#include "devices.h"
#include "dijkstra.h"
#include "error.h"
#include "files.h"
#include "measure.h"

namespace {

/// A graph of that family, its distances by the plain loop, and the same graph in the other
/// representation.
struct Solved {
  Graph graph, other;
  std::vector<int> distances;
  explicit Solved(const Spec& spec)
      : graph(generate(spec)), distances(static_cast<std::size_t>(spec.n * spec.n)) {
    generateInto(spec, distances.data());
    if (graph.dense()) {
      other = fromEdges(spec.n, toEdges(graph));
    } else {
      other.n = spec.n;
      other.body = toMatrix(fromEdges(spec.n, toEdges(graph)));
    }
    apspScalar(spec.n, distances.data());
  }
};

TEST(Dijkstra, AgreesWithThePlainLoopOnEveryFamilyAsEdgesAndAsMatrix) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 64, 90}) {
      const Solved solved(specOf(family, n, std::random_device{}()));
      EXPECT_TRUE(verifyByDijkstra(solved.graph, solved.distances.data(), n).passed())
          << family << " " << n;
      EXPECT_TRUE(verifyByDijkstra(solved.other, solved.distances.data(), n).passed())
          << family << " " << n;
    }
  }
}

TEST(Dijkstra, HoldsDistancesBeyondAnInt) {
  const int heavy = kInf - 1;
  const Graph graph = fromEdges(6, {{0, 1, heavy}, {1, 2, heavy}, {2, 3, heavy}, {3, 4, heavy}});
  const std::vector<std::int64_t> d = Dijkstra(graph).from(0);
  EXPECT_EQ(4LL * heavy, d[4]);
  EXPECT_EQ(Dijkstra::kUnreachable, d[5]);
}

TEST(Verifier, FindsASinglePlantedFaultWhereverItIs) {
  Solved solved(specOf(familyIndex("disconnected"), 50, 1));
  for (const int change : {1, -1, kInf}) {
    for (const int at : {0, 1, 49, 50, 1234, 2450, 2499}) {
      std::vector<int> wrong = solved.distances;
      int& entry = wrong[static_cast<std::size_t>(at)];
      entry = change == kInf ? (entry == kInf ? 5 : kInf) : entry + change;
      const Verdict verdict = verifyByDijkstra(solved.graph, wrong.data(), 50);
      ASSERT_TRUE(verdict.failed()) << at;
      EXPECT_EQ(1u, verdict.mismatch.count);
      EXPECT_EQ(at, verdict.mismatch.i * 50 + verdict.mismatch.j);
      EXPECT_EQ(entry, verdict.mismatch.got);
      EXPECT_EQ(solved.distances[static_cast<std::size_t>(at)], verdict.mismatch.expected);
    }
  }
}

TEST(Verifier, CountsAllFaultsAndNamesTheFirst) {
  Solved solved(specOf(familyIndex("uniform"), 40, 1));
  for (const std::size_t at : {100u, 101u, 900u, 1599u}) ++solved.distances[at];
  const Verdict verdict = verifyByDijkstra(solved.graph, solved.distances.data(), 1000);
  EXPECT_EQ("dijkstra:40", verdict.how);
  EXPECT_EQ(4u, verdict.mismatch.count);
  EXPECT_EQ(2, verdict.mismatch.i);
  EXPECT_EQ(20, verdict.mismatch.j);
}

TEST(Verifier, ChecksTheRowsAskedForAndFreshOnes) {
  // One row of 200 is wrong: 20 rows of 200 find it now and then, not always and not never.
  Solved solved(specOf(familyIndex("ring"), 200, 1));
  for (int j = 0; j < 200; ++j) ++solved.distances[static_cast<std::size_t>(100 * 200 + j)];
  int found = 0;
  for (int turn = 0; turn < 100; ++turn) {
    const Verdict verdict = verifyByDijkstra(solved.graph, solved.distances.data(), 20);
    EXPECT_EQ("dijkstra:20", verdict.how);
    found += verdict.failed();
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 60);
}

TEST(Verifier, ParsesWhatItIsAskedFor) {
  using Oracle = VerifyPlan::Oracle;
  EXPECT_EQ(Oracle::kNone, parseVerify("").oracle);
  EXPECT_EQ(Oracle::kRef, parseVerify("ref").oracle);
  EXPECT_EQ(16, parseVerify("dijkstra").rows);
  EXPECT_EQ(3353, parseVerify("dijkstra:3353").rows);
  for (const char* bad : {"yes", "dijkstra:", "dijkstra:0", "dijkstra:-1", "dijkstra:1e3",
                          "dijkstra:9999999999", "REF"}) {
    EXPECT_THROW(parseVerify(bad), Error) << bad;
  }
}

// ---- distances that reach kInf --------------------------------------------------------------

using Range = OnDevice;
ON_EVERY_DEVICE(Range);

void check(const Device& device, int n, const std::vector<Edge>& edges) {
  const Matrix host = toMatrix(fromEdges(n, edges));
  DeviceMatrix graph(device, n), distances(device, n);
  device.upload(graph.data(), host.data(), host.size());
  device.copy(distances.data(), graph.data(), host.size());
  const Kernel& kernel = findKernel("apsp", device);
  timeCall(kernel, n, distances.data());
  checkRange(kernel, graph, device.tally(n, graph.data()), device.tally(n, distances.data()));
}

TEST_P(Range, ADistanceThatReachesInfinityIsRefused) {
  const int half = 1 << 29;  // half + half = kInf + 1
  EXPECT_THROW(check(device(), 3, {{0, 1, half}, {1, 2, half}}), Error);
  EXPECT_THROW(check(device(), 3, {{0, 1, half - 1}, {1, 2, half}}), Error) << "exactly kInf";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, half - 1}, {1, 2, half - 1}})) << "kInf − 1 fits";
}

TEST_P(Range, HeavyWeightsAloneAreNotRefused) {
  const int heavy = kInf - 1;
  EXPECT_NO_THROW(check(device(), 5, {{0, 1, heavy}, {2, 3, heavy}}))
      << "unreachable pairs, no long path";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, heavy}, {1, 2, heavy}, {0, 2, 1}}))
      << "a light way round";
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

TEST(Measure, RestoresTheGraphBeforeEachCallAndStopsAsPlanned) {
  static int calls;
  calls = 0;
  const Kernel kernel = {"count", &cpuDevice, "", "",
                         plain([](int, int* graph) { graph[0] += ++calls; })};
  DeviceMatrix graph(cpuDevice, 1), work(cpuDevice, 1);
  graph.data()[0] = 100;
  const auto run = [&](const MeasurePlan& plan) {
    calls = 0;
    return measure(kernel, graph, work, plan,
                   [&](int call, const Call&) { EXPECT_EQ(100 + call, work.data()[0]); });
  };
  EXPECT_EQ(3, run({2, 3}).reps);
  EXPECT_EQ(5, calls);
  EXPECT_EQ(1000, run({1, 0}).reps) << "a call that takes no time ends at the cap";
  EXPECT_EQ(100, graph.data()[0]);
}

TEST(Measure, AKernelGetsTheOptionsAndMayRefuse16Bits) {
  const Kernel kernel = {
      "picky", &cpuDevice, "", "", [](int, int*, Dtype, const Options& options) {
        EXPECT_FALSE(options.symmetry || options.skip);
        return Outcome{options.precision == Precision::k16 ? Tier::kNone : Tier::kUint16, true};
      }};
  DeviceMatrix graph(cpuDevice, 1), work(cpuDevice, 1);
  graph.data()[0] = 0;
  MeasurePlan plan{1, 3, {Precision::kAuto, false, false}};
  measure(kernel, graph, work, plan, [](int, const Call& call) {
    EXPECT_EQ(Tier::kUint16, call.outcome.tier);
    EXPECT_TRUE(call.outcome.symmetric);
  });
  plan.options.precision = Precision::k16;
  expectError(Exit::kInput, "picky", "16 --precision auto 32", [&] {
    measure(kernel, graph, work, plan, [](int, const Call&) { ADD_FAILURE() << "a result"; });
  });
}

}  // namespace
