// The ladder: every rung bit for bit against the naive solver, on every family, directed or not,
// around every edge of its tiles; and its table, in which the reports' times must give the speedups
// that they print.
#include "ladder/ladder.h"
#include "generate/families.h"
#include "ladder/kernels.h"

#include <map>
#include <random>
#include <set>

#include "devices.h"
#include "seed.h"
#include "ways.h"

namespace {

using Rungs = OnDevice;
INSTANTIATE_TEST_SUITE_P(Devices, Rungs, testing::Values("gpu"), kindName);

const int kSizes[] = {1, 31, 32, 33, 63, 64, 65, 100, 191, 192, 193, 385, 997, 1000, 2500};
constexpr int kSmall = 500;

template <class Visit>
void forEachRung(Visit visit) {
  for (const Report& report : reports()) {
    for (const Rung& rung : report.rungs) visit(report, rung);
  }
}

/// Where solving takes long, on one family of four, chosen by the seed.
TEST_P(Rungs, AreBitForBitRight) {
  const std::uint64_t seed = testSeed();
  const int families = static_cast<int>(familyTable().size());
  for (const int n : kSizes) {
    for (int family = 0; family < families; ++family) {
      if (n > kSmall && (static_cast<std::uint64_t>(family + n) + seed) % 4 != 0) continue;
      // No rung looks whether a graph is symmetric.
      const Spec spec = specOf(family, n, seed, (family + n) % 2 == 1);
      Exercise exercise(device(), spec);
      forEachRung([&](const Report&, const Rung& rung) {
        const Mismatch m = exercise.wrong(exercise.solve({Dtype::kInt32, {}}, rung.name));
        EXPECT_EQ(0u, m.count) << rung.name << " on " << describe(spec) << ": first at (" << m.i
                               << ", " << m.j << "), expected " << textOf(m.expected) << ", got "
                               << textOf(m.got);
      });
    }
  }
}

class Ladder : public testing::Test {
 protected:
  void SetUp() override {
    if (reports().empty()) GTEST_SKIP() << "built without CUDA";
  }
};

TEST_F(Ladder, EveryRungIsASolverOfItsOwnName) {
  std::map<std::string, int> rows;
  for (const Solver& solver : kernelTable()) ++rows[solver.name];
  forEachRung([&](const Report&, const Rung& rung) { EXPECT_EQ(1, rows[rung.name]) << rung.name; });
}

TEST_F(Ladder, EveryRungImprovesOnAnEarlierOneOfItsReport) {
  for (const Report& report : reports()) {
    std::set<std::string> earlier;
    for (const Rung& rung : report.rungs) {
      EXPECT_EQ(rung.before == nullptr, earlier.empty()) << rung.name;
      EXPECT_TRUE(rung.before == nullptr || earlier.count(rung.before) == 1) << rung.name;
      earlier.insert(rung.name);
    }
  }
}

TEST_F(Ladder, TimesGiveTheSpeedupsThatTheReportsPrint) {
  const std::map<std::string, std::vector<double>> printed = {
      {"a1", {3.382, 5.837, 6.373, 6.396, 6.151}},
      {"a2", {2.938, 6.286, 6.526, 6.575, 6.332}},
      {"a3", {4.828, 10.485, 12.375, 12.550, 12.123}},
      {"a4", {6.472, 12.543, 14.508, 14.670, 14.133}},
      {"a5", {6.938, 13.845, 15.797, 15.976, 15.395}},
      {"a6", {7.295, 14.671, 16.667, 16.945, 16.339}},
      {"a7", {8.682, 19.530, 19.844, 20.481, 19.771}},
      {"a8", {11.049, 25.499, 27.804, 28.974, 28.053}},
      {"c1", {12.43, 30.29, 38.92, 38.30, 37.76}},
      {"d1", {4.12, 11.03, 12.20, 12.43, 12.06}},
      {"d2", {5.76, 16.73, 19.10, 19.59, 19.16}},
      {"d3", {5.85, 20.07, 24.46, 25.25, 24.59}},
      {"d4", {8.00, 26.35, 33.80, 35.22, 34.57}},
  };
  std::size_t found = 0;
  forEachRung([&](const Report& report, const Rung& rung) {
    const auto row = printed.find(rung.name);
    if (row == printed.end()) return;
    ++found;
    const double lastDigit =
        report.letter == std::string("A") ? 0.001 : 0.01;  // rounded or cut off
    for (std::size_t i = 0; i < row->second.size(); ++i)
      EXPECT_NEAR(row->second[i], report.naive[i] / rung.milliseconds[i], lastDigit) << rung.name;
  });
  EXPECT_EQ(printed.size(), found);
}

}  // namespace
