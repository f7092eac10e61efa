#include "system/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "system/control_group.h"
#include "system/process_tree.h"

namespace {

using Clock = std::chrono::steady_clock;

std::mutex aliveMutex;     // of the next three
std::vector<pid_t> alive;  // of all objects
bool adopting = false;
std::vector<pid_t> ownChildren;  // those that this program had before it began to adopt

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Milliseconds until then, for poll(), which takes an int; 0 if the time has passed.
int left(Clock::time_point deadline) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count() + 1;
  return static_cast<int>(std::clamp<long long>(ms, 0, 1 << 30));
}

[[noreturn]] void failed(const std::string& program) {
  throw Error(ErrorCode::kMemory, program + ": cannot be run: " + std::strerror(errno));
}

/// Runs in the new process until the program replaces it. Only async-signal-safe functions may be
/// called here: another thread may have held a lock at the fork, and nobody releases it.
[[noreturn]] void startProgram(char* const* argv, char* const* environment,
                               const std::vector<int>& kept, int output, pid_t parent) {
  setsid();  // a group of its own, and for the kernel's scheduler, too (/proc/PID/autogroup)
  // Slurm sends these to all processes of a job. They are meant for the parent, which kills this
  // process if it ends. If they ended this one first, the parent would report a crash.
  for (const int signal : {SIGUSR1, SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent ended before prctl()
  const int none = open("/dev/null", O_RDONLY);
  if (none != STDIN_FILENO) dup2(none, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const int descriptor : kept) fcntl(descriptor, F_SETFD, 0);
  execve(argv[0], argv, environment);
  _exit(127);
}

// ---- processes that a program started ---------------------------------------------------------

bool contains(const std::vector<pid_t>& all, pid_t pid) {
  return std::find(all.begin(), all.end(), pid) != all.end();
}

/// Kills the children that are no programs of this file. When one ends, its own children become
/// ours.
void killOrphans() {
  for (bool found = adopting; found;) {
    found = false;
    for (const pid_t child : childrenOf(getpid())) {
      if (contains(alive, child) || contains(ownChildren, child)) continue;
      kill(child, SIGKILL);
      found |= waitpid(child, nullptr, 0) == child;
    }
  }
}

std::vector<char*> pointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string findScript(const std::string& script) {
  namespace fs = std::filesystem;
  for (fs::path at = fs::read_symlink("/proc/self/exe"); at != at.root_path();) {
    at = at.parent_path();
    for (const char* folder : {"scripts", "share/apsp/scripts"})
      if (const fs::path found = at / folder / script; fs::exists(found)) return found;
  }
  return "";
}

Process::Process(const std::vector<std::string>& argv, const std::vector<int>& kept,
                 const std::optional<std::vector<std::string>>& environment) {
  // If the signal is ignored, the kernel keeps no exit status. That a program is stopped or
  // continued tells this process nothing.
  struct sigaction atEnd {};
  atEnd.sa_handler = SIG_DFL;
  atEnd.sa_flags = SA_NOCLDSTOP;
  sigaction(SIGCHLD, &atEnd, nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) failed(argv[0]);
  output_ = aboveStandard(ends[0]);
  const int input = aboveStandard(ends[1]);
  fcntl(output_, F_SETFL, O_NONBLOCK);
  const std::vector<char*> words = pointersTo(argv);
  std::vector<char*> variables;
  if (environment) variables = pointersTo(*environment);

  const pid_t parent = getpid();
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) failed(argv[0]);
  const std::lock_guard lock(aliveMutex);
  pid_ = fork();
  if (pid_ == 0)
    startProgram(words.data(), environment ? variables.data() : environ, kept, input, parent);
  close(input);
  close(started[1]);
  const int why = errno;
  // Until the program runs, the new process has this one's memory, which is not to be counted.
  char none;
  while (pid_ > 0 && read(started[0], &none, 1) < 0 && errno == EINTR) continue;
  close(started[0]);
  if (pid_ < 0) {
    close(output_);
    errno = why;
    failed(argv[0]);
  }
  alive.push_back(pid_);
}

void Process::adoptOrphans() {
  const std::lock_guard lock(aliveMutex);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (!std::exchange(adopting, true)) ownChildren = childrenOf(getpid());
}

int Process::running() {
  const std::lock_guard lock(aliveMutex);
  return static_cast<int>(alive.size());
}

double Process::cpuSecondsOfRunning() {
  const std::lock_guard lock(aliveMutex);
  double seconds = 0;
  for (const pid_t pid : alive) seconds += cpuSecondsOf(pid);
  return seconds;
}

/// Reads the output that is there without waiting, but at most so many bytes: programs that write
/// as fast as this one reads would keep it here. Returns false after the output has ended.
bool Process::collect(std::size_t most) {
  constexpr std::size_t kHalf = kOutputKept / 2;
  char block[4096];
  for (std::size_t taken = 0; output_ >= 0 && taken < most; taken += sizeof block) {
    const ssize_t got = read(output_, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      close(std::exchange(output_, -1));
      break;
    }
    text_.append(block, asSize(got));
    if (text_.size() > kOutputKept) text_.erase(kHalf, text_.size() - kOutputKept);
  }
  return output_ >= 0;
}

void Process::limit(std::size_t bytes, int threads) {
  if (mostBytes_ == 0) {
    group_ = ControlGroup::make();
    if (group_ != nullptr && !group_->add(pid_)) group_ = nullptr;
  }
  mostBytes_ = bytes;
  mostThreads_ = threads;
  if (group_ != nullptr) group_->limitMemory(bytes);
}

void Process::noteTooMuchMemory() {
  excess_ = "used more than " + bytesText(mostBytes_) + " of host memory";
}

bool Process::exceedsLimit() {
  if (mostBytes_ == 0) return false;
  const Usage usage = usageOf(pid_);
  if (usage.bytes > mostBytes_)
    noteTooMuchMemory();
  else if (usage.threads > mostThreads_)
    excess_ =
        "started more than " + withCommas(static_cast<std::uint64_t>(mostThreads_)) + " threads";
  return !excess_.empty();
}

/// exceedsLimit(), and when to look next.
bool Process::looksExceeded() {
  constexpr double kLookSeconds = 0.05;
  const bool exceeds = exceedsLimit();
  look_ = after(kLookSeconds);
  return exceeds;
}

bool Process::await(double seconds, int descriptor) {
  const auto deadline = after(seconds);
  do {
    pollfd watched[] = {{descriptor, POLLIN, 0}, {output_, POLLIN, 0}};  // poll() ignores −1
    poll(watched, 2, left(mostBytes_ == 0 ? deadline : std::min(look_, deadline)));
    const bool open = collect();
    if (descriptor < 0 ? !open : watched[0].revents != 0) return true;
    if (Clock::now() < look_) continue;
    if (looksExceeded()) return false;
  } while (Clock::now() < deadline);
  return false;
}

bool Process::freeze(double seconds) {
  constexpr std::chrono::microseconds kLook{20};
  constexpr double kAgainSeconds = 0.1;  // it may have been continued meanwhile
  const auto deadline = after(seconds);
  for (auto again = Clock::now();;) {
    if (Clock::now() >= again) {
      kill(-pid_, SIGSTOP);
      again = after(kAgainSeconds);
    }
    if (areStopped(pid_)) return true;
    if (Clock::now() > deadline || (Clock::now() > look_ && looksExceeded())) return false;
    std::this_thread::sleep_for(kLook);
  }
}

std::string Process::states() const {
  return statesOf(pid_);
}

void Process::thaw() {
  kill(-pid_, SIGCONT);
}

void Process::killGroup() const {
  kill(-pid_, SIGKILL);
}

std::size_t Process::bytes() const {
  return usageOf(pid_).bytes;
}

double Process::cpuSeconds() const {
  return pid_ < 0 ? 0 : cpuSecondsOf(pid_);
}

double Process::delayedSeconds() const {
  return pid_ < 0 ? 0 : delayedSecondsOf(pid_);
}

int Process::stop(double seconds) {
  if (pid_ < 0) return status_;
  if (seconds > 0) thaw();
  const auto deadline = after(seconds);
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0 && Clock::now() < deadline) {
    if (Clock::now() > look_ && looksExceeded()) break;
    collect();  // a full pipe would keep the program from ending
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(-pid_, SIGKILL);  // the group; no other one gets its number before waitpid()
  kill(pid_, SIGKILL);   // it may have left its group, or not have made it yet
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) continue;
  {
    const std::lock_guard lock(aliveMutex);
    alive.erase(std::find(alive.begin(), alive.end(), pid_));
    killOrphans();
  }
  pid_ = -1;
  if (group_ != nullptr && group_->ranOutOfMemory()) noteTooMuchMemory();
  group_ = nullptr;
  collect(kMostInAPipe);
  if (output_ >= 0) close(std::exchange(output_, -1));
  return status_;
}

std::string Process::takeOutput() {
  collect();
  return std::exchange(text_, "");
}

std::string printedText(std::size_t bytes) {
  const char* const atLeast = bytes < kOutputKept ? "" : "at least ";  // some may have been cut
  return fmt::format("it printed {}{}, not shown", atLeast, counted(bytes, "byte"));
}
