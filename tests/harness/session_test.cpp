// Sessions in which each call gets a graph of its own.
#include "measure/session.h"
#include "generate/source.h"

#include <set>

#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "devices.h"
#include "files.h"
#include "generate/generate.h"
#include "measure/doubt.h"
#include "threads.h"

namespace {

TEST(Measuring, MakesFewCallsIfTheyTakeLong) {
  for (const auto& [milliseconds, calls] : std::vector<std::pair<double, int>>{
           {0.01, 1000}, {1, 200}, {60, 5}, {400, 5}, {500, 4}, {700, 3}, {5000, 3}}) {
    int made = 0;
    const Timing timing = measure(MeasureOptions{2}, [&, ms = milliseconds](int number) {
      EXPECT_EQ(++made, number);
      return ms;
    });
    EXPECT_EQ(timing.reps, calls) << milliseconds;
    EXPECT_EQ(made, 2 + calls);
  }
}

TEST(Measuring, APlanBoundsTheCalls) {
  MeasureOptions plan;
  plan.atMost = 50;
  plan.ifLong = 2;
  for (const auto& [milliseconds, calls] : std::vector<std::pair<double, int>>{
           {0.01, 50}, {1, 50}, {10, 20}, {400, 5}, {700, 3}, {1000, 2}, {5000, 2}}) {
    const auto call = [ms = milliseconds](int) { return ms; };
    EXPECT_EQ(calls, measure(plan, call).reps) << milliseconds;
  }
  plan.reps = 60;
  EXPECT_EQ(60, measure(plan, [](int) { return 1; }).reps) << "what was asked for";
}

TEST(Measuring, LongCallsThatAgreeNeedNoWarmup) {
  for (const double least : {1000.0, 300.0}) {
    EXPECT_TRUE(needNoWarmup(1000, 1010, least));
    EXPECT_TRUE(needNoWarmup(1010, 1000, least));
    EXPECT_FALSE(needNoWarmup(1000, 1010.1, least));
    EXPECT_FALSE(needNoWarmup(1011, 1000, least));
    EXPECT_EQ(least < 999, needNoWarmup(999, 1000, least));
    EXPECT_EQ(least < 999, needNoWarmup(1000, 999, least));
    EXPECT_FALSE(needNoWarmup(299.9, 300, least));
  }
  MeasureOptions plan;
  plan.ifLong = 2;
  const auto timed = [&](std::vector<double> calls) {
    return measure(plan, [&](int number) { return calls[static_cast<std::size_t>(number - 1)]; });
  };
  const std::vector<double> close = {2000, 2010, 2100, 2200}, cold = {2100, 2000, 2010, 2200},
                            brief = {400, 404, 404, 404, 404, 404};
  EXPECT_EQ((std::vector<double>{2010, 2100}), timed(close).calls) << "it is not allowed";
  plan.countsFirstFrom = 1000;
  EXPECT_EQ(5, timed(brief).reps);
  plan.countsFirstFrom = 250;
  EXPECT_EQ((std::vector<double>{400, 404}), timed(brief).calls);
  EXPECT_EQ((std::vector<double>{2000, 2010}), timed(close).calls);
  EXPECT_EQ(0, timed(close).warmup);
  EXPECT_EQ((std::vector<double>{2000, 2010}), timed(cold).calls) << "the first one was slower";
  EXPECT_EQ(1, timed(cold).warmup);
  plan.reps = 3;
  EXPECT_EQ((std::vector<double>{2010, 2100, 2200}), timed(close).calls) << "3 are asked for";
  plan = {2, 0};
  plan.ifLong = 2;
  plan.countsFirstFrom = 250;
  EXPECT_EQ((std::vector<double>{2100, 2200}), timed(close).calls) << "2 warm-up calls are";
}

MeasureOptions varied(int reps) {
  MeasureOptions plan;
  plan.reps = reps;
  plan.vary = true;
  return plan;
}

/// The first words that a solver got in each call, while a session measured it.
std::vector<int> firstWords(std::uint64_t seed, int n = 20) {
  static std::vector<int> words;
  words.clear();
  const Solver solver = inPlace("peeks", DeviceKind::kCpu, "", "", [](int size, int* graph) {
    words.push_back(graph[1]);
    apspCpu(size, graph);
  });
  Spec spec;
  spec.family = familyIndex("uniform");
  spec.n = n;
  spec.seed = seed;
  ProblemGraph graph(spec);
  Session session(graph, cpuDevice, varied(4), {0, 0, true});
  const Record record =
      session.run(solver, {VerifyOptions::Oracle::kApsp}, session.describe("g", seed));
  EXPECT_EQ("apsp", record.verified());
  return words;
}

TEST(Session, EachCallGetsAGraphWithASeedOfItsOwn) {
  const std::vector<int> words = firstWords(7);
  EXPECT_EQ(5u, words.size());
  EXPECT_EQ(words.size(), std::set<int>(words.begin(), words.end()).size());
  EXPECT_EQ(words, firstWords(7)) << "the same seed gives the same graphs";
  EXPECT_NE(words, firstWords(8));
  EXPECT_NE(words, firstWords(7, 21)) << "a graph must not be a part of a larger one";
}

TEST(Session, EveryGraphIsVerified) {
  static int calls;
  calls = 0;
  const Solver solver = inPlace("once", DeviceKind::kCpu, "", "", [](int n, int* graph) {
    if (++calls != 3) apspCpu(n, graph);
  });
  Spec spec;
  spec.family = familyIndex("uniform");
  spec.n = 20;
  for (const auto oracle : {VerifyOptions::Oracle::kRef, VerifyOptions::Oracle::kApsp}) {
    ProblemGraph graph(spec);
    Session session(graph, cpuDevice, varied(4), {0, 0, true});
    calls = 0;
    EXPECT_TRUE(session.run(solver, {oracle}, session.describe("g", 7)).failed());
  }
}

/// A random graph whose weights need the type that it has.
ProblemGraph graphOf(Dtype dtype) {
  Spec spec;
  spec.family = familyIndex("uniform");
  spec.n = 60;
  spec.dtype = dtype;
  if (sizeOf(dtype) == 8) spec.range = std::int64_t{1} << 40;
  return ProblemGraph(spec);
}

/// One distance of three edges is off by more than these explain, and by less than the longest path
/// would.
TEST(Session, ComparesRealsWithWhatTheirLengthExplains) {
  constexpr int n = 300;
  static double off;
  const Solver solver =
      inPlace("off", DeviceKind::kCpu, "", "", {Dtype::kFloat64}, [](int size, Elements matrix) {
        apspScalar(size, matrix);
        matrix.as<double>()[3] += off;
      });
  Edges<double> chain;
  for (int i = 0; i + 1 < n; ++i) chain.push_back({i, i + 1, 1.0});
  MeasureOptions plan;
  plan.reps = 1;
  for (const auto oracle : {VerifyOptions::Oracle::kRef, VerifyOptions::Oracle::kApsp})
    for (const double by : {0.0, 0x1p-52, 40 * 0x1p-52}) {
      off = by * 3;
      ProblemGraph graph(fromEdges(n, chain));
      Session session(graph, cpuDevice, plan, {0, 0, true});
      const Record record = session.run(solver, {oracle}, session.describe("g", {}));
      EXPECT_EQ(by > 0x1p-52, record.failed()) << by;
    }
}

/// On a busy machine a call may wait between the two clocks. A false clock is false in each call.
TEST(Session, OfASubmissionATimeIsDisputedOnlyIfEachCallDiffers) {
  static std::vector<double> own;  // milliseconds by the worker's clock; by ours each call takes 50
  static std::size_t calls;
  Solver row;
  row.name = "tells";
  row.device = DeviceKind::kCpu;
  const Solver solver = inPlace(
      row,
      [](const Device&, int n, Elements matrix, const Options&) {
        apspCpu(n, matrix.as<int>());
        Call call;
        call.milliseconds = 50;
        call.submitted = std::make_shared<const SubmittedCall>(
            SubmittedCall{{1, own[calls++ % own.size()], 0.5}});
        return call;
      },
      nullptr);
  const auto disputed = [&](std::vector<double> times) {
    own = std::move(times);
    calls = 0;
    Spec spec;
    spec.n = 9;
    ProblemGraph graph(spec);
    MeasureOptions plan = varied(3);
    plan.warmup = 0;
    Session session(graph, cpuDevice, plan, {0, 0, true});
    Record record = session.run(solver, {VerifyOptions::Oracle::kApsp}, session.describe("g", 1));
    record.load = {};  // whatever this machine does meanwhile
    return !disputeOf(record).empty();
  };
  EXPECT_FALSE(disputed({50, 50, 50}));
  EXPECT_FALSE(disputed({49, 20, 20})) << "two calls waited";
  EXPECT_FALSE(disputed({20, 20, 49}));
  EXPECT_TRUE(disputed({20, 21, 22}));
  EXPECT_TRUE(disputed({90, 90, 90}));
}

TEST(Session, SolvesAndVerifiesEveryType) {
  for (const Dtype dtype : kDtypes) {
    ProblemGraph graph = graphOf(dtype);
    for (const char* oracle : {"ref", "dijkstra:60", "bellman:60"}) {
      const VerifyOptions verify = parseVerify(oracle);
      const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
      const SessionMemory memory = requireMemory({graph}, cpuDevice, {solver}, verify, {});
      Session session(graph, cpuDevice, {}, memory);
      const Record record = session.run(solver, verify, session.describe("g", {}));
      EXPECT_FALSE(record.failed()) << nameOf(dtype) << " " << oracle;
      EXPECT_EQ(0u, record.verified().find(oracle)) << record.verified();
      EXPECT_EQ(isWhole(dtype), record.verified().find("±") == std::string::npos);
      EXPECT_EQ(dtype, record.dtype);
      EXPECT_EQ(tierOf(dtype), record.outcome.tier) << nameOf(dtype);
      EXPECT_EQ(dtype, dtypeOf(record.farthest));
      EXPECT_LT(0, toDouble(record.farthest));
    }
  }
}

TEST(Session, NeedsTwiceTheMemoryFor64Bits) {
  const std::vector<Solver> ref = {findSolver("ref", DeviceKind::kCpu)};
  for (const Dtype dtype : kDtypes) {
    const ProblemGraph graph = graphOf(dtype);
    EXPECT_EQ(60 * 60 * sizeOf(dtype), requireMemory({graph}, cpuDevice, ref, {}, {}).device)
        << nameOf(dtype);
  }
}

/// So that a file is written in the timed sweep, and no second one is made for it.
TEST(Session, GivesRowsWithoutRoomToTheSink) {
  const Threads two(2);
  const int n = 1600;
  ProblemGraph graph(specOf(familyIndex("grid"), n, 3));
  const SmallDevice device(std::size_t{9} << 20);
  const std::vector<Solver> solvers = {findSolver("apsp", DeviceKind::kCpu)};
  MeasureOptions plan{0, 1};
  plan.options.method = Method::kSparse;
  int rows = 0;
  plan.sink = [&](int, int count, ConstElements) { rows += count; };
  Session session(graph, device, plan, requireMemory({graph}, device, solvers, {}, plan));
  const Record record = session.run(solvers[0], {}, session.describe("a grid", {}));
  EXPECT_TRUE(record.outcome.streamed);
  EXPECT_EQ(n, rows);
}

TEST(Session, SaysWhatToDoIfAKernelDoesNotTakeTheType) {
  const Solver whole = inPlace("mine", DeviceKind::kCpu, "", "", [](int, int*) {});
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kInt64, Dtype::kFloat64}) {
    ProblemGraph graph = graphOf(dtype);
    Session session(graph, cpuDevice, {}, {});
    expectError(ErrorCode::kUsage, "kernel mine solves no", nameOf(dtype),
                [&] { session.run(whole, {}, session.describe("g", {})); });
  }
}

TEST(Session, AnOracleIsNeverTheSolverItself) {
  EXPECT_EQ("ref", solverThatVerifies(parseVerify("apsp"), "apsp"));
  EXPECT_EQ("apsp", solverThatVerifies(parseVerify("apsp"), "ref"));
  EXPECT_EQ("", solverThatVerifies(parseVerify("ref"), "ref"));
  EXPECT_EQ("", solverThatVerifies(parseVerify("dijkstra"), "apsp"));
}

TEST(Seeds, OfCallsTellNothingOfEachOther) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t secret : {0, 1, 2})
    for (int n = 0; n < 10; ++n)
      for (int call = 0; call < 10; ++call) seeds.insert(seedOfCall(secret, n, call));
  EXPECT_EQ(300u, seeds.size());
  EXPECT_NE(drawSeed(), drawSeed());
}

}  // namespace
