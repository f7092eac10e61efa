// The sandbox of submissions: each thing that a submission might do to its machine fails, and what
// honest libraries need works. Each attempt runs in a process of its own.
#include "submission/sandbox.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <sched.h>
#include <seccomp.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "files.h"
#include "submission/submission.h"
#include "submission/system_calls.h"
#include "system/process.h"

namespace {

/// What an attempt returns: 0 if it succeeded, otherwise errno.
int errorOf(long result) {
  return result >= 0 ? 0 : errno;
}

/// Runs it in a new process that has entered the sandbox. Returns the status of waitpid().
int inSandbox(const std::function<int()>& attempt, const std::string& library,
              bool ordinaryUser = false) {
  const pid_t child = fork();
  if (child == 0) {
    if (ordinaryUser && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    try {
      confineFiles({false, library});
      confineCalls({false, library});
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(98);
    }
    _exit(attempt());
  }
  int status = 0;
  EXPECT_EQ(child, waitpid(child, &status, 0));
  return status;
}

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (defences().landlock == 0 || !defences().calls) GTEST_SKIP() << "needs Landlock and seccomp";
    std::filesystem::permissions(dir_.path, std::filesystem::perms::all);
    writeBytes(victim_, "a grade");
    std::filesystem::permissions(victim_, std::filesystem::perms(0666));
    std::filesystem::copy("/proc/self/exe", library_);
  }

  TempDir dir_;
  const std::string victim_ = dir_ / "grades.csv", library_ = dir_ / "library.so";
};

struct Attempt {
  const char* name;
  int error;  // the errno that is expected
  std::function<int()> run;
};

void expectErrors(const std::vector<Attempt>& attempts, const std::string& library) {
  for (const bool ordinaryUser : {false, true}) {
    if (ordinaryUser && getuid() != 0) continue;
    for (const Attempt& attempt : attempts) {
      const int status = inSandbox(attempt.run, library, ordinaryUser);
      const std::string what = std::string(attempt.name) + (ordinaryUser ? ", no root" : "");
      ASSERT_TRUE(WIFEXITED(status)) << what << ": signal " << WTERMSIG(status);
      EXPECT_STREQ(std::strerror(attempt.error), std::strerror(WEXITSTATUS(status))) << what;
    }
  }
}

TEST_F(Sandbox, ReachesNoOtherFiles) {
  const char *victim = victim_.c_str(), *library = library_.c_str();
  const std::string other = dir_ / "other", parent = "/proc/" + std::to_string(getpid());
  const char* made = other.c_str();
  const auto reads = [](const std::string& path) {
    return [path] { return errorOf(open(path.c_str(), O_RDONLY)); };
  };
  const auto lists = [](const char* path) {
    return [path] { return opendir(path) != nullptr ? 0 : errno; };
  };
  expectErrors(
      {{"read", EACCES, reads(victim_)},
       {"read accounts", EACCES, reads("/etc/passwd")},
       {"read the parent's memory", EACCES, reads(parent + "/mem")},
       {"read the parent's environment", EACCES, reads(parent + "/environ")},
       {"read the parent's arguments", EACCES, reads(parent + "/cmdline")},
       {"list /tmp", EACCES, lists("/tmp")},
       {"list /root", EACCES, lists("/root")},
       {"list /proc", EACCES, lists("/proc")},
       {"write", EACCES, [=] { return errorOf(open(victim, O_WRONLY)); }},
       {"write its library", EACCES, [=] { return errorOf(open(library, O_RDWR)); }},
       {"truncate its library", EPERM, [=] { return errorOf(open(library, O_RDONLY | O_TRUNC)); }},
       {"truncate by no mode", EPERM, [=] { return errorOf(open(library, O_ACCMODE | O_TRUNC)); }},
       {"write and truncate", EACCES, [=] { return errorOf(open(victim, O_WRONLY | O_TRUNC)); }},
       {"truncate", EPERM, [=] { return errorOf(truncate(victim, 0)); }},
       {"make", EACCES, [=] { return errorOf(open(made, O_WRONLY | O_CREAT, 0600)); }},
       {"make without a name", EACCES,
        [] { return errorOf(open("/tmp", O_TMPFILE | O_RDWR, 0600)); }},
       {"make shared memory", EACCES,
        [] { return errorOf(shm_open("/x", O_RDWR | O_CREAT, 0600)); }},
       {"slow its session", EACCES, [] { return errorOf(open("/proc/self/autogroup", O_WRONLY)); }},
       {"endless zeros", EACCES, [] { return errorOf(open("/dev/zero", O_RDONLY)); }},
       {"make a folder", EPERM, [=] { return errorOf(mkdir(made, 0700)); }},
       {"remove", EPERM, [=] { return errorOf(unlink(victim)); }},
       {"rename", EPERM, [=] { return errorOf(rename(victim, made)); }},
       {"link", EPERM, [=] { return errorOf(link(victim, made)); }},
       {"link symbolically", EPERM, [=] { return errorOf(symlink(victim, made)); }},
       {"change the mode", EPERM, [=] { return errorOf(chmod(victim, 0)); }},
       {"change the owner", EPERM, [=] { return errorOf(chown(victim, getuid(), getgid())); }},
       {"change the time", EPERM, [=] { return errorOf(utimensat(AT_FDCWD, victim, nullptr, 0)); }},
       {"label", EPERM, [=] { return errorOf(setxattr(victim, "user.x", "", 0, 0)); }},
       {"watch", EPERM, [] { return errorOf(inotify_init1(0)); }},
       {"openat2", ENOSYS, [] { return errorOf(syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0)); }},
       {"mount", EPERM, [] { return errorOf(mount("none", "/mnt", "tmpfs", 0, nullptr)); }},
       {"change the root", EPERM, [] { return errorOf(chroot("/usr")); }},
       {"make a file in memory", EPERM, [] { return errorOf(memfd_create("x", 0)); }}},
      library_);
}

TEST_F(Sandbox, ReachesNoOtherProcesses) {
  const pid_t parent = getpid();
  constexpr long kHighBit = 1l << 32;  // the kernel reads the lower half of these arguments
  char there = 'x', here = 0;
  const iovec local{&here, 1}, remote{&there, 1};
  const auto program = [] {
    char* const argv[] = {const_cast<char*>("true"), nullptr};
    pid_t child;
    return posix_spawn(&child, "/usr/bin/true", nullptr, nullptr, argv, environ);
  };
  expectErrors(
      {{"fork", EPERM, [] { return errorOf(fork()); }},
       {"vfork", EPERM, [] { return errorOf(syscall(SYS_vfork)); }},
       {"clone3", ENOSYS, [] { return errorOf(syscall(SYS_clone3, nullptr, 0)); }},
       {"run", EPERM, [] { return errorOf(execl("/usr/bin/true", "true", nullptr)); }},
       {"spawn", EPERM, program},
       {"signal", EPERM, [=] { return errorOf(kill(parent, 0)); }},
       {"signal all", EPERM, [] { return errorOf(kill(-1, 0)); }},
       {"signal the group", EPERM, [] { return errorOf(kill(0, 0)); }},
       {"signal a thread", EPERM, [=] { return errorOf(syscall(SYS_tgkill, parent, parent, 0)); }},
       {"signal an old way", EPERM, [=] { return errorOf(syscall(SYS_tkill, parent, 0)); }},
       {"signal with a value", EPERM, [=] { return errorOf(sigqueue(parent, 0, {})); }},
       {"refer to a process", EPERM, [=] { return errorOf(syscall(SYS_pidfd_open, parent, 0)); }},
       {"own a descriptor", EPERM, [=] { return errorOf(fcntl(1, F_SETOWN, parent)); }},
       {"own a descriptor, high bit", EPERM,
        [=] { return errorOf(syscall(SYS_fcntl, 1, F_SETOWN | kHighBit, parent)); }},
       {"be traced", EPERM, [] { return errorOf(ptrace(PTRACE_TRACEME, 0, 0, 0)); }},
       {"trace", EPERM, [=] { return errorOf(ptrace(PTRACE_ATTACH, parent, 0, 0)); }},
       {"read memory", EPERM,
        [=] { return errorOf(process_vm_readv(parent, &local, 1, &remote, 1, 0)); }},
       {"bind", EPERM,
        [=] {
          cpu_set_t set;
          CPU_ZERO(&set);
          CPU_SET(0, &set);
          return errorOf(sched_setaffinity(parent, sizeof set, &set));
        }},
       {"slow", EPERM, [=] { return errorOf(setpriority(PRIO_PROCESS, parent, 19)); }},
       {"slow all", EPERM, [] { return errorOf(setpriority(PRIO_USER, 0, 19)); }},
       {"limit", EPERM,
        [=] {
          const rlimit none{};
          return errorOf(prlimit(parent, RLIMIT_NOFILE, &none, nullptr));
        }},
       {"leave its group", EPERM, [=] { return errorOf(setpgid(0, getpgid(parent))); }},
       {"leave its session", EPERM, [] { return errorOf(setsid()); }},
       {"outlive the parent", EPERM, [] { return errorOf(prctl(PR_SET_PDEATHSIG, 0)); }},
       {"hide from the parent", EPERM, [] { return errorOf(prctl(PR_SET_DUMPABLE, 0)); }}},
      library_);
}

TEST_F(Sandbox, HasNoNetworkAndNoSharedState) {
  int ends[2];
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
  const int socketOfParent = ends[0];
  const auto opens = [](int family, int type = SOCK_STREAM) {
    return [=] { return errorOf(socket(family, type, 0)); };
  };
  expectErrors(
      {{"internet", EPERM, opens(AF_INET)},
       {"internet 6", EPERM, opens(AF_INET6, SOCK_DGRAM)},
       {"unix", EPERM, opens(AF_UNIX)},
       {"netlink", EPERM, opens(AF_NETLINK, SOCK_RAW)},
       {"a pair", EPERM,
        [] {
          int pair[2];
          return errorOf(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
        }},
       {"send descriptors", EPERM,
        [=] {
          const msghdr message{};
          return errorOf(sendmsg(socketOfParent, &message, 0));
        }},
       {"memory", EPERM, [] { return errorOf(shmget(IPC_PRIVATE, 1, IPC_CREAT)); }},
       {"messages", EPERM, [] { return errorOf(msgget(IPC_PRIVATE, IPC_CREAT)); }},
       {"semaphores", EPERM, [] { return errorOf(semget(IPC_PRIVATE, 1, IPC_CREAT)); }},
       {"queues", EPERM, [] { return errorOf(mq_open("/x", O_RDWR | O_CREAT, 0600, nullptr)); }},
       {"keys", EPERM, [] { return errorOf(syscall(SYS_add_key, "user", "x", "y", 1, -3)); }},
       {"bpf", EPERM, [] { return errorOf(syscall(SYS_bpf, 0, nullptr, 0)); }},
       {"perf", EPERM, [] { return errorOf(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)); }},
       {"page faults", EPERM, [] { return errorOf(syscall(SYS_userfaultfd, 0)); }},
       {"io_uring", EPERM, [] { return errorOf(syscall(SYS_io_uring_setup, 1, nullptr)); }},
       {"namespaces", EPERM, [] { return errorOf(unshare(CLONE_NEWUSER)); }},
       {"a call of the future", ENOSYS, [] { return errorOf(syscall(590)); }}},
      library_);
  EXPECT_EQ(0, inSandbox([=] { return errorOf(send(socketOfParent, "x", 1, 0)); }, library_));
  for (const int end : ends) close(end);
}

TEST_F(Sandbox, LetsHonestLibrariesWork) {
  const std::string library = library_;
  const std::vector<Attempt> attempts = {
      {"threads", 0,
       [] {
         int sum = 0;
         std::thread([&] { sum = 1; }).join();
         return sum == 1 ? 0 : 1;
       }},
      {"the name of a thread, as CUDA opens it", 0,
       [] {
         const std::string name = "/proc/self/task/" + std::to_string(getpid()) + "/comm";
         return errorOf(open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666));
       }},
      {"memory", 0,
       [] {
         const std::vector<char> large(200 << 20, 'x');
         return large[100 << 20] == 'x' ? 0 : 1;
       }},
      {"printing", 0, [] { return std::printf("%s", "") < 0 || std::fflush(nullptr) != 0; }},
      {"its library", 0, [=] { return errorOf(open(library.c_str(), O_RDONLY)); }},
      {"the system's libraries", 0,
       [] { return dlopen("libm.so.6", RTLD_NOW) == nullptr ? 1 : 0; }},
      {"itself", 0, [] { return errorOf(open("/proc/self/maps", O_RDONLY)); }},
      {"the machine", 0, [] { return errorOf(open("/sys/devices/system/cpu/online", O_RDONLY)); }},
      {"cores", 0, [] { return sysconf(_SC_NPROCESSORS_ONLN) > 0 ? 0 : 1; }},
      {"exceptions", 0,
       [] {
         try {
           throw std::runtime_error("caught");
         } catch (const std::runtime_error&) {
           return 0;
         }
         return 1;
       }},
      {"random numbers", 0,
       [] {
         int number;
         return errorOf(getrandom(&number, sizeof number, 0));
       }},
      {"random device", 0, [] { return errorOf(open("/dev/urandom", O_RDONLY)); }},
      {"time", 0,
       [] {
         std::this_thread::sleep_for(std::chrono::milliseconds(1));
         return std::chrono::steady_clock::now().time_since_epoch().count() > 0 ? 0 : 1;
       }},
      {"signals to itself", 0,
       [] {
         static volatile int got = 0;
         std::signal(SIGUSR1, [](int) { got = 1; });
         return raise(SIGUSR1) == 0 && kill(getpid(), 0) == 0 && got == 1 ? 0 : 1;
       }},
      {"its own core", 0,
       [] {
         cpu_set_t set;
         return errorOf(sched_getaffinity(0, sizeof set, &set)) +
                errorOf(sched_setaffinity(0, sizeof set, &set));
       }},
  };
  expectErrors(attempts, library_);
}

TEST_F(Sandbox, KeepsTheNamesOfCrashes) {
  const struct {
    int signal;
    std::function<int()> crash;
  } rows[] = {
      {SIGABRT, []() -> int { abort(); }},
      {SIGSEGV, [] { return raise(SIGSEGV); }},
      {SIGFPE, [] { return raise(SIGFPE); }},
      {SIGKILL, [] { return kill(getpid(), SIGKILL); }},
      // The numbers of another interface to the same calls pass no filter.
      {SIGSYS, [] { return errorOf(syscall(0x40000000 | SYS_getpid)); }},
      {SIGSYS,
       [] {
         std::thread([] { std::this_thread::sleep_for(std::chrono::seconds(2)); }).detach();
         return errorOf(syscall(0x40000000 | SYS_getpid));
       }},
  };
  for (const auto& row : rows) {
    const int status = inSandbox(row.crash, library_);
    EXPECT_TRUE(WIFSIGNALED(status)) << strsignal(row.signal) << ": exit " << WEXITSTATUS(status);
    EXPECT_EQ(row.signal, WTERMSIG(status));
  }
}

TEST_F(Sandbox, LeavesRootNoRights) {
  const std::string capabilities = "/proc/self/status";
  const auto attempt = [=] {
    std::ifstream status(capabilities);
    for (std::string line; std::getline(status, line);)
      if (line.rfind("Cap", 0) == 0 && line.rfind("CapBnd", 0) != 0 &&
          line.find_first_not_of("0", line.find('\t') + 1) != std::string::npos)
        return 1;
    rlimit core{}, file{};
    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_FSIZE, &file);
    return core.rlim_max == 0 && file.rlim_max == 0 ? 0 : 2;
  };
  EXPECT_EQ(0, inSandbox(attempt, library_));
}

/// Runs this program's tests of that name in a process to which the kernel refuses these calls.
int runWithout(const std::vector<std::pair<const char*, int>>& refused, const std::string& tests) {
  const pid_t child = fork();
  if (child == 0) {
    void* filter = seccomp_init(SCMP_ACT_ALLOW);
    for (const auto& [name, error] : refused)
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)),
                       seccomp_syscall_resolve_name(name), 0);
    if (seccomp_load(filter) != 0) _exit(99);
    const std::string option = "--gtest_filter=" + tests;
    execl("/proc/self/exe", "run", "--gtest_brief=1", option.c_str(), nullptr);
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(Sandbox, IsBubblewrapWithoutLandlock) {
  if (!defences().bubblewrap) GTEST_SKIP() << "needs bubblewrap";
  EXPECT_EQ(0, runWithout({{"landlock_create_ruleset", ENOSYS}},
                          "Submissions.AreSolversLikeOthers:Submissions.AreReportedAsWhatTheyDid:"
                          "Submissions.HaveLimitedTime:Submissions.HaveLimitedMemory:"
                          "Submissions.ReachNothingElse:Submissions.MayUseThreads:"
                          "Submissions.CannotHideMemory:Submissions.CannotSlowOurSession"));
}

/// Both tests measure CPU times, so this one is in the long run, too.
TEST_F(Sandbox, OfBubblewrapStopsWorkersBetweenTheirCalls) {
  if (!defences().bubblewrap) GTEST_SKIP() << "needs bubblewrap";
  EXPECT_EQ(0, runWithout({{"landlock_create_ruleset", ENOSYS}},
                          "Submissions.DoNotRunBetweenTheirCalls:"
                          "Submissions.MayNotWakeThemselves"));
}

/// A container refuses new namespaces like this.
TEST_F(Sandbox, IsLandlockForTheCompilerWithoutBubblewrap) {
  if (!defences().bubblewrap) GTEST_SKIP() << "the other tests did it";
  EXPECT_EQ(0,
            runWithout({{"unshare", EPERM}, {"setns", EPERM}, {"mount", EPERM}},
                       "Building.ReadsNoOtherFiles:Building.KnowsAllFilesThatTheCompilerReads:"
                       "Building.TakesAllFilesOfItsFolder:Compiler.Reads*:Compiler.DoesNotLearn*:"
                       "Building.HasLimitedTime:Building.ShowsTheCompilersFirstError"));
}

}  // namespace
