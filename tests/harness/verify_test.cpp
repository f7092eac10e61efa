// The verifier: the Dijkstra oracle, planted faults that it must find, and distances that reach
// kInf.
#include "verify/verify.h"
#include "generate/families.h"
#include "generate/source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "apsp.h"
#include "base/error.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "measure/timing.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "verify/dijkstra.h"

namespace {

/// A graph of that family, its distances by the plain loop, and the same graph in the other
/// representation.
struct Solved {
  Graph graph, other;
  std::vector<int> distances;
  explicit Solved(const Spec& spec) : Solved(generate(spec)) {}
  explicit Solved(Graph made) : graph(std::move(made)) {
    const int n = graph.n;
    other = fromEdges(n, toEdges(graph), graph.dtype);
    const Matrix matrix = toMatrix(fromEdges(n, toEdges(graph), graph.dtype));
    distances.assign(matrix.data(), matrix.data() + matrix.size());
    if (!graph.dense()) other.body = toMatrix(std::move(other));
    apspScalar(n, distances.data(), graph.dtype);
  }
};

/// About two edges a vertex, of real weights in [0, 4): from 2 on their words are above kInf.
Graph realGraph(int n) {
  std::mt19937 random(std::random_device{}());
  std::vector<Edge> edges;
  for (int k = 0; k < 2 * n; ++k) {
    edges.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n),
                     toWord(std::uniform_real_distribution<float>(0, 4)(random))});
  }
  return fromEdges(n, edges, Dtype::kFloat32);
}

TEST(Dijkstra, AgreesWithThePlainLoopOnEveryFamilyAsEdgesAndAsMatrix) {
  for (int family = 0; family < static_cast<int>(familyTable().size()); ++family) {
    for (const int n : {1, 2, 3, 64, 90}) {
      const Solved solved(specOf(family, n, std::random_device{}()));
      EXPECT_TRUE(verified(solved.graph, solved.distances, n).passed()) << family << " " << n;
      EXPECT_TRUE(verified(solved.other, solved.distances, n).passed()) << family << " " << n;
    }
  }
}

TEST(Dijkstra, AgreesWithThePlainLoopOnRealWeights) {
  for (const int n : {1, 2, 3, 64, 300}) {
    const Solved solved(realGraph(n));
    const Verdict edges = verified(solved.graph, solved.distances, n);
    const Verdict matrix = verified(solved.other, solved.distances, n);
    EXPECT_TRUE(edges.passed()) << n;
    EXPECT_TRUE(matrix.passed()) << n;
    EXPECT_EQ(within("dijkstra:" + std::to_string(n), tolerance(n, Dtype::kFloat32, 1)), edges.how);
  }
}

TEST(Dijkstra, HoldsDistancesBeyondAnInt) {
  const int heavy = kInf - 1;
  const Graph graph = fromEdges(6, {{0, 1, heavy}, {1, 2, heavy}, {2, 3, heavy}, {3, 4, heavy}});
  const std::vector<double> d = Dijkstra(graph).from(0);
  EXPECT_EQ(4.0 * heavy, d[4]);
  EXPECT_EQ(Dijkstra::kUnreachable, d[5]);
}

TEST(Verifier, FindsASinglePlantedFaultWhereverItIs) {
  Solved solved(specOf(familyIndex("disconnected"), 50, 1));
  for (const int change : {1, -1, kInf}) {
    for (const int at : {0, 1, 49, 50, 1234, 2450, 2499}) {
      std::vector<int> wrong = solved.distances;
      int& entry = wrong[static_cast<std::size_t>(at)];
      entry = change == kInf ? (entry == kInf ? 5 : kInf) : entry + change;
      const Verdict verdict = verified(solved.graph, wrong, 50);
      ASSERT_TRUE(verdict.failed()) << at;
      EXPECT_EQ(1u, verdict.mismatch.count);
      EXPECT_EQ(at, verdict.mismatch.i * 50 + verdict.mismatch.j);
      EXPECT_EQ(entry, verdict.mismatch.got);
      EXPECT_EQ(solved.distances[static_cast<std::size_t>(at)], verdict.mismatch.expected);
    }
  }
}

TEST(Verifier, FindsASingleWrongFloatAndNan) {
  const Solved solved(realGraph(50));
  const auto planted = [&](float distance) {  // what is planted there instead
    const bool none = distance == HUGE_VALF;
    return std::vector<float>{NAN,
                              -NAN,
                              none ? 3e38f : HUGE_VALF,
                              -1,
                              -HUGE_VALF,
                              none ? 0 : distance * 1.0001f + 1e-45f,
                              none ? 1 : distance - 1e-2f};
  };
  for (const std::size_t at : {0u, 1u, 49u, 50u, 1234u, 2450u, 2499u}) {
    for (const float wrong : planted(toFloat(solved.distances[at]))) {
      std::vector<int> distances = solved.distances;
      distances[at] = toWord(wrong);
      for (const Graph* graph : {&solved.graph, &solved.other}) {
        const Verdict verdict = verified(*graph, distances, 50);
        EXPECT_EQ(1u, verdict.mismatch.count) << at << ": " << wrong;
        EXPECT_EQ(static_cast<int>(at), verdict.mismatch.i * 50 + verdict.mismatch.j);
        EXPECT_EQ(toWord(wrong), verdict.mismatch.got);
      }
    }
  }
}

TEST(Verifier, StatesTheToleranceAndNoneForIntegers) {
  EXPECT_EQ(0, tolerance(10000, Dtype::kInt32, 2));
  EXPECT_NEAR(10000 * 0x1p-23, tolerance(10000, Dtype::kFloat32, 2), 2e-6);
  EXPECT_EQ("ref", within("ref", 0));
  EXPECT_EQ("ref±1.2e-03", within("ref", tolerance(10000, Dtype::kFloat32, 2)));
}

// A chain whose every addition rounds down: 1, then halves of a last place. The whole of the bound
// for one solver is used up, and a right result passes.
TEST(Verifier, TheToleranceHoldsAtItsWorst) {
  constexpr int n = 500;
  std::vector<Edge> chain = {{0, 1, toWord(1.0f)}};
  for (int i = 1; i + 1 < n; ++i) chain.push_back({i, i + 1, toWord(0x1p-24f)});
  const Solved solved(fromEdges(n, chain, Dtype::kFloat32));
  EXPECT_TRUE(verified(solved.graph, solved.distances, n).passed());
  const double truth = Dijkstra(solved.graph).from(0)[n - 1];
  EXPECT_GT(std::abs(toFloat(solved.distances[n - 1]) - truth) / truth,
            0.99 * tolerance(n, Dtype::kFloat32, 1));
}

TEST(Verifier, CountsAllFaultsAndNamesTheFirst) {
  Solved solved(specOf(familyIndex("uniform"), 40, 1));
  for (const std::size_t at : {100u, 101u, 900u, 1599u}) ++solved.distances[at];
  const Verdict verdict = verified(solved.graph, solved.distances, 1000);
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
    const Verdict verdict = verified(solved.graph, solved.distances, 20);
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

void check(const Device& device, int n, const std::vector<Edge>& edges,
           Dtype dtype = Dtype::kInt32) {
  const ProblemGraph graph(fromEdges(n, edges, dtype));
  const Solver& solver = findSolver("apsp", device.kind());
  const auto run = solver.prepare({graph}, {device});
  run->reset();
  run->solve();
  const GraphStats found = statistics(run->distances());
  checkRange(solver, {graph}, {device}, graph.statistics(device), found,
             pairsOf(run->distances()) - found.edges);
}

TEST_P(Range, ADistanceThatReachesInfinityIsRefused) {
  const int half = 1 << 29;  // half + half = kInf + 1
  EXPECT_THROW(check(device(), 3, {{0, 1, half}, {1, 2, half}}), Error);
  EXPECT_THROW(check(device(), 3, {{0, 1, half - 1}, {1, 2, half}}), Error) << "exactly kInf";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, half - 1}, {1, 2, half - 1}})) << "kInf − 1 fits";
  const int part = 1 << 28;  // the largest distance found plus the heaviest weight is kInf
  EXPECT_THROW(check(device(), 5, {{0, 1, part}, {1, 2, part - 1}, {2, 3, part}, {3, 4, part}}),
               Error);
}

TEST_P(Range, HeavyWeightsAloneAreNotRefused) {
  const int heavy = kInf - 1;
  EXPECT_NO_THROW(check(device(), 5, {{0, 1, heavy}, {2, 3, heavy}}))
      << "unreachable pairs, no long path";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, heavy}, {1, 2, heavy}, {0, 2, 1}}))
      << "a light way round";
}

TEST_P(Range, ASumThatOverflowsAFloatIsRefused) {
  const int half = toWord(2e38f);
  const auto floats = Dtype::kFloat32;
  EXPECT_THROW(check(device(), 3, {{0, 1, half}, {1, 2, half}}, floats), Error);
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, half}, {1, 2, toWord(1e38f)}}, floats));
  EXPECT_NO_THROW(check(device(), 5, {{0, 1, half}, {2, 3, half}}, floats)) << "no long path";
  EXPECT_NO_THROW(check(device(), 3, {{0, 1, half}, {1, 2, half}, {0, 2, toWord(1)}}, floats));
}

TEST(Solvers, WithoutFloatsSayNoToThem) {
  const Solver solver = inPlace("ints", DeviceKind::kCpu, "", "", [](int, int*) {});
  EXPECT_NO_THROW(requireDtype(solver, Dtype::kInt32));
  expectError(Exit::kUsage, "ints", "f32 another i32",
              [&] { requireDtype(solver, Dtype::kFloat32); });
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

TEST(Measure, KeepsEveryCallAndNamesOutliers) {
  const Timing t = summarise({4, 1, 2, 3, 5, 100, 2, -90});
  EXPECT_EQ((std::vector<double>{4, 1, 2, 3, 5, 100, 2, -90}), t.calls) << "in their order";
  EXPECT_DOUBLE_EQ(1.75, t.q1);  // as NumPy has it
  EXPECT_DOUBLE_EQ(4.25, t.q3);
  EXPECT_EQ(2, t.outliers) << "on both sides";
  EXPECT_EQ(0, summarise({1, 2, 3, 4, 5}).outliers);
  const Timing one = summarise({5});
  EXPECT_EQ(5, one.q1);
  EXPECT_EQ(5, one.q3);
}

TEST(Measure, ResetsTheGraphBeforeEachCallAndStopsAsPlanned) {
  static int calls;
  const Solver solver =
      inPlace("count", DeviceKind::kCpu, "", "", [](int, int* graph) { graph[0] += ++calls; });
  const ProblemGraph graph(fromEdges(1, {}));
  const auto run = solver.prepare({graph}, {cpuDevice});
  const auto timed = [&](const MeasurePlan& plan) {
    calls = 0;
    const auto unchanged = [&](const Call&) {
      EXPECT_EQ(calls, run->distances().whole()->data()[0]) << "the graph was not as it was";
    };
    return measure(*run, "count", plan, {[&](int) { run->reset(); }, unchanged});
  };
  EXPECT_EQ(3, timed({2, 3}).reps);
  EXPECT_EQ(5, calls);
  EXPECT_EQ(1000, timed({1, 0}).reps) << "a call that takes no time ends at the cap";
}

TEST(Measure, ASolverGetsTheOptionsAndMayRefuse16Bits) {
  Solver row;
  row.name = "picky";
  const Solver solver = inPlace(
      row,
      [](const Device&, int, int*, Dtype, const Options& options) {
        EXPECT_FALSE(options.symmetry || options.skip);
        Call call;
        call.outcome = {options.precision == Precision::k16 ? Tier::kNone : Tier::kUint16, true};
        return call;
      },
      nullptr);
  const ProblemGraph graph(fromEdges(1, {}));
  const auto timed = [&](Precision precision, const std::function<void(const Call&)>& done) {
    const Options options{precision, false, false};
    const auto run = solver.prepare({graph}, {cpuDevice, options});
    measure(*run, "picky", {1, 3, options}, {[&](int) { run->reset(); }, done});
  };
  timed(Precision::kAuto, [](const Call& call) {
    EXPECT_EQ(Tier::kUint16, call.outcome.tier);
    EXPECT_TRUE(call.outcome.symmetric);
  });
  expectError(Exit::kInput, "picky", "16 --precision auto 32",
              [&] { timed(Precision::k16, [](const Call&) { ADD_FAILURE() << "a result"; }); });
}

}  // namespace
