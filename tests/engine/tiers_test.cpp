// The GPU's optimised solver in every way that it can be asked to go, bit for bit against the naive
// one: each arithmetic and side of the tiles, with and without the shortcuts that a graph allows,
// on every family, in both directions, around every edge of the tiles. Also what it says of how it
// went: what kind of graph it was is found out here by other means than the solver's survey.
#include <algorithm>
#include <iterator>
#include <memory>
#include <random>

#include "devices.h"
#include "generate/families.h"
#include "generate/source.h"
#include "seed.h"
#include "ways.h"

namespace {

using Tiers = OnDevice;
INSTANTIATE_TEST_SUITE_P(Devices, Tiers, testing::Values("gpu"), kindName);

const std::vector<int> kSmallSizes = {1,  2,   3,   31,  32,  33,  63, 64,
                                      65, 127, 128, 129, 255, 256, 257};
const std::vector<int> kSizes = {997, 1000, 1573, 2500};
const std::vector<int> kLargeSizes = {4999, 5000, 9999, 10000};
/// For these, ref takes seconds. This rung shares no code with the optimised solver, and takes a
/// twentieth of that. course/ladder_test.cpp compares it with ref.
constexpr char kOracleOfLarge[] = "c1";

constexpr int kTooFarFor16 = 32767;
constexpr int kSurveyed = 2500;  // from here on at the latest, the solver looks at every graph

constexpr int kHalved = 4999;  // and solves half of a symmetric one

/// What is true of a graph and its distances.
struct Facts {
  bool symmetric, missing;  ///< some edge is missing
  bool far;                 ///< some distance is too far for 16 bits
};

Facts factsOf(const Device& device, const Spec& spec, const Exercise& exercise) {
  const auto pairs = static_cast<std::uint64_t>(spec.n) * static_cast<std::uint64_t>(spec.n - 1);
  const GraphStats edges = device.statistics(spec.n, exercise.graph());
  const GraphStats reached = device.statistics(spec.n, exercise.distances());
  Spec both = spec;
  both.undirected = true;
  const DeviceMatrix undirected(device, spec.n, Dtype::kInt32);
  generateOn(device, both, undirected.data());
  const Mismatch oneWay = device.compare(spec.n, undirected.data(), exercise.graph(), 0);
  return {oneWay.count == 0, edges.edges < pairs,
          reached.edges < pairs || toDouble(reached.maxWeight) >= kTooFarFor16};
}

/// The arithmetics that may be used; two where the solver may be surer of 16 bits than this test.
std::vector<Tier> tiersFor(const Device& device, const Spec& spec, const Way& way,
                           const Facts& facts) {
  if (way.dtype != Dtype::kInt32) return {tierOf(way.dtype)};
  if (way.options.precision == Precision::k32) return {Tier::kInt32};
  if (way.options.precision == Precision::k16) return {facts.far ? Tier::kNone : Tier::kUint16};
  static const bool fast16 = device.info().capability >= 90;
  if (facts.far || !fast16) return {Tier::kInt32};
  // It looks at paths of two edges: some of them are short where weights are random, but few of a
  // ring's.
  const std::string& family = familyTable()[static_cast<std::size_t>(spec.family)].name;
  if (spec.n >= kSurveyed && (family == "course" || family == "uniform")) return {Tier::kUint16};
  if (spec.n > 5 && family.find("ring") != std::string::npos) return {Tier::kInt32};
  return {Tier::kInt32, Tier::kUint16};
}

void expectRight(const Device& device, const Spec& spec, const Way& way, const Facts& facts,
                 Exercise& exercise) {
  SCOPED_TRACE(describe(spec) + " as " + describe(way));
  const Outcome outcome = exercise.solve(way);
  const Mismatch m = exercise.wrong(outcome);
  EXPECT_EQ(0u, m.count) << "elements differ: first at (" << m.i << ", " << m.j << "), expected "
                         << textOf(m.expected) << ", got " << textOf(m.got);
  if (outcome.method == Method::kFiltered) {
    EXPECT_NE(Method::kDense, way.options.method);
    EXPECT_EQ(tierOf(way.dtype), outcome.tier);
    EXPECT_FALSE(outcome.symmetric || outcome.skipped);
    return;
  }
  const std::vector<Tier> tiers = tiersFor(device, spec, way, facts);
  EXPECT_NE(0, std::count(tiers.begin(), tiers.end(), outcome.tier)) << nameOf(outcome.tier);
  const bool surveyed =
      way.options.tile != 0 || way.options.precision == Precision::k16 || spec.n >= kSurveyed;
  const auto expectTaken = [](bool taken, bool possible, bool certain, const char* shortcut) {
    EXPECT_TRUE(taken ? possible : !possible || !certain) << shortcut << ": " << taken;
  };
  const bool halves = surveyed && (way.options.tile != 0 || spec.n >= kHalved);
  expectTaken(outcome.symmetric, way.options.symmetry && facts.symmetric, halves, "symmetric");
  expectTaken(outcome.skipped, way.options.skip && facts.missing, surveyed, "skipped");
}

/// Solves the graph in every way, and by its oracle once.
void expectRightInEveryWay(const Device& device, const Spec& spec) {
  Exercise exercise(device, spec, spec.n < kLargeSizes[0] ? "ref" : kOracleOfLarge);
  const Facts facts = factsOf(device, spec, exercise);
  std::vector<Way> ways(std::begin(kWays), std::end(kWays));
  ways.insert(ways.end(), std::begin(kWideWays), std::end(kWideWays));
  for (Way way : ways) {
    for (const bool symmetry : {true, false}) {
      for (const bool skip : {true, false}) {
        if (way.options.method == Method::kFiltered && !(symmetry && skip)) continue;
        way.options.symmetry = symmetry;
        way.options.skip = skip;
        expectRight(device, spec, way, facts, exercise);
      }
    }
  }
}

/// Every family in both directions at every size, up to the first graph on which something is
/// wrong. chosen(number of the graph, n): whether to solve it.
template <class Chosen>
void expectRightOnEveryFamily(const Device& device, const std::vector<int>& sizes,
                              std::uint64_t seed, Chosen chosen) {
  const int families = static_cast<int>(familyTable().size());
  for (const int n : sizes) {
    for (int graph = 0; graph < 2 * families; ++graph) {
      if (!chosen(graph, n)) continue;
      expectRightInEveryWay(device, specOf(graph / 2, n, seed, graph % 2 == 1));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// By default the course's own graph, and one of `of` others, chosen by the seed and n.
void expectRightOnSomeFamilies(const Device& device, const std::vector<int>& sizes, unsigned of) {
  const std::uint64_t seed = testSeed();
  const auto chosen = [&](int graph, int n) {
    return wantsAll() || graph == 0 || (static_cast<std::uint64_t>(graph + n) + seed) % of == 0;
  };
  expectRightOnEveryFamily(device, sizes, seed, chosen);
}

TEST_P(Tiers, EveryWayIsBitForBitRight) {
  expectRightOnSomeFamilies(device(), kSmallSizes, 4);
}

TEST_P(Tiers, EveryWayIsBitForBitRightOnGraphsOfMoreTiles) {
  expectRightOnSomeFamilies(device(), kSizes, 12);
}

TEST_P(Tiers, EveryWayIsBitForBitRightOnLargeGraphs) {
  expectRightOnSomeFamilies(device(), kLargeSizes, 60);
}

/// A 16-bit copy of n = 7500 is 113 MB and needs 31 MB of panels; int32 is solved in place with 46.
TEST_P(Tiers, WithoutRoomForTheFasterArithmeticTheOtherOneIsTaken) {
  const Spec spec = specOf(familyIndex("course"), 7500, 1, false);
  Exercise exercise(device(), spec);
  exercise.solve(kWays[0]);  // makes all that is allocated once
  constexpr std::size_t kFree = std::size_t{130} << 20;
  std::vector<std::unique_ptr<DeviceMatrix>> occupied;
  for (int side = 32768; side >= 512; side /= 2) {  // 4 GB … 1 MB
    while (device().freeBytes() >= kFree + matrixBytes(side, Dtype::kInt32))
      occupied.push_back(std::make_unique<DeviceMatrix>(device(), side, Dtype::kInt32));
  }
  const Way dense = {Dtype::kInt32, {Precision::kAuto, true, true, 0, nullptr, Method::kDense}};
  const Outcome outcome = exercise.solve(dense);
  occupied.clear();
  EXPECT_EQ(Tier::kInt32, outcome.tier);
  EXPECT_EQ(0u, exercise.wrong(outcome).count);
  EXPECT_EQ(Tier::kUint16, exercise.solve(dense).tier);
}

}  // namespace
