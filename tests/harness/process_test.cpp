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

/// What await() says exceeds 200 MB of a Python program that then sleeps.
std::string excessOf(const std::string& program) {
  const std::string all = "import mmap, os, time\n" + program + "\ntime.sleep(9)";
  Process process({"/usr/bin/python3", "-c", all});
  process.limit(200 * kMegabyte, kThreads);
  EXPECT_FALSE(process.await(2));
  return process.excess() + process.takeOutput();
}

/// A page that is not mapped is not resident, but the kernel keeps it.
TEST(Processes, MemoryIsCountedThatIsNotMapped) {
  const std::string tooMuch = "used more than 200 MB of host memory";
  EXPECT_EQ("", excessOf("x = b'x' * 100_000_000"));
  EXPECT_EQ(tooMuch, excessOf("x = b'x' * 300_000_000"));
  const std::string mapped = "m = mmap.mmap(-1, 150_000_000); m.write(bytes(len(m)));";
  EXPECT_EQ("", excessOf(mapped));
  EXPECT_EQ(tooMuch, excessOf("for i in 1, 2:\n " + mapped + "m.madvise(mmap.MADV_DONTNEED)\n" +
                              " globals()[f'kept{i}'] = m"));
  EXPECT_EQ(tooMuch, excessOf("f = os.memfd_create('x')\nfor i in range(300): "
                              "os.write(f, bytes(1_000_000))"));
}

TEST(Processes, AreStoppedWithAllThatTheyStarted) {
  Process process({kShell, "-c", "while :; do :; done & while :; do :; done"});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(0, process.cpuSeconds());
  EXPECT_TRUE(process.freeze(10));
  const double used = process.cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(used, process.cpuSeconds());
  process.thaw();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(used, process.cpuSeconds());
}

TEST(Processes, EndByThemselvesAlthoughTheyWereStopped) {
  Process process({kShell, "-c", "sleep 0.2; exit 7"});
  EXPECT_TRUE(process.freeze(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(W_EXITCODE(7, 0), process.stop(10));
}

}  // namespace
