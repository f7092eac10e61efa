// Report E's sums on the GPU, step by step; and what ./apsp reduce makes of right and wrong ones,
// on any machine.
#include "ladder/reduction.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <numeric>

#include "device/device.h"
#include "files.h"
#include "io/interrupt.h"
#include "ladder/reduce.h"
#include "measure/record.h"

namespace {

unsigned* asUnsigned(Elements values) {
  return reinterpret_cast<unsigned*>(values.as<int>());
}

// ---- the steps ------------------------------------------------------------------------------

constexpr std::size_t kGuard = 64;  // words before and after all that a step is handed
constexpr int kPoison = 0x5ca1ab1e;

/// What there is to be summed.
const struct {
  const char* name;
  unsigned (*value)(unsigned i, unsigned n);
} kContents[] = {
    {"ones", [](unsigned, unsigned) { return 1u; }},
    {"largest", [](unsigned, unsigned) { return ~0u; }},
    {"random", [](unsigned i, unsigned) { return reductionValue(i); }},
    {"first only", [](unsigned i, unsigned) { return i == 0 ? 0xdeadbeefu : 0; }},
    {"last only", [](unsigned i, unsigned n) { return i == n - 1 ? 0xdeadbeefu : 0; }},
};

/// Tests that take n.
class Reductions : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    std::string why;
    gpu_ = findGpu(why);
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU: " << why;
    const std::size_t bytes = sizeof(int) * (n() + report_.scratchWords(n()) + 1 + 5 * kGuard);
    if (gpu_->freeBytes() < bytes)
      GTEST_SKIP() << "needs " << bytes << " bytes of device memory, " << gpu_->freeBytes()
                   << " are free";
  }
  unsigned n() const { return GetParam(); }
  const Device& gpu() const { return *gpu_; }
  const ReductionReport& report() const { return report_; }

 private:
  const Device* gpu_ = nullptr;
  const ReductionReport report_ = reportE();
};

TEST_P(Reductions, EveryStepSumsExactlyAndWritesNothingElse) {
  const std::size_t scratchWords = report().scratchWords(n()), resultAt = scratchWords + 2 * kGuard;
  const DeviceElements values(gpu(), Dtype::kInt32, n() + 2 * kGuard),
      space(gpu(), Dtype::kInt32, resultAt + 1 + kGuard);
  const std::vector<int> poisoned(space.size(), kPoison);
  const Reduction reduction{n(), asUnsigned(values.data()) + kGuard,
                            asUnsigned(space.data()) + kGuard, scratchWords,
                            asUnsigned(space.data()) + resultAt};
  std::vector<int> host(values.size(), kPoison), after(space.size());
  for (const auto& content : kContents) {
    unsigned expected = 0;
    for (unsigned i = 0; i < n(); ++i) {
      const unsigned value = content.value(i, n());
      host[kGuard + i] = static_cast<int>(value);
      expected += value;
    }
    upload(gpu(), values.data(), host.data(), host.size());
    for (const ReductionStep& step : report().steps) {
      SCOPED_TRACE(std::string(step.name) + " of " + content.name);
      upload(gpu(), space.data(), poisoned.data(), poisoned.size());
      gpu().time([&] { step.sum(reduction); });
      download(gpu(), after.data(), space.data(), after.size());
      EXPECT_EQ(expected, static_cast<unsigned>(after[resultAt]));
      for (const std::size_t guard : {std::size_t{0}, kGuard + scratchWords, resultAt + 1}) {
        const auto begin = after.begin() + static_cast<std::ptrdiff_t>(guard);
        const auto end = begin + kGuard;
        EXPECT_EQ(end, std::find_if(begin, end, [](int word) { return word != kPoison; }));
      }
    }
  }
}

TEST_P(Reductions, TheInputIsAHashOfTheIndex) {
  const DeviceElements values(gpu(), Dtype::kInt32, n() + kGuard);
  std::vector<int> host(values.size(), kPoison);
  upload(gpu(), values.data(), host.data(), host.size());
  report().fill(n(), asUnsigned(values.data()));
  download(gpu(), host.data(), values.data(), host.size());
  unsigned wrong = 0;
  for (unsigned i = 0; i < n(); ++i) wrong += reductionValue(i) != static_cast<unsigned>(host[i]);
  EXPECT_EQ(0u, wrong);
  EXPECT_EQ(std::vector<int>(kGuard, kPoison), std::vector<int>(host.begin() + n(), host.end()));
}

INSTANTIATE_TEST_SUITE_P(N, Reductions,
                         testing::Values(1, 2, 31, 32, 33, 1023, 1024, 1025, 999999, 1000001,
                                         1 << 28),
                         testing::PrintToStringParamName());

// ---- the command, with steps of the host ----------------------------------------------------

void sumRight(const Reduction& r) {
  *r.result = std::accumulate(r.values, r.values + r.n, 0u);
}

ReductionReport onHost(const std::vector<ReductionStep>& steps) {
  return {steps, [](unsigned) { return std::size_t{1}; },
          [](unsigned n, unsigned* values) {
            for (unsigned i = 0; i < n; ++i) values[i] = reductionValue(i);
          }};
}

ReduceOptions planIn(const TempDir& dir, std::vector<int> sizes) {
  ReduceOptions options;
  options.sizes = std::move(sizes);
  options.measuring.reps = 3;
  options.csv = dir / "r.csv";
  options.json = dir / "r.json";
  options.quiet = true;
  return options;
}

TEST(Reduce, RecordsEveryStepOfEverySizeBesideTheReports) {
  const TempDir dir;
  const ReduceOptions options = planIn(dir, {1, 1000});
  reduce(
      options, cpuDevice,
      onHost({{"s1", "first", sumRight, 8}, {"s2", "x,y", sumRight, 2}, {"a", "", sumRight, 0}}));
  const std::vector<Row> rows = parseCsv(options.csv, readBytes(options.csv));
  ASSERT_EQ(6u, rows.size());
  for (const Row& row : rows) {
    EXPECT_EQ("exact", row.at("verified"));
    EXPECT_EQ("3", row.at("reps"));
    EXPECT_EQ("cpu", row.at("device_short"));
    EXPECT_GT(std::stod(row.at("median_ms")), 0);
    EXPECT_NEAR(std::stod(row.at("bytes_per_s")) * std::stod(row.at("median_ms")) / 1e3,
                4 * std::stod(row.at("n")), 4e-3 * std::stod(row.at("n")));
    EXPECT_NEAR(std::stod(row.at("bytes_per_s")) / std::stod(row.at("copy_bytes_per_s")) * 100 /
                    std::stod(row.at("pct_of_copy")),
                1, 1e-3);
  }
  EXPECT_EQ("1", rows[0].at("n"));
  EXPECT_EQ("1000", rows[5].at("n"));
  const Row &first = rows[3], &second = rows[4], &anchor = rows[5];
  EXPECT_EQ("", first.at("speedup_step"));
  EXPECT_EQ("1", first.at("speedup_baseline"));
  EXPECT_EQ("", first.at("report_speedup_step"));
  EXPECT_EQ("1", first.at("report_speedup_baseline"));
  EXPECT_EQ("x,y", second.at("what"));
  EXPECT_EQ("4", second.at("report_speedup_step"));
  EXPECT_EQ("2", second.at("report_ms"));
  EXPECT_NEAR(std::stod(first.at("median_ms")) / std::stod(second.at("median_ms")),
              std::stod(second.at("speedup_step")), 1e-3);
  EXPECT_EQ("", anchor.at("report_ms"));
  EXPECT_EQ("", anchor.at("report_speedup_baseline"));
  EXPECT_NE(std::string::npos, readBytes(options.json).find("\"report_ms\": null"));
}

TEST(Reduce, AWrongSumOfAnyCallIsAMismatchAndIsWritten) {
  static int calls;
  const struct {
    const char* what;
    void (*sum)(const Reduction&);
  } kWrong[] = {
      {"off by one",
       [](const Reduction& r) { *r.result = std::accumulate(r.values, r.values + r.n, 1u); }},
      {"writes nothing", [](const Reduction&) {}},
      {"once", [](const Reduction& r) { sumRight(r), *r.result += ++calls == 2; }},
  };
  for (const auto& wrong : kWrong) {
    SCOPED_TRACE(wrong.what);
    calls = 0;
    const TempDir dir;
    const ReduceOptions options = planIn(dir, {77});
    expectError(ErrorCode::kMismatch, "bad", "77 expected got", [&] {
      reduce(
          options, cpuDevice,
          onHost({{"good", "", sumRight, 1}, {"bad", "", wrong.sum, 1}, {"z", "", sumRight, 1}}));
    });
    const std::vector<Row> rows = parseCsv(options.csv, readBytes(options.csv));
    ASSERT_EQ(3u, rows.size());
    EXPECT_EQ("exact", rows[0].at("verified"));
    EXPECT_EQ("WRONG", rows[1].at("verified"));
    EXPECT_EQ("exact", rows[2].at("verified"));
    for (const char* speedup : {"speedup_step", "speedup_baseline"})
      EXPECT_EQ("", rows[1].at(speedup)) << "a wrong sum has none";
    EXPECT_EQ("", rows[2].at("speedup_step")) << "nor has what is compared with it";
    EXPECT_NE("", rows[2].at("speedup_baseline"));
    EXPECT_NE(std::string::npos, readBytes(options.json).find("\"WRONG\""));
  }
}

TEST(Reduce, AnInterruptWritesTheStepsThatWereMeasured) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ReduceOptions options;
  options.sizes = {9};
  options.json = "/dev/stderr";
  const auto stuck = [](const Reduction&) {
    std::raise(SIGTERM);
    for (;;) pause();
  };
  const auto interrupted = [&] {
    removeTemporariesOnSignals();
    reduce(options, cpuDevice, onHost({{"good", "", sumRight, 0}, {"stuck", "", stuck, 0}}));
  };
  EXPECT_EXIT(interrupted(), testing::KilledBySignal(SIGTERM), "\"step\": \"good\"");
}

TEST(Reduce, WhatDoesNotFitIsAnErrorNamingBytesAndLeavesNothing) {
  const TempDir dir;
  ReductionReport report = onHost({{"s", "", sumRight, 0}});
  report.scratchWords = [](unsigned) { return std::size_t{1} << 50; };
  expectError(ErrorCode::kMemory, "n = 9", "4.50 PB free", [&] {
    reduce(planIn(dir, {3, 9}), cpuDevice, report);
  });
  EXPECT_TRUE(dir.names().empty());
}

}  // namespace
