// The comparison of two sets of records: which results are faster or slower, and which cannot be
// compared.
#include "measure/compare.h"

#include <sstream>

#include "core/screen.h"
#include "files.h"

namespace {

struct Sample {
  double minimum, median, maximum;
  int reps = 5;
};

Row row(const Sample& s, const Row& other = {}) {
  Record r;
  r.input = "course n=100 seed=1 range=100000";
  r.n = 100;
  r.kernel = "apsp";
  r.timing = {s.median, s.minimum, s.maximum, s.reps};
  r.verdict.how = "ref";
  r.deviceKind = "cpu";
  r.device.name = "Test CPU";
  r.device.units = 2;
  Row fields = parseCsv("t", csvHeader() + csvRow(r))[0];
  for (const auto& [column, field] : other) fields[column] = field;
  return fields;
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

TEST(Compare, RangesThatDoNotTouchAreADifference) {
  const Sample a = {10, 11, 12};
  const struct {
    Sample b;
    Change change;
  } cases[] = {{{10, 11, 12}, Change::kNoise},        {{12.1, 13, 20}, Change::kSlower},
               {{12, 13, 20}, Change::kNoise},        {{11.9, 19, 20}, Change::kNoise},
               {{5, 6, 9.9}, Change::kFaster},        {{5, 6, 10}, Change::kNoise},
               {{5, 6, 30}, Change::kNoise},          {{12.1, 13, 20, 3}, Change::kSlower},
               {{12.1, 13, 20, 2}, Change::kTooFew},  {{99, 99, 99, 1}, Change::kTooFew},
               {{0.1, 0.1, 0.1, 1}, Change::kTooFew}, {{0, 0, 0}, Change::kFaster}};
  for (const auto& [b, change] : cases) {
    EXPECT_EQ(change, compareOne(row(a), row(b)).change) << b.minimum << ".." << b.maximum;
  }
  EXPECT_EQ(Change::kTooFew, compareOne(row({10, 10, 10, 1}), row({20, 20, 20})).change);
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
  expectError(Exit::kUsage, "--key", "'thread' units",
              [&] { compareRecords(one, two, {"thread"}); });
  const Side both = {"both.csv", {one.rows[0], two.rows[0]}};
  expectError(Exit::kInput, "both.csv", "units 1 2 --key",
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
      expectError(Exit::kInput, "b.csv", "course n=100 seed=1 range=100000 apsp " + column, [&] {
        compareOne(row({9, 10, 11}), bad);
      });
    }
  }
  for (const Sample& s : {Sample{9, 8, 11}, Sample{9, 12, 11}}) {
    expectError(Exit::kInput, "a.csv", "min_ms median_ms max_ms", [&] {
      compareOne(row(s), row({9, 10, 11}));
    });
  }
}

TEST(Compare, TheTableFitsTheTerminal) {
  const Row told = {{"precision", "16"}, {"symmetry", "no"}};
  const Side a = {"a.csv",
                  {row({99.5, 100, 101}), row({123456.7, 234567.8, 345678.9}, told),
                   row({1, 2, 3}, {{"n", "9"}, {"throttle", "power-cap"}, {"other_users", "0"}})}};
  const Side b = {"b.csv", {row({109.5, 110, 111})}};
  const std::string table = forScreen(comparisonTable(compareRecords(a, b)), false, true);
  EXPECT_NE(std::string::npos,
            table.find("Test CPU, 2 threads\ncourse seed=1 range=100000, apsp\n"
                       "      n     A ms           min..max     B ms           min..max  change \n"
                       "    100  100.000    99.500..101.000  110.000   109.500..111.000  +10.0% "
                       "slower\n"))
      << table;
  EXPECT_NE(std::string::npos, table.find(" only A*\n")) << table;
  EXPECT_NE(std::string::npos, table.find("\n*: disturbed\n1 slower, 2 only in A\n")) << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
