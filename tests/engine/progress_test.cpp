// The line about work under way: what it says of which numbers, and which work it is about.
#include "base/progress.h"
#include "system/progress_line.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "system/screen.h"

namespace {

constexpr auto kParts = Units::kParts, kBytes = Units::kBytes, kCalls = Units::kCalls;

TEST(Progress, SaysHowMuchIsDoneAndWhenTheRestWillBe) {
  const struct {
    std::vector<WorkState> works;
    const char* line;
  } rows[] = {
      // what, units, done, total, elapsed, expected
      {{{"reading g.gr", kBytes, 43, 100, 2.1}},
       "apsp: reading g.gr: 43 %, 2.1 s so far, about 2.8 s left"},
      {{{"reading g.gr", kBytes, 0, 100, 2.1}}, "apsp: reading g.gr: 2.1 s so far"},
      {{{"reading g.gr", kBytes, 1, 200, 2}},
       "apsp: reading g.gr: 2.0 s so far, about 6 min 38 s left"},
      {{{"reading g.gr", kBytes, 100, 100, 2.1}}, "apsp: reading g.gr: 100 %, 2.1 s so far"},
      {{{"reading g.gr", kBytes, 101, 100, 2.1}}, "apsp: reading g.gr: 100 %, 2.1 s so far"},
      {{{"reading g.gr", kBytes, 999, 1000, 60}},
       "apsp: reading g.gr: 99 %, 1 min 0 s so far, about 0.1 s left"},
      {{{"reading <stdin>", kBytes, 12500000, 0, 5}},
       "apsp: reading <stdin>: 12.5 MB, 2.50 MB/s, 5.0 s so far"},
      {{{"reading <stdin>", kBytes, 0, 0, 0}},
       "apsp: reading <stdin>: 0 bytes, 0 bytes/s, 0.0 s so far"},
      {{{"compiling a.cu", kParts, 0, 0, 7}}, "apsp: compiling a.cu: 7.0 s so far"},
      // What has been read is sorted.
      {{{"reading g.gr", kBytes, 9, 9, 4}, {"sorting edges", kParts, 1, 4, 0.3}},
       "apsp: reading g.gr: sorting edges: 25 %, 0.3 s so far, about 0.9 s left"},
      {{{"reading <stdin>", kBytes, 9, 0, 4}, {"sorting edges", kParts, 1, 4, 0.3}},
       "apsp: reading <stdin>: sorting edges: 25 %, 0.3 s so far, about 0.9 s left"},
      // Text is measured by what is printed, not by its bytes, in whichever order both began.
      {{{"", kParts, 1, 4, 2}, {"writing d.tsv", kBytes, 7, 0, 2}},
       "apsp: writing d.tsv: 25 %, 2.0 s so far, about 6.0 s left"},
      // The outermost work counts, and calls by the part of them that is done.
      {{{"kernel apsp", kParts, 0, 0, 9}, {"", kCalls, 2, 6, 7}, {"", kParts, 1, 2, 1}},
       "apsp: kernel apsp: call 3 of 6: 41 %, 7.0 s so far, about 9.8 s left"},
      {{{"kernel apsp", kParts, 0, 0, 9}, {"", kCalls, 0, 6, 7}},
       "apsp: kernel apsp: call 1 of 6: 7.0 s so far"},
      {{{"kernel apsp", kParts, 0, 0, 9}, {"", kCalls, 6, 6, 7}},
       "apsp: kernel apsp: call 6 of 6: 100 %, 7.0 s so far"},
      {{{"kernel apsp", kCalls, 2, 0, 9}}, "apsp: kernel apsp: call 3: 9.0 s so far"},
      {{{"checking apsp", kParts, 1, 4, 3}, {"ring", kParts, 9, 10, 1}},
       "apsp: checking apsp: ring: 25 %, 3.0 s so far, about 9.0 s left"},
      // The clock counts where nothing else does, and until the time is over.
      {{{"ref", kParts, 0, 0, 2}, {"", kParts, 0, 0, 1, 4}},
       "apsp: ref: 25 %, 1.0 s so far, about 3.0 s left"},
      {{{"ref", kParts, 0, 0, 6}, {"", kParts, 0, 0, 5, 4}}, "apsp: ref: 6.0 s so far"},
      {{{"ref", kCalls, 1, 2, 9}, {"", kParts, 0, 0, 5, 4}},
       "apsp: ref: call 2 of 2: 9.0 s so far"},
      {{{"ref", kCalls, 1, 2, 4}, {"", kParts, 0, 0, 3, 4}},
       "apsp: ref: call 2 of 2: 87 %, 4.0 s so far, about 0.6 s left"},
      {{{"ref", kParts, 0, 0, 2}, {"", kParts, 0, 0, 1, 4}, {"", kParts, 1, 2, 1}},
       "apsp: ref: 50 %, 1.0 s so far, about 1.0 s left"},
      {{{"a\nb\033[31m", kParts, 0, 0, 1}}, "apsp: a?b?[31m: 1.0 s so far"},
  };
  for (const auto& row : rows) EXPECT_EQ(row.line, progressLine(row.works));
}

TEST(Progress, NamesTimes) {
  const struct {
    double seconds;
    const char* text;
  } rows[] = {{0, "0.0 s"},          {9.94, "9.9 s"},     {9.96, "10 s"},
              {59.4, "59 s"},        {59.6, "1 min 0 s"}, {200, "3 min 20 s"},
              {3599.6, "1 h 0 min"}, {7500, "2 h 5 min"}, {360000, "100 h 0 min"}};
  for (const auto& row : rows) EXPECT_EQ(row.text, durationText(row.seconds)) << row.seconds;
}

TEST(Progress, FitsTheTerminalByCuttingTheName) {
  const auto line = [](const std::string& name, std::size_t width) {
    return progressLine({{name, kBytes, 43, 100, 2.1}}, width);
  };
  const std::string numbers = ": 43 %, 2.1 s so far, about 2.8 s left";
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ("apsp: readin.../g.gr" + numbers, line("reading /data/of/long/roads/g.gr", 58));
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ("apsp: reading …/g.gr" + numbers, line("reading /data/of/long/roads/g.gr", 58));
  EXPECT_EQ("apsp: reading g.gr" + numbers, line("reading g.gr", 18 + numbers.size()));
  for (std::size_t width = 0; width < 90; ++width)
    EXPECT_LE(columnsOf(line("reading é€é€é€/😀.gr", width)), std::max(width, numbers.size()));
}

TEST(Progress, AnObjectTellsItsState) {
  Progress reading("reading g.gr", 10, kBytes);
  reading.advance(3);
  reading.advance();
  const WorkState state = reading.state();
  EXPECT_EQ("reading g.gr", state.what);
  EXPECT_EQ(4u, state.done);
  EXPECT_EQ(10u, state.total);
  EXPECT_EQ(kBytes, state.units);
  EXPECT_GE(state.elapsed, 0);
  reading.setTotal(20);
  EXPECT_EQ(20u, reading.state().total);
  EXPECT_EQ(2, Progress(std::chrono::seconds(2)).state().expected);
}

}  // namespace
