#include "system/progress_line.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/quantity.h"
#include "system/screen.h"
#include "system/utf8.h"

// ---- the line -------------------------------------------------------------------------------

namespace {

/// The part of some work that is done, 0 to 1, and the seconds that it took; a negative share is
/// not known.
struct Share {
  double share = -1, elapsed = 0;
};

/// From the outermost work that can be measured. What is all done gives way to what goes on in it,
/// such as the sorting of what was read; a guess by the clock gives way to a count. Of a call that
/// takes longer than was guessed nothing is known, nor of the calls in all.
Share shareOf(const std::vector<WorkState>& works) {
  Share found{-1, works.front().elapsed};
  bool late = false;
  for (auto work = works.rbegin(); work != works.rend(); ++work) {
    if (late && work->units == Units::kCalls) continue;
    if (work->total > 0 && (work->done < work->total || found.share < 0)) {
      const double inside = work->units == Units::kCalls ? std::max(0.0, found.share) : 0;
      const double done = static_cast<double>(work->done) + inside;
      found = {std::min(1.0, done / static_cast<double>(work->total)), work->elapsed};
    } else if (work->expected > 0 && found.share < 0) {
      late = work->elapsed >= work->expected;
      if (!late) found = {work->elapsed / work->expected, work->elapsed};
    }
  }
  return found;
}

/// What is being done, from the outermost work to the innermost.
std::string nameOf(const std::vector<WorkState>& works) {
  std::string name = "apsp";
  for (const WorkState& work : works) {
    if (!work.what.empty()) name += ": " + work.what;
    if (work.units != Units::kCalls) continue;
    name += fmt::format(": call {}",
                        work.total > 0 ? std::min(work.done + 1, work.total) : work.done + 1);
    if (work.total > 0) name += fmt::format(" of {}", work.total);
  }
  return inLocale(oneLine(name));
}

/// Bytes of work without a known total, and their rate; "" where there is none.
std::string bytesAndRate(const std::vector<WorkState>& works) {
  for (const WorkState& work : works) {
    if (work.units != Units::kBytes || work.total > 0) continue;
    const double rate = work.elapsed > 0 ? static_cast<double>(work.done) / work.elapsed : 0;
    return fmt::format(": {}, {}/s", bytesText(work.done),
                       bytesText(static_cast<std::uint64_t>(rate)));
  }
  return "";
}

}  // namespace

std::string durationText(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const long long whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progressLine(const std::vector<WorkState>& works, std::size_t width) {
  const auto [share, elapsed] = shareOf(works);
  const double percent = std::floor(100 * share);
  std::string numbers = share < 0     ? bytesAndRate(works)
                        : percent > 0 ? fmt::format(": {:.0f} %", percent)
                                      : "";
  numbers += fmt::format("{} {} so far", numbers.empty() ? ":" : ",", durationText(elapsed));
  if (share > 0 && share < 1)
    numbers += fmt::format(", about {} left", durationText(elapsed * (1 - share) / share));
  return shortened(nameOf(works), width - std::min(width, numbers.size())) + numbers;
}

// ---- the terminal -----------------------------------------------------------------------------

namespace {

constexpr char kErase[] = "\r\033[K";

std::atomic<bool> shown;  // there is a line on the terminal
std::atomic<bool> ended;  // none may be drawn any more

/// Whether the terminal takes something now: one that is stopped (Ctrl-S) would keep us waiting.
bool terminalTakes() {
  pollfd terminal{STDERR_FILENO, POLLOUT, 0};
  return poll(&terminal, 1, 0) == 1;
}

/// Whoever reads standard error may be gone: there is nobody to tell that to.
void print(const char* text, std::size_t bytes) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, bytes);
}

}  // namespace

void eraseProgress() {
  if (shown.exchange(false) && terminalTakes()) print(kErase, sizeof kErase - 1);
}

void endProgress() {
  const std::lock_guard lock(worksUnderWay().mutex);
  ended = true;
  eraseProgress();
}

// ---- who prints it --------------------------------------------------------------------------

namespace {

constexpr std::size_t kColumns = 79;  // at most; the last one of the terminal stays free
constexpr double kShownAfter = 1;     // seconds
constexpr long kTick = 250000000;     // nanoseconds from one line to the next

sem_t asked;  // as often as by SIGUSR1

/// Async-signal-safe.
void ask(int) {
  const int before = errno;
  sem_post(&asked);
  errno = before;
}

/// Waits until someone asks; where it `ticks`, for a tick at most. Whether someone did.
bool awaitQuestion(bool ticks) {
  constexpr long kSecond = 1000000000;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (until.tv_nsec + kTick) / kSecond;
  until.tv_nsec = (until.tv_nsec + kTick) % kSecond;
  return (ticks ? sem_timedwait(&asked, &until) : sem_wait(&asked)) == 0;
}

std::size_t columns() {
  return std::min(kColumns, terminalColumns(STDERR_FILENO) - 1);
}

void answer() {
  std::unique_lock lock(worksUnderWay().mutex);
  const std::vector<WorkState> works = worksUnderWay().states();
  const std::string text = (works.empty() ? inLocale("apsp: " + oneLine(worksUnderWay().between))
                                          : progressLine(works)) +
                           "\n";
  if (shown) {
    eraseProgress();
  } else {
    lock.unlock();  // a reader that keeps us waiting keeps nobody else
  }
  print(text.data(), text.size());
}

/// In the background of a shell the terminal is others' to write to.
bool inForeground() {
  const pid_t group = tcgetpgrp(STDERR_FILENO);  // −1: a terminal without a shell
  return group < 0 || group == getpgrp();
}

void draw() {
  const std::lock_guard lock(worksUnderWay().mutex);
  const std::vector<WorkState> works = worksUnderWay().states();
  if (ended || works.empty() || works.front().elapsed < kShownAfter) return;
  if (!inForeground() || !terminalTakes()) return;
  const std::string text = kErase + shortened(progressLine(works, columns()), columns());
  shown = true;
  print(text.data(), text.size());
}

/// All there is to the thread. Signals are the other threads' business, SIGPIPE above all: it would
/// end the program where whoever read standard error has gone.
void* watch(void* terminal) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    if (awaitQuestion(terminal != nullptr)) {
      answer();
    } else if (terminal != nullptr) {
      draw();
    }
  }
}

bool isTerminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && kind != std::string("dumb");
}

}  // namespace

void showProgress() {
  worksUnderWay().whenNone = eraseProgress;
  sem_init(&asked, 0, 0);
  struct sigaction action {};
  action.sa_handler = ask;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  static bool terminal = isTerminal();
  pthread_t thread;  // where there can be none, nothing is shown, and a SIGUSR1 does no harm
  if (pthread_create(&thread, nullptr, watch, terminal ? &terminal : nullptr) == 0)
    pthread_detach(thread);
}
