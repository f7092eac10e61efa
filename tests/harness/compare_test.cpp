// The comparison of two sets of records: which results are faster or slower, and which cannot be
// compared.
#include "measure/compare.h"

#include <cmath>
#include <random>
#include <sstream>

#include "base/quantity.h"
#include "files.h"
#include "measure/rank_test.h"
#include "system/screen.h"

namespace {

using Calls = std::vector<double>;

struct Sample {
  double minimum, median, maximum;
  int reps = 5;
};

/// A row with this timing, and these fields.
Row rowOf(const Timing& timing, const Row& other = {}) {
  Record r;
  r.input = "course n=100 seed=1 range=100000";
  r.n = 100;
  r.kernel = "apsp";
  r.timing = timing;
  r.verdict.how = "ref";
  r.deviceKind = "cpu";
  r.device.name = "Test CPU";
  r.device.units = 2;
  Row fields = parseCsv("t", csvHeader() + csvRow(r))[0];
  for (const auto& [column, field] : other) fields[column] = field;
  return fields;
}

/// A row of an earlier version, which has neither quartiles nor the times of calls.
Row row(const Sample& s, const Row& other = {}) {
  return rowOf({s.median, s.minimum, s.maximum, s.reps}, other);
}

/// A row without the time of each call.
Row summaryOf(const Calls& calls) {
  return rowOf(summarise(calls), {{"times_ms", ""}});
}

/// One result with the sides that own its rows.
struct One : Compared {
  Side before, after;
};

One compareOne(const Row& a, const Row& b) {
  One one{{}, {"a.csv", {a}}, {"b.csv", {b}}};
  const std::vector<Compared> points = compareRecords(one.before, one.after);
  EXPECT_EQ(1u, points.size());
  static_cast<Compared&>(one) = points.at(0);
  return one;
}

// ---- the test of Mann and Whitney ---------------------------------------------------------------

TEST(RankTest, SmallSamplesHaveTheExactProbability) {
  EXPECT_DOUBLE_EQ(2.0 / 252, rankTest({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}).p);
  EXPECT_DOUBLE_EQ(2.0 / 20, rankTest({4, 5, 6}, {1, 2, 3}).p);
  // Of the 35 choices of 3 ranks, 1+2+3, 1+2+4 and their mirror images are at least so far out.
  EXPECT_NEAR(4.0 / 35, rankTest({1, 2, 4}, {3, 5, 6, 7}).p, 1e-12);
  EXPECT_DOUBLE_EQ(1, rankTest({1, 4}, {2, 3}).p);
  EXPECT_DOUBLE_EQ(1, rankTest({7, 7, 7}, {7, 7, 7, 7}).p);
  // With the ranks 1, 2.5, 2.5, 4: two of the six choices of two have the sums 3.5 or 6.5 twice.
  EXPECT_NEAR(4.0 / 6, rankTest({1, 2}, {2, 3}).p, 1e-12);
}

/// The probability by the normal distribution, from all pairs, as textbooks state it.
double normalP(const Calls& a, const Calls& b) {
  double greater = 0, ties = 0;
  for (const double x : a)
    for (const double y : b) greater += y > x ? 1 : y == x ? 0.5 : 0;
  std::map<double, double> counts;
  for (const Calls* side : {&a, &b})
    for (const double value : *side) ++counts[value];
  for (const auto& [value, count] : counts) ties += count * count * count - count;
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), all = n + m;
  const double deviation = std::sqrt(n * m / 12 * (all + 1 - ties / (all * (all - 1))));
  const double z = (std::abs(greater - n * m / 2) - 0.5) / deviation;
  return std::erfc(std::max(0.0, z) / std::sqrt(2.0));
}

TEST(RankTest, LargeSamplesHaveTheNormalProbability) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto sample = [&](std::size_t count, double shift, double parts) {
    Calls calls;
    for (std::size_t i = 0; i < count; ++i)
      calls.push_back(std::round(parts * (shift + normal(random))) / parts);
    return calls;
  };
  for (int i = 0; i < 20; ++i) {
    for (const double parts : {2.0, 1e9}) {  // with and without ties
      const Calls a = sample(50, 0, parts), b = sample(65, 0.05 * i, parts);
      EXPECT_NEAR(normalP(a, b), rankTest(a, b).p, 1e-9);
      EXPECT_DOUBLE_EQ(rankTest(b, a).p, rankTest(a, b).p);
      EXPECT_DOUBLE_EQ(-rankTest(b, a).shift, rankTest(a, b).shift);
    }
    // Where the exact probability is still computed, the two are nearly the same.
    const Calls a = sample(40, 0, 1e9), b = sample(40, 0.02 * i, 1e9);
    EXPECT_NEAR(1, rankTest(a, b).p / normalP(a, b), 0.05);
    EXPECT_NE(rankTest(a, b).p, normalP(a, b));
  }
  const Calls same(100, 1.0);
  EXPECT_DOUBLE_EQ(1, rankTest(same, same).p);
}

TEST(RankTest, ExtremeSamplesDoNotTouch) {
  EXPECT_TRUE(rankTest({1, 2, 3}, {4, 5}).extreme);
  EXPECT_TRUE(rankTest({4, 5}, {1, 2, 3}).extreme);
  EXPECT_FALSE(rankTest({1, 2, 4}, {4, 5}).extreme);
  EXPECT_FALSE(rankTest({1, 2, 5}, {4, 6}).extreme);
}

TEST(RankTest, CallsThatFitASummary) {
  const auto expect = [](const Calls& wanted, const Calls& found, double sign) {
    ASSERT_EQ(wanted.size(), found.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(wanted[i], found[i], 1e-6);
      EXPECT_GT(sign * (found[i] - wanted[i]), 0);
      EXPECT_LT(i > 0 ? found[i - 1] : 0, found[i]);
    }
  };
  const Calls five = {1, 2, 4, 8, 16}, eight = {1, 2, 3, 4, 5, 6, 7, 8};
  expect(five, longestCalls(summarise(five)), 1);
  expect(five, shortestCalls(summarise(five)), -1);
  // with the quartiles 2.75, 4.5, 6.25
  expect({1, 2.75, 4.5, 4.5, 6.25, 6.25, 8, 8}, longestCalls(summarise(eight)), 1);
  expect({1, 1, 2.75, 2.75, 4.5, 4.5, 6.25, 8}, shortestCalls(summarise(eight)), -1);
  expect({1, 3, 3, 9, 9}, longestCalls({3, 1, 9, 5}), 1);
  expect({1, 1, 3, 3, 9}, shortestCalls({3, 1, 9, 5}), -1);
}

// ---- what is promised ---------------------------------------------------------------------------

/// Times of calls as machines have them: about 2 % of noise, and now and then a call that another
/// process delays.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}

  Calls calls(std::size_t count, double median) {
    Calls calls;
    for (std::size_t i = 0; i < count; ++i) {
      const double late = uniform_(random_) < 0.03 ? 1 + 2 * uniform_(random_) : 1;
      calls.push_back(median * std::exp(0.02 * normal_(random_)) * late);
    }
    return calls;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

/// How often each Change comes out of so many comparisons of a machine with itself, on which one
/// side is slower by `percent`.
std::map<Change, int> changesOf(int comparisons, std::size_t before, std::size_t after,
                                double percent, const std::function<Row(const Calls&)>& record) {
  Machine machine(static_cast<std::uint64_t>(1 + 1000 * before + after));
  std::map<Change, int> changes;
  for (int i = 0; i < comparisons; ++i) {
    const Row a = record(machine.calls(before, 10));
    const Row b = record(machine.calls(after, 10 * (1 + percent / 100)));
    ++changes[compareOne(a, b).change];
  }
  return changes;
}

Row complete(const Calls& calls) {
  return rowOf(summarise(calls));
}

TEST(Compare, UnchangedTimesKeepTheLevel) {
  constexpr int kTries = 400;
  const double expected = kLevel * kTries;
  for (const auto& record : {complete, summaryOf}) {
    for (const auto& [a, b] : std::vector<std::pair<std::size_t, std::size_t>>{
             {5, 5}, {5, 9}, {20, 20}, {8, 50}, {60, 60}}) {
      const auto found = changesOf(kTries, a, b, 0, record);
      EXPECT_LE(kTries - found.at(Change::kNoise), expected + 3 * std::sqrt(expected))
          << a << " and " << b << " calls";
    }
  }
}

TEST(Compare, PlantedSlowDownsAreFoundAsPromised) {
  constexpr int kTries = 200;
  const auto slower = [&](std::size_t calls, double percent) {
    auto found = changesOf(kTries, calls, calls, percent, complete);
    EXPECT_EQ(0, found[Change::kFaster]);
    return found[Change::kSlower] / static_cast<double>(kTries);
  };
  EXPECT_LE(0.85, slower(5, 20));  // all calls must be slower, and one in 30 is late
  EXPECT_LE(0.95, slower(10, 20));
  EXPECT_LE(0.99, slower(20, 20));
  EXPECT_LE(0.97, slower(20, 5));
  EXPECT_GE(0.9, slower(5, 5));
  EXPECT_LE(0.95, slower(100, 2));
  EXPECT_GE(0.5, slower(10, 2));  // so few calls cannot show it
  EXPECT_GE(0.05, slower(1000, 0.5)) << "less than a percent does not count";
}

/// The share of comparisons that the test finds is the one that its theory states.
TEST(Compare, TheTestHasThePowerOfItsTheory) {
  constexpr int kTries = 300;
  constexpr double kNoise = 0.02, kQuantile = 2.5758;  // that of the normal distribution for 1 %
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const double percent : {2.0, 5.0, 20.0}) {
    for (const int count : {10, 20, 45}) {
      int found = 0;
      for (int i = 0; i < kTries; ++i) {
        Calls a, b;
        for (int call = 0; call < count; ++call) {
          a.push_back(std::exp(kNoise * normal(random)));
          b.push_back(std::exp(kNoise * normal(random)) * (1 + percent / 100));
        }
        found += rankTest(a, b).p <= kLevel;
      }
      // The efficiency of the test beside the one of Student is 3/π for normal samples.
      const double shift = std::log(1 + percent / 100) / kNoise * std::sqrt(count / 2.0 * 3 / M_PI);
      const double promised = 0.5 * std::erfc((kQuantile - shift) / std::sqrt(2.0));
      EXPECT_NEAR(promised, found / static_cast<double>(kTries), 0.1)
          << percent << " % in " << count << " calls";
    }
  }
}

TEST(Compare, OneCallThatOverlapsHidesNothing) {
  Machine machine(340);
  Calls a = machine.calls(340, 1), b = machine.calls(340, 3.04);
  a[7] = 3.5;
  for (const auto& record : {complete, summaryOf}) {
    const One point = compareOne(record(a), record(b));
    EXPECT_EQ(Change::kSlower, point.change);
    EXPECT_NEAR(204, point.percent, 2);
    EXPECT_LT(point.p, 1e-10);
    EXPECT_EQ(Change::kFaster, compareOne(record(b), record(a)).change);
  }
}

TEST(Compare, DisturbedRowsAreMarkedAndDoNotFail) {
  Machine machine(1);
  const Timing fast = summarise(machine.calls(20, 10)), slow = summarise(machine.calls(20, 12));
  for (const bool first : {false, true}) {
    const Row disturbed = {{"disturbed", "load"}};
    const One point =
        compareOne(rowOf(fast, first ? disturbed : Row{}), rowOf(slow, first ? Row{} : disturbed));
    EXPECT_EQ(Change::kSlower, point.change);
    EXPECT_FALSE(isRegression(point, 0));
    const std::string table = forScreen(comparisonTable({point}), false, true);
    EXPECT_NE(std::string::npos, table.find(" slower*\n")) << table;
    EXPECT_EQ(first, table.find(milliseconds(fast.median) + "*") != std::string::npos) << table;
    EXPECT_EQ(!first, table.find(milliseconds(slow.median) + "*") != std::string::npos) << table;
    EXPECT_NE(std::string::npos, table.find("\n*: disturbed, never fails")) << table;
  }
  const Row wrong = rowOf(slow, {{"disturbed", "load"}, {"verified", "WRONG"}});
  EXPECT_TRUE(isRegression(compareOne(rowOf(fast), wrong), 1000));
}

// ---- rows ---------------------------------------------------------------------------------------

/// Of rows without the times of calls, five calls are known but for two.
TEST(Compare, EarlierRecordsAreJudgedByWhatTheyHave) {
  const Sample a = {10, 11, 12};
  const struct {
    Sample b;
    Change change;
  } cases[] = {{{10, 11, 12}, Change::kNoise},        {{12.1, 13, 20}, Change::kSlower},
               {{12, 13, 20}, Change::kNoise},        {{11.9, 19, 20}, Change::kNoise},
               {{5, 6, 9.9}, Change::kFaster},        {{5, 6, 10}, Change::kNoise},
               {{5, 6, 30}, Change::kNoise},          {{12.1, 13, 20, 4}, Change::kTooFew},
               {{11, 13, 20, 3}, Change::kNoise},     {{11, 13, 20, 2}, Change::kTooFew},
               {{12.1, 13, 20, 2}, Change::kTooFew},  {{99, 99, 99, 1}, Change::kTooFew},
               {{0.1, 0.1, 0.1, 1}, Change::kTooFew}, {{0, 0, 0}, Change::kFaster}};
  for (const auto& [b, change] : cases) {
    EXPECT_EQ(change, compareOne(row(a), row(b)).change) << b.minimum << ".." << b.maximum;
  }
  EXPECT_EQ(Change::kTooFew, compareOne(row({10, 10, 10, 1}), row({20, 20, 20})).change);
  EXPECT_EQ(Change::kSlower, compareOne(row(a), row({12.1, 13, 20, 6})).change);
  EXPECT_EQ(Change::kSlower, compareOne(row({9, 10, 11, 40}), row({10.5, 12, 31, 40})).change);
}

TEST(Compare, PercentagesAreOfTheMedians) {
  EXPECT_DOUBLE_EQ(50, compareOne(row({9, 10, 11}), row({14, 15, 16})).percent);
  EXPECT_DOUBLE_EQ(-25, compareOne(row({9, 10, 11}), row({7, 7.5, 8})).percent);
  EXPECT_EQ(0, compareOne(row({0, 0, 0}), row({7, 7.5, 8})).percent) << "of nothing";
}

TEST(Compare, WrongResultsHaveNoTime) {
  const Row right = row({9, 10, 11}), wrong = row({1, 2, 3}, {{"verified", "WRONG"}});
  EXPECT_EQ(Change::kWrong, compareOne(right, wrong).change);
  EXPECT_EQ(Change::kWrong, compareOne(wrong, right).change);
  EXPECT_TRUE(isRegression(compareOne(right, wrong), 1000));
  EXPECT_FALSE(isRegression(compareOne(wrong, right), 0));
}

TEST(Compare, ARegressionIsSlowerBeyondTheNoiseAndThePercentage) {
  const Row before = row({9, 10, 11});
  EXPECT_TRUE(isRegression(compareOne(before, row({12, 13, 14})), 29));
  EXPECT_FALSE(isRegression(compareOne(before, row({12, 13, 14})), 31));
  EXPECT_FALSE(isRegression(compareOne(before, row({11, 13, 14})), 0)) << "noise";
  EXPECT_FALSE(isRegression(compareOne(before, row({12, 13, 14, 2})), 0)) << "too few";
  EXPECT_FALSE(
      isRegression(compareOne(rowOf(summarise({10, 10, 10, 10, 10, 10})),
                              rowOf(summarise({10.09, 10.09, 10.09, 10.09, 10.09, 10.09}))),
                   0))
      << "less than a percent";
  EXPECT_FALSE(isRegression(compareOne(before, row({1, 2, 3})), 0)) << "faster";
}

TEST(Compare, WhatAPointIsAndWhatMayDiffer) {
  const Row a = row({9, 10, 11});
  for (const Row& same : {Row{{"revision", "x"}}, Row{{"driver", "x"}}, Row{{"warmup", "7"}},
                          Row{{"input", "other/name.bin"}}, Row{{"time", "2000"}}}) {
    EXPECT_EQ(Change::kSlower, compareOne(a, row({19, 20, 21}, same)).change);
  }
  for (const Row& other : {Row{{"hash", "1"}}, Row{{"n", "101"}}, Row{{"kernel", "ref"}},
                           Row{{"dtype", "f32"}}, Row{{"precision", "32"}}, Row{{"symmetry", "no"}},
                           Row{{"skip", "no"}}, Row{{"device_name", "x"}}, Row{{"units", "3"}}}) {
    const Side before = {"a.csv", {a}}, after = {"b.csv", {row({9, 10, 11}, other)}};
    std::multiset<Change> changes;
    for (const Compared& point : compareRecords(before, after)) {
      EXPECT_FALSE(isRegression(point, 0));
      changes.insert(point.change);
    }
    EXPECT_EQ((std::multiset<Change>{Change::kOnlyA, Change::kOnlyB}), changes)
        << other.begin()->first;
  }
}

TEST(Compare, AnotherGraphInEachCallHasNoHash) {
  const Timing times = summarise({1, 1, 1, 1, 1});
  const auto varied = [&](const char* seed, const char* hash, const char* graphs) {
    return rowOf(times, {{"input", "uniform n=100 seed=" + std::string(seed) + " range=9"},
                         {"seed", seed},
                         {"hash", hash},
                         {"graphs", graphs}});
  };
  const auto points = [&](const Row& a, const Row& b) {
    return compareRecords({"a.csv", {a}}, {"b.csv", {b}}).size();
  };
  EXPECT_EQ(1u, points(varied("3", "aa", "drawn"), varied("4", "bb", "drawn")));
  EXPECT_EQ(1u, points(varied("3", "aa", "varied"), varied("3", "bb", "varied")));
  EXPECT_EQ(2u, points(varied("3", "aa", "varied"), varied("4", "aa", "varied")));
  EXPECT_EQ(2u, points(varied("3", "aa", "public"), varied("3", "bb", "public")));
}

TEST(Compare, AKeyChoosesWhatIsEqual) {
  const Side one = {"1.csv", {row({19, 20, 21}, {{"units", "1"}})}},
             two = {"2.csv", {row({9, 10, 11})}},
             other = {"3.csv", {row({9, 10, 11}, {{"device_name", "x"}})}};
  const std::vector<std::string> noUnits = {"device_name", "hash", "kernel", "n"};
  EXPECT_EQ(2u, compareRecords(one, two).size());
  const std::vector<Compared> points = compareRecords(one, two, noUnits);
  ASSERT_EQ(1u, points.size());
  EXPECT_EQ(Change::kFaster, points[0].change);
  EXPECT_NE(std::string::npos,
            comparisonTable(points).find("A: Test CPU, 1 thread, B: Test CPU, 2 threads\n"));
  EXPECT_EQ(2u, compareRecords(two, other, noUnits).size()) << "two devices";
  EXPECT_EQ(1u, compareRecords(two, other, {"hash", "n"}).size()) << "unless asked";
  expectError(ErrorCode::kUsage, "--key", "'thread' units",
              [&] { compareRecords(one, two, {"thread"}); });
  const Side both = {"both.csv", {one.rows[0], two.rows[0]}};
  expectError(ErrorCode::kInput, "both.csv", "units 1 2 --key",
              [&] { compareRecords(both, two, noUnits); });
}

TEST(Compare, OfSeveralRecordsTheLastCounts) {
  const Side a = {"a.csv", {row({1, 2, 3}), row({9, 10, 11})}}, b = {"b.csv", {row({12, 13, 14})}};
  const std::vector<Compared> points = compareRecords(a, b);
  ASSERT_EQ(1u, points.size());
  EXPECT_DOUBLE_EQ(30, points[0].percent);
}

TEST(Compare, TimesThatAreNoneAreRefused) {
  for (const std::string text : {"nan", "inf", "-1", "", "x", "1 ", "0x1", "1e999"}) {
    for (const std::string column : {"median_ms", "min_ms", "max_ms", "reps", "n"}) {
      const Row bad = row({9, 10, 11}, {{column, text}});
      expectError(ErrorCode::kInput, "b.csv", "course n=100 seed=1 range=100000 apsp " + column,
                  [&] {
                    compareOne(row({9, 10, 11}), bad);
                  });
    }
  }
  for (const std::string column : {"q1_ms", "times_ms"})
    expectError(ErrorCode::kInput, "b.csv", column + " '-1'", [&] {
      compareOne(row({9, 10, 11}), row({9, 10, 11}, {{column, "-1"}}));
    });
  for (const Sample& s : {Sample{9, 8, 11}, Sample{9, 12, 11}}) {
    expectError(ErrorCode::kInput, "a.csv", "min_ms median_ms max_ms", [&] {
      compareOne(row(s), row({9, 10, 11}));
    });
  }
}

TEST(Compare, TheTableFitsTheTerminal) {
  const Row told = {{"precision", "16"}, {"symmetry", "no"}};
  const Side a = {
      "a.csv",
      {rowOf(summarise({99, 99.5, 100, 100.5, 101})), row({123456.7, 234567.8, 345678.9}, told),
       row({1, 2, 3}, {{"n", "9"}, {"throttle", "power-cap"}, {"other_users", "0"}})}};
  const Side b = {"b.csv", {rowOf(summarise({108, 109, 110, 111, 112}))}};
  const std::string table = forScreen(comparisonTable(compareRecords(a, b)), false, true);
  EXPECT_NE(std::string::npos,
            table.find("Test CPU, 2 threads\ncourse seed=1 range=100000, apsp\n"
                       "      n       A ms   spread       B ms   spread    change       p \n"
                       "    100    100.000     1.0%    110.000     1.8%    +10.0%  0.0079 "
                       "slower\n"))
      << table;
  EXPECT_NE(std::string::npos, table.find(" only A*\n")) << table;
  EXPECT_NE(std::string::npos, table.find("; measure it again\n1 slower, 2 only in A\n")) << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
