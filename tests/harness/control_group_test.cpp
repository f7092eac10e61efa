#include "system/control_group.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string got(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const char kMounts[] =
    "24 30 0:22 / /sys rw,nosuid - sysfs sysfs rw\n"
    "29 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

}  // namespace

TEST(ControlGroup, IsFoundByTheTextsOfTheKernel) {
  EXPECT_EQ(ownControlGroup("0::/user.slice/a.scope\n", kMounts),
            "/sys/fs/cgroup/user.slice/a.scope");
  EXPECT_EQ(ownControlGroup("4:memory:/x\n0::/\n", kMounts), "/sys/fs/cgroup");
  EXPECT_EQ(ownControlGroup("4:memory:/x\n", kMounts), "");
  EXPECT_EQ(ownControlGroup("0::/\n", "24 30 0:22 / /sys rw - sysfs sysfs rw\n"), "");
  // Only a part of the tree is mounted here, and not necessarily ours.
  EXPECT_EQ(ownControlGroup("0::/\n", "29 24 0:26 /part /sys/fs/cgroup rw - cgroup2 c rw\n"), "");
}

/// Files stand in for the kernel's.
TEST(ControlGroup, IsMadeBesideTheOwnOneAndLimited) {
  const TempDir folder;
  const fs::path parent = folder.path, own = parent / "own";
  fs::create_directory(own);
  put(own / "cgroup.type", "domain\n");
  put(parent / "cgroup.subtree_control", "io pids\n");
  EXPECT_EQ(ControlGroup::makeBeside(own.string()), nullptr);  // controls nothing of use
  put(parent / "cgroup.subtree_control", "io memory\n");
  const auto group = ControlGroup::makeBeside(own.string());
  ASSERT_NE(group, nullptr);
  const fs::path made = group->folder();
  EXPECT_EQ(made.parent_path(), parent);
  EXPECT_FALSE(group->add(getpid()));  // the kernel has no such file here
  for (const char* name : {"cgroup.procs", "memory.max", "memory.swap.max", "memory.oom.group"})
    put(made / name, "");
  EXPECT_TRUE(group->add(12345));
  group->limitMemory(2'000'000'000);
  EXPECT_EQ(got(made / "cgroup.procs"), "12345");
  EXPECT_EQ(got(made / "memory.max"), "2000000000");
  EXPECT_EQ(got(made / "memory.swap.max"), "0");
  EXPECT_EQ(got(made / "memory.oom.group"), "1");
  EXPECT_FALSE(group->ranOutOfMemory());
  put(made / "memory.events", "low 0\noom 1\noom_kill 0\noom_group_kill 0\n");
  EXPECT_FALSE(group->ranOutOfMemory());
  put(made / "memory.events", "low 0\noom 1\noom_kill 3\noom_group_kill 1\n");
  EXPECT_TRUE(group->ranOutOfMemory());
  for (const auto& file : fs::directory_iterator(made)) fs::remove(file);
}

TEST(ControlGroup, TakesAProcessAndEndsWithIt) {
  auto group = ControlGroup::make();
  if (group == nullptr) GTEST_SKIP() << "no control group can be made here";
  const std::string made = group->folder();
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_TRUE(group->add(child));
  EXPECT_EQ(got(made + "/cgroup.procs"), std::to_string(child) + "\n");
  group = nullptr;
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
