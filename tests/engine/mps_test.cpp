// CUDA's Multi-Process Service: whether it runs, and that nothing is timed then.
#include "device/mps.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "devices.h"
#include "files.h"
#include "grade/grade.h"
#include "measure/doubt.h"

namespace {

namespace fs = std::filesystem;

/// Listens at a socket of that path until it is closed.
int listenAt(const std::string& path, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int end = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  EXPECT_EQ(0, ::bind(end, reinterpret_cast<const sockaddr*>(&address), sizeof address));
  if (type != SOCK_DGRAM) {
    EXPECT_EQ(0, ::listen(end, 1));
  }
  return end;
}

TEST(Mps, ListensIfAProcessHasTheOtherEnd) {
  const PrivateFolder folder;
  const std::string path = folder.path().string(), control = path + "/control";
  EXPECT_FALSE(mpsListens(path)) << "an empty folder";
  EXPECT_FALSE(mpsListens(path + "/missing"));
  std::ofstream(control) << "a file";
  EXPECT_FALSE(mpsListens(path));
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
    fs::remove(control);
    const int end = listenAt(control, type);
    EXPECT_TRUE(mpsListens(path)) << type;
    EXPECT_TRUE(mpsListens(path)) << "asking changes nothing";
    ::close(end);
    EXPECT_TRUE(fs::exists(control));
    EXPECT_FALSE(mpsListens(path)) << "the daemon was killed";
  }
  fs::remove(control);
  ASSERT_EQ(0, ::mkfifo(control.c_str(), 0600));
  EXPECT_FALSE(mpsListens(path)) << "nobody reads";
  const int end = ::open(control.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_TRUE(mpsListens(path));
  ::close(end);
}

TEST(Mps, ListensInTheFolderOfTheEnvironment) {
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  EXPECT_EQ("/tmp/nvidia-mps", mpsFolder());
  setenv("CUDA_MPS_PIPE_DIRECTORY", "", 1);
  EXPECT_EQ("/tmp/nvidia-mps", mpsFolder());
  setenv("CUDA_MPS_PIPE_DIRECTORY", "/run/mps", 1);
  EXPECT_EQ("/run/mps", mpsFolder());
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

TEST(Doubt, UnderMpsNothingIsTimed) {
  Record record;
  record.worker.cost = 0.01;
  record.timing = summarise({5, 5, 5});
  EXPECT_EQ("", doubtOf(record));
  record.after.mps = true;  // it was started meanwhile
  EXPECT_EQ(0u, doubtOf(record).rfind("not timed: CUDA's Multi-Process Service (MPS) runs", 0));
  EXPECT_EQ(std::string::npos, doubtOf(record).find('\n'));
  EXPECT_EQ("", obstacleTo({}));
}

/// The CPU, which says that MPS runs.
class UnderMps : public LikeTheCpu {
 public:
  Clocks clocks() const override {
    Clocks now = cpuDevice.clocks();
    now.mps = true;
    return now;
  }
};

TEST(GraderUnderMps, ChecksButDoesNotTime) {
  const PrivateFolder folder;
  const std::string hand = (folder.path() / "in").string();
  fs::create_directory(hand);
  writeBytes(folder.path() / "right.cpp", R"(#include <algorithm>
void apsp(int n, int* g) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        g[i * n + j] = std::min(g[i * n + j], g[i * n + k] + g[k * n + j]);
})");
  const char* const named = std::getenv("CXX");
  const std::string command = std::string(named == nullptr ? "g++" : named) +
                              " -O3 -shared -fPIC '" + (folder.path() / "right.cpp").string() +
                              "' -o '" + hand + "/right.so'";
  ASSERT_EQ(0, std::system(command.c_str()));
  GradeOptions plan;
  plan.folder = hand;
  plan.sizes = {50};
  plan.measuring.reps = 1;
  const UnderMps device;
  const Graded graded = Grader(plan, device).run();
  ASSERT_EQ(1u, graded.grades.size());
  const Grade& grade = graded.grades[0];
  EXPECT_TRUE(grade.passes());
  EXPECT_FALSE(grade.times);
  EXPECT_TRUE(graded.references.empty());
  EXPECT_EQ(Exit::kGpu, grade.trouble);
  EXPECT_EQ("not graded", grade.verdict());
  EXPECT_EQ(0u, grade.reason().rfind("not timed: CUDA's Multi-Process Service", 0));
}

}  // namespace
