#include "io/interrupt.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "io/output.h"
#include "system/progress_line.h"
#include "system/screen.h"

namespace {

/// The exit code after SIGINT and SIGTERM; 0: the signal itself ends this process.
std::atomic<int> interruptedCode;

/// The first SIGINT or SIGTERM; 0: there was none.
std::atomic<int> interruptedBy;

/// When it came, in nanoseconds of the monotonic clock.
std::atomic<std::int64_t> interruptedAt;

/// The number of reports, and whether the thread that runs them could be started.
std::atomic<int> reportCount;
std::atomic<bool> reporterRuns;
sem_t interrupted;

/// Calls async-signal-safe functions only.
void removeAndDie(int number) {
  removeTemporaries();
  eraseProgress();
  const int code = interruptedCode;
  if (code != 0 && (number == SIGINT || number == SIGTERM)) ::_exit(code);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// Ends the process if the report does not end, for example because nobody reads what it prints.
void dieUnreported(int) {
  removeAndDie(interruptedBy);
}

/// Nanoseconds of the monotonic clock. Async-signal-safe.
std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

/// Wakes up the thread that reports, or ends the process if there is nothing to report, or if this
/// is the second signal. Calls async-signal-safe functions only. Who signals a process and also its
/// group or its parent, as Slurm and timeout do, means one signal.
void interrupt(int number) {
  constexpr unsigned kSeconds = 10;
  constexpr std::int64_t kSameSignal = 100'000'000;
  int none = 0;
  if (interruptedBy == number && now() - interruptedAt < kSameSignal) return;
  interruptedAt = now();
  if (reportCount == 0 || !reporterRuns || !interruptedBy.compare_exchange_strong(none, number))
    return removeAndDie(number);
  const int before = errno;
  ::alarm(kSeconds);
  sem_post(&interrupted);
  errno = before;
}

/// The reports, oldest first. It is never destroyed, because the thread that runs them lives as
/// long as the process.
struct Reports {
  std::mutex mutex;
  std::vector<const std::function<void()>*> all;
};

Reports& reports() {
  static Reports* const reports = new Reports;
  return *reports;
}

/// Waits for an interrupt, runs the reports, and ends the process.
void* runReports(void*) {
  while (sem_wait(&interrupted) != 0) continue;
  reports().mutex.lock();  // never released: what was reported must not change any more
  endProgress();
  const auto& all = reports().all;
  for (auto report = all.rbegin(); report != all.rend(); ++report) {
    try {
      (**report)();
    } catch (const std::exception& error) {  // an output file failed
      complain(error.what());
    }
  }
  std::fflush(stdout);
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  removeAndDie(interruptedBy);
  return nullptr;
}

/// Starts the thread that runs the reports. Signals are left to the other threads. Without the
/// thread, a signal ends the process at once.
bool startReporter() {
  sem_init(&interrupted, 0, 0);
  std::signal(SIGALRM, dieUnreported);
  sigset_t signals, before;
  sigfillset(&signals);
  pthread_sigmask(SIG_SETMASK, &signals, &before);  // the new thread inherits the mask
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, runReports, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace

void removeTemporariesOnSignals() {
  std::atexit(removeTemporaries);  // OpenMP's runtime calls exit() if it cannot start a thread
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const bool reported = number == SIGINT || number == SIGTERM;
    if (std::signal(number, reported ? interrupt : removeAndDie) == SIG_IGN)
      std::signal(number, SIG_IGN);  // it stays ignored, as under nohup
  }
  std::signal(SIGXFSZ, SIG_IGN);  // then write() fails if the file is too large
}

void exitOnInterrupts(int code) {
  interruptedCode = code;
}

InterruptReport::InterruptReport(std::function<void()> report) : report_(std::move(report)) {
  static const bool started = startReporter();
  reporterRuns = started;
  const auto lock = holdInterruptReports();
  reports().all.push_back(&report_);
  ++reportCount;
}

InterruptReport::~InterruptReport() {
  const auto lock = holdInterruptReports();
  auto& all = reports().all;
  all.erase(std::find(all.begin(), all.end(), &report_));
  --reportCount;
}

std::unique_lock<std::mutex> holdInterruptReports() {
  return std::unique_lock(reports().mutex);
}
