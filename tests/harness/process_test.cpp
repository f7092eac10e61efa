// Programs that this one runs: what they use, and how they are stopped.
#include "system/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <string>
#include <thread>

namespace {

constexpr char kShell[] = "/bin/sh";
constexpr std::size_t kMegabyte = 1'000'000;
constexpr int kThreads = 100;
constexpr double kForever = 1e6;  // seconds: a test has a limit of its own

/// What is said to exceed 200 MB of a Python program that then waits. Where there are control
/// groups, the kernel may end it first.
std::string excessOf(const std::string& program) {
  const std::string all =
      "import mmap, os, time\n" + program + "\nprint('done', flush=True)\ntime.sleep(1000)";
  Process process({"/usr/bin/python3", "-c", all});
  process.limit(200 * kMegabyte, kThreads);
  std::string said;
  while (process.excess().empty() && said != "done\n" && !process.await(0.06))
    said += process.takeOutput();
  if (process.excess().empty()) process.await(0.06);  // looks at what was taken since the last look
  process.stop(0);
  return process.excess() + (said == "done\n" ? "" : said) + process.takeOutput();
}

/// A page that is not mapped is not resident, but the kernel keeps it.
TEST(Processes, MemoryIsCountedThatIsNotMapped) {
  const std::string tooMuch = "used more than 200 MB of host memory";
  EXPECT_EQ("", excessOf("x = b'x' * 100_000_000"));
  EXPECT_EQ(tooMuch, excessOf("x = b'x' * 300_000_000"));
  const std::string mapped =
      "m = mmap.mmap(-1, 150_000_000); [m.write(bytes(1_000_000)) for i in range(150)];";
  EXPECT_EQ("", excessOf(mapped));
  EXPECT_EQ(tooMuch, excessOf("for k in 1, 2:\n " + mapped + "m.madvise(mmap.MADV_DONTNEED)\n" +
                              " globals()[f'kept{k}'] = m"));
  EXPECT_EQ(tooMuch, excessOf("f = os.memfd_create('x')\nfor i in range(300): "
                              "os.write(f, bytes(1_000_000))"));
}

TEST(Processes, AreStoppedWithAllThatTheyStarted) {
  Process process({kShell, "-c", "while :; do :; done & while :; do :; done"});
  const auto computes = [&](double from) {  // or this test does not end
    while (process.cpuSeconds() <= from) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  computes(0);
  EXPECT_TRUE(process.freeze(kForever));
  constexpr double kStopping = 0.01;  // seconds: a thread may be on its way out of its core
  const double used = process.cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_NEAR(used, process.cpuSeconds(), kStopping);
  process.thaw();
  computes(used);
}

TEST(Processes, EndByThemselvesAlthoughTheyWereStopped) {
  Process process(
      {kShell, "-c", "echo begun; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 7"});
  while (process.takeOutput().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(process.freeze(kForever));
  EXPECT_EQ(W_EXITCODE(7, 0), process.stop(kForever));
}

}  // namespace
