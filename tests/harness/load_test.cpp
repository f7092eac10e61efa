// The load of other processes, and the causes for which a measurement counts as disturbed.
#include "measure/load.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "measure/disturbance.h"
#include "solver/solver.h"
#include "system/process.h"

namespace {

using namespace std::chrono_literals;

TEST(Load, BusyTimeIsThatOfTheCoresWeMayUse) {
  const std::string stat =
      "cpu  999 999 999 999 999 999 999 999 0 0\n"
      "cpu0 1 2 4 1000 1000 8 16 32 7 7\n"
      "cpu1 100 0 0 5 0 0 0 0 0 0\n"
      "cpu11 10000 0 0 5 0 0 0 0 0 0\n"
      "intr 5 0\n";
  EXPECT_EQ(63, busyTicks(stat, {0}));  // neither idle, nor waiting for a disk, nor counted twice
  EXPECT_EQ(163, busyTicks(stat, {0, 1}));
  EXPECT_EQ(-1, busyTicks(stat, {0, 2})) << "a core is missing";
  EXPECT_EQ(-1, busyTicks("", {0}));
  EXPECT_EQ(-1, busyTicks(stat, {}));
}

TEST(Load, AQuotaIsOfAPeriod) {
  EXPECT_DOUBLE_EQ(1.5, quotaOf("150000 100000\n"));
  EXPECT_EQ(0, quotaOf("max 100000\n"));
  EXPECT_EQ(0, quotaOf(""));
  MachineLoad load;
  load.cores = 8;
  EXPECT_EQ(8, load.usable());
  load.quota = 1.5;
  EXPECT_EQ(1.5, load.usable());
  load.quota = 64;
  EXPECT_EQ(8, load.usable());
}

TEST(Load, IsTheBusyTimeThatIsNotOurs) {
  EXPECT_DOUBLE_EQ(0.75, othersBetween({10, 100, 50}, {12, 103.5, 52}, 2));
  EXPECT_EQ(0, othersBetween({10, 100, 50}, {12, 101, 52}, 2)) << "the clocks are not exact";
  EXPECT_EQ(2, othersBetween({10, 100, 50}, {12, 109, 50}, 2));
  EXPECT_EQ(-1, othersBetween({10, 100, 50}, {10.05, 100.1, 50}, 2)) << "too short";
  EXPECT_EQ(-1, othersBetween({10, -1, 50}, {12, 101, 50}, 2));
}

TEST(Load, IsKnownAfterATenthOfASecond) {
  const LoadMeter meter;
  EXPECT_LE(1, meter.load().cores);
  std::this_thread::sleep_for(110ms);
  const MachineLoad load = meter.load();
  EXPECT_LE(0, load.others);
  EXPECT_LE(load.others, load.cores);
}

TEST(Load, ProcessesThatWeStartedAreOurs) {
  EXPECT_EQ(0, Process::cpuSecondsOfRunning());
  Process busy({"/bin/sh", "-c", "while :; do :; done"});
  while (Process::cpuSecondsOfRunning() < 0.05) std::this_thread::sleep_for(10ms);
  EXPECT_LE(0.05, Process::cpuSecondsOfRunning());
  busy.stop();
  EXPECT_EQ(0, Process::cpuSecondsOfRunning());
}

/// A record of 2 threads on 2 of the cores, and others that use `others` of them.
Record onCpu(double others, int threads = 2, int cores = 2) {
  Record r;
  r.deviceKind = "cpu";
  r.device.units = threads;
  r.load.cores = cores;
  r.load.others = others;
  r.timing = summarise({10, 10, 10, 10, 10});
  return r;
}

std::vector<std::string> textsOf(const Record& record) {
  std::vector<std::string> texts;
  for (const Disturbance& each : disturbances(record)) texts.push_back(each.text);
  return texts;
}

TEST(Disturbance, OfASolverWithOneThreadCountsOneThread) {
  Record r = onCpu(1, 8, 2);
  EXPECT_EQ("threads", disturbanceOf(r));
  r.oneThread = true;
  EXPECT_EQ("", disturbanceOf(r)) << "one core is free";
  r.load.others = 1.5;
  EXPECT_EQ("load", disturbanceOf(r));
  EXPECT_FALSE(findSolver("ref", DeviceKind::kCpu).can.threads);
  EXPECT_TRUE(findSolver("apsp", DeviceKind::kCpu).can.threads);
}

TEST(Disturbance, IsALoadThatLeavesTooFewCores) {
  EXPECT_EQ("", disturbanceOf(Record()));
  EXPECT_EQ("", disturbanceOf(onCpu(-1)));
  EXPECT_EQ("", disturbanceOf(onCpu(0.2)));
  EXPECT_EQ("load", disturbanceOf(onCpu(0.3)));
  EXPECT_EQ("", disturbanceOf(onCpu(2, 2, 4))) << "there are free cores";
  EXPECT_EQ("load", disturbanceOf(onCpu(2.5, 2, 4)));
  EXPECT_EQ("", disturbanceOf(onCpu(3, 64, 64))) << "5 % of the threads are tolerated";
  EXPECT_EQ("load", disturbanceOf(onCpu(4, 64, 64)));
  Record gpu = onCpu(2);
  gpu.deviceKind = "gpu";
  EXPECT_EQ("", disturbanceOf(gpu)) << "its time does not depend on the cores";
}

TEST(Disturbance, IsMoreThreadsThanCores) {
  EXPECT_EQ("threads", disturbanceOf(onCpu(2, 3)));
  EXPECT_EQ((std::vector<std::string>{"disturbed: 3 threads on 2 cores; use --threads 2"}),
            textsOf(onCpu(2, 3)));
  Record limited = onCpu(0);
  limited.load.quota = 0.5;
  EXPECT_EQ((std::vector<std::string>{"disturbed: 2 threads on 0.5 cores; use --threads 1"}),
            textsOf(limited));
}

TEST(Disturbance, IsAMedianFarFromTheMinimum) {
  const auto of = [](std::vector<double> times) {
    Record r = onCpu(0);
    r.timing = summarise(std::move(times));
    return disturbanceOf(r);
  };
  EXPECT_EQ("", of({10, 15, 15, 15, 99}));
  EXPECT_EQ("spread", of({10, 16, 16, 16, 16}));
  EXPECT_EQ("", of({10, 16, 16, 16})) << "too few calls";
  EXPECT_EQ("", of({0.01, 0.05, 0.05, 0.05, 0.05})) << "less than waking a thread";
}

TEST(Disturbance, SaysWhatHappenedAndWhatToDo) {
  Record r = onCpu(1.87);
  r.timing = summarise({0.157, 55.9, 55.9, 55.9, 60});
  EXPECT_EQ("load+spread", disturbanceOf(r));
  EXPECT_EQ(
      (std::vector<std::string>{"disturbed: other processes used 1.9 of 2 cores; measure again",
                                "disturbed: the median is 356 times the minimum; measure again"}),
      textsOf(r));
  r.point = "in a sweep";
  EXPECT_NE(std::string::npos, textsOf(r).at(0).find("; measure again (--again)"));
}

}  // namespace
