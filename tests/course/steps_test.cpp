// The ladder on the CPU: a report of made-up rungs is measured, verified, compared and printed.
#include "ladder/measure.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "files.h"
#include "io/interrupt.h"
#include "system/screen.h"

namespace {

void wrong(int n, int* graph) {
  apspScalar(n, graph);
  graph[1] += 1;
}

void plain(int n, int* graph) {
  apspScalar(n, graph);
}
void tiled(int n, int* graph) {
  apspCpu(n, graph);
}

const Report kReport = {"T",
                        "a test",
                        "Test GPU",
                        "tests/course/ladder_test.cpp",
                        {100, 0, 0, 0, 2000},
                        {{"t1", "the plain loop", nullptr, plain, {50, 0, 0, 0, 800}},
                         {"t2", "tiles", "t1", tiled, {40, 0, 0, 0, 0}},
                         {"t3", "not right", "t2", wrong, {0, 0, 0, 0, 0}},
                         {"t4", "on what is not right", "t3", tiled, {20, 0, 0, 0, 0}}}};

/// The steps of one n as if they had taken these milliseconds: ref, apsp and the rungs of kReport.
std::vector<Step> stepsTaking(int n, const std::vector<double>& milliseconds) {
  std::vector<Step> steps(2);
  for (const Rung& rung : kReport.rungs) steps.push_back({&kReport, &rung, {}, {}, {}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Record& record = steps[i].record;
    record.kernel = i == 0 ? "ref" : i == 1 ? "apsp" : steps[i].rung->name;
    record.n = n;
    record.timing = {milliseconds[i], milliseconds[i] * 0.9, milliseconds[i] * 2, 5};
    record.verdict.how = i == 0 ? "dijkstra:16" : "ref";
    record.verdict.mismatch.count = record.kernel == "t3";
  }
  compareSteps(steps);
  return steps;
}

TEST(Steps, TheTableHasBothSpeedupsHereAndInTheReport) {
  EXPECT_EQ(
      "\n"
      "n = 1000             speedup over    the report: speedup over\n"
      "step           ms  before   naive          ms  before   naive verified\n"
      "ref        60.000       -    1.00           -       -       - dijkstra:16\n"
      "apsp        0.500       -  120.00           -       -       - ref\n"
      "T: a test\n"
      "t1         20.000    3.00    3.00      50.000    2.00    2.00 ref\n"
      "t2          5.000    4.00   12.00      40.000    1.25    2.50 ref\n"
      "t3          1.000       -       -           -       -       - WRONG\n"
      "t4          4.000       -   15.00      20.000       -    5.00 ref\n",
      forScreen(ladderTables(stepsTaking(1000, {60, 0.5, 20, 5, 1, 4})), false, true));
}

TEST(Steps, WhatAReportDoesNotGiveIsLeftOut) {
  const std::vector<Step> steps = stepsTaking(10000, {4000, 30, 500, 100, 1, 100});
  EXPECT_DOUBLE_EQ(2.5, steps[2].there.overNaive);
  EXPECT_EQ(0, steps[3].there.overBefore) << "the report has a time of t1 only";
  for (const Step& step : stepsTaking(999, {60, 0.5, 20, 5, 1, 4})) {
    EXPECT_EQ(0, step.there.milliseconds + step.there.overBefore + step.there.overNaive)
        << "no report measured at 999";
  }
}

TEST(Steps, CsvHasTheColumnsThatTheScriptsRead) {
  const std::vector<Step> steps = stepsTaking(1000, {60, 0.5, 20, 5, 1, 4});
  EXPECT_EQ(
      "time,report,rung,what,before,n,median_ms,min_ms,max_ms,reps,relax_per_s,speedup_step,"
      "speedup_naive,report_ms,report_speedup_step,report_speedup_naive,verified,device_name,"
      "device_short,revision,dirty,input,graphs\n",
      ladderCsvHeader());
  const std::vector<Row> rows = parseCsv("t", ladderCsvHeader() + ladderCsvRows(steps));
  ASSERT_EQ(6u, rows.size());
  const auto expectRow = [&](std::size_t at, const Row& expected) {
    for (const auto& [column, field] : expected) EXPECT_EQ(field, rows[at].at(column)) << column;
  };
  expectRow(0, {{"report", "-"}, {"rung", "ref"}, {"before", ""}, {"speedup_naive", "1"}});
  expectRow(1, {{"report", "-"}, {"rung", "apsp"}, {"speedup_step", ""}, {"report_ms", ""}});
  expectRow(2, {{"report", "T"}, {"what", "the plain loop"}, {"before", "ref"}});
  expectRow(3, {{"before", "t1"}, {"speedup_step", "4"}, {"report_speedup_step", "1.25"}});
  expectRow(4, {{"verified", "WRONG"}, {"speedup_step", ""}, {"median_ms", "1"}});
  EXPECT_NE(std::string::npos, ladderJson(steps).find("\"report_ms\": null"));
}

TEST(Steps, TheTablesFitATerminal) {
  std::vector<Step> steps = stepsTaking(10000, {99999, 12345, 99999, 0.001, 1, 99999});
  for (Step& step : steps) step.here.overNaive = step.here.overBefore = 1000;
  std::istringstream lines(forScreen(ladderTables(steps), false, true));
  for (std::string line; std::getline(lines, line);) {
    const auto letters = std::count_if(line.begin(), line.end(),
                                       [](char c) { return (c & 0xc0) != 0x80; });  // of UTF-8
    EXPECT_LE(letters, 80) << line;
  }
}

TEST(Steps, EveryRungIsMeasuredAndVerified) {
  MeasureOptions options;
  options.reps = 2;
  const std::vector<Step> steps = runLadder(cpuDevice, {&kReport}, 70, options);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"ref", "dijkstra:16"}, {"apsp", "ref"}, {"t1", "ref"},
      {"t2", "ref"},          {"t3", "WRONG"}, {"t4", "ref"}};
  ASSERT_EQ(expected.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Record& record = steps[i].record;
    EXPECT_EQ(expected[i].first, record.kernel);
    EXPECT_EQ(expected[i].second, record.verified()) << record.kernel;
    EXPECT_EQ(2, record.timing.reps);
  }
  EXPECT_DOUBLE_EQ(steps[2].here.milliseconds / steps[3].here.milliseconds,
                   steps[3].here.overBefore);
  EXPECT_DOUBLE_EQ(steps[0].here.milliseconds / steps[5].here.milliseconds,
                   steps[5].here.overNaive);
}

/// It could know the course's graph. All steps get the same ones.
TEST(Steps, BesideASubmissionEachCallGetsAnotherGraph) {
  Solver submission = inPlace("./mine.so", DeviceKind::kCpu, "", "", plain);
  MeasureOptions options;
  options.reps = 2;
  const std::vector<Step> known = runLadder(cpuDevice, {&kReport}, 30, options, {submission});
  submission.submitted = std::make_shared<const Submitted>(Submitted{"its content"});
  const std::vector<Step> drawn = runLadder(cpuDevice, {&kReport}, 30, options, {submission}),
                          other = runLadder(cpuDevice, {&kReport}, 30, options, {submission});
  for (const Step& step : drawn) {
    EXPECT_EQ("drawn", step.record.graphs()) << step.record.kernel;
    EXPECT_EQ(drawn[0].record.input, step.record.input);
    EXPECT_EQ(drawn[0].record.graph.hash, step.record.graph.hash) << step.record.kernel;
    EXPECT_EQ(step.record.kernel == "t3", step.record.failed()) << step.record.kernel;
  }
  EXPECT_EQ(0u, drawn[0].record.input.find("necessary n=30 seed="));
  EXPECT_NE(drawn[0].record.input, other[0].record.input);
  EXPECT_NE(std::string::npos,
            ladderTables(drawn).find("another graph in each call; --seed " +
                                     std::to_string(drawn[0].record.seed.value())));
  EXPECT_EQ("course n=30 seed=1 range=100000", known[0].record.input);
  EXPECT_EQ("same", known[0].record.graphs());
}

TEST(Steps, AnInterruptReportsThoseThatWereMeasured) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto interrupted = [] {
    removeTemporariesOnSignals();
    const auto stuck = [](int, int*) {
      static int calls = 0;
      if (++calls < 4) return;
      std::raise(SIGTERM);
      for (;;) pause();
    };
    const Report report = {
        "T", "a test", "", "", {}, {{"t1", "", nullptr, plain, {}}, {"t2", "", "t1", stuck, {}}}};
    MeasureOptions options;
    options.reps = 5;
    runLadder(cpuDevice, {&report}, 9, options, {}, [](const std::vector<Step>& steps) {
      std::fputs(forScreen(ladderTables(steps), false, true).c_str(), stderr);
    });
  };
  EXPECT_EXIT(interrupted(), testing::KilledBySignal(SIGTERM),
              "\nt1 .* ref\nt2 .* interrupted after 2 timed calls\n");
}

TEST(Steps, ReportsAreChosenByTheirLetters) {
  EXPECT_EQ(reports().size(), chooseReports({}).size());
  for (const Report& report : reports()) {
    ASSERT_EQ(1u, chooseReports({report.letter}).size());
    EXPECT_EQ(&report, chooseReports({report.letter})[0]);
  }
  expectError(ErrorCode::kUsage, "'Z'", "", [] { chooseReports({"Z"}); });
}

}  // namespace
