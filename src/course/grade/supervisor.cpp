#include "grade/supervisor.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <new>

#include "system/screen.h"
#include "system/utf8.h"

namespace {

/// What the child does. It lies in memory of both processes, because who is killed says nothing.
struct Noted {
  char doing[16];
  char handIn[256];  // the longest name of a file has 255 bytes
};
Noted* noted;  // nullptr without a supervisor

std::map<std::string, std::string> deaths;  // hand-in → how a child died at it

volatile sig_atomic_t child;

/// The terminal signals the child itself, because both are in its foreground group.
void forward(int signal, siginfo_t* info, void*) {
  if (info->si_code != SI_KERNEL && child > 0) kill(child, signal);
}

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};

/// Signals that were ignored before, for example by nohup, stay ignored.
void forwardSignals() {
  for (const int signal : kForwarded) {
    struct sigaction before {
    }, action{};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO;
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void forwardNoMore() {
  for (const int signal : kForwarded) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
  }
}

/// The status of the child, which has ended.
int await(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  child = 0;
  return status;
}

/// Whether it is the death of a child that did not expect it.
bool isDeath(int signal) {
  for (const int expected : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1})
    if (signal == expected) return false;
  return true;
}

/// Says where the child died. Returns whether another one may go on.
bool noteDeath(int signal) {
  const std::string handIn = noted->handIn, name = fmt::format("SIG{}", sigabbrev_np(signal));
  if (handIn.empty()) {
    showError(
        fmt::format("apsp: the grader was ended by {}: give the same command again; with --csv "
                    "it goes on\n",
                    name));
    return false;
  }
  showError(
      fmt::format("apsp: the grader was ended by {} while it was {} {}: going on without it\n",
                  name, noted->doing, oneLine(handIn)));
  deaths[handIn] =
      fmt::format("the grader was ended by {} while it was {} this: give the same command again",
                  name, noted->doing);
  *noted = {};
  return true;
}

}  // namespace

std::optional<int> supervise() {
  void* const memory =
      mmap(nullptr, sizeof(Noted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  noted = new (memory) Noted{};
  const pid_t parent = getpid();
  for (;;) {
    const pid_t pid = fork();
    if (pid < 0) return std::nullopt;
    if (pid == 0) {
      forwardNoMore();
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);  // the parent ended before prctl()
      return std::nullopt;
    }
    child = pid;
    forwardSignals();
    const int status = await(pid);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    const int signal = WTERMSIG(status);
    if (isDeath(signal) && noteDeath(signal)) continue;
    std::signal(signal, SIG_DFL);
    raise(signal);
    return 128 + signal;
  }
}

AtWork::AtWork(const char* doing, const std::string& handIn) {
  if (noted == nullptr) return;
  std::strncpy(noted->doing, doing, sizeof noted->doing - 1);
  std::strncpy(noted->handIn, handIn.c_str(), sizeof noted->handIn - 1);
}

AtWork::~AtWork() {
  if (noted != nullptr) *noted = {};
}

bool hasDied() {
  return !deaths.empty();
}

std::string deathAt(const std::string& handIn) {
  const auto found = deaths.find(handIn);
  return found == deaths.end() ? "" : found->second;
}
