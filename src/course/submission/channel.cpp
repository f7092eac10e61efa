#include "submission/channel.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/size.h"
#include "device/device.h"
#include "submission/compile.h"
#include "submission/sandbox.h"

namespace {

using Kind = SolveFault::Kind;

/// The time limit of each step of a worker other than the call itself.
constexpr double kStepSeconds = 60;

/// A worker must stop within so many seconds after a call.
constexpr double kStopSeconds = 10;
/// So many seconds of CPU time between calls are not worth a word: threads may wait for work
/// without sleeping.
constexpr double kUnnoticed = 0.05;

/// The fault that a failure in a reply stands for, and the words before its text.
struct Failure {
  Reply::Step step;
  Kind kind;
  const char* prefix;
};
const Failure kFailures[] = {
    {Reply::kCudaError, Kind::kCudaError, "CUDA error: "},
    {Reply::kNoMemory, Kind::kNoMemory, ""},
    {Reply::kThrew, Kind::kCrash, ""},
    {Reply::kRefused, Kind::kCrash, ""},
};

std::string signalName(int number) {
  static const struct {
    int number;
    const char* name;
  } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"},
               {SIGTERM, "SIGTERM"}, {SIGPIPE, "SIGPIPE"}, {SIGTRAP, "SIGTRAP"},
               {SIGSYS, "SIGSYS"}};
  for (const auto& signal : names)
    if (signal.number == number) return signal.name;
  return fmt::format("signal {}", number);
}

/// The reply's text, even if the submission sent it and it does not end with a 0.
std::string textOf(const Reply& reply) {
  return {reply.text, strnlen(reply.text, sizeof reply.text)};
}

void addTo(std::string& warnings, const std::string& more) {
  warnings += (warnings.empty() ? "" : "; ") + more;
}

}  // namespace

/// Watches a worker while it is stopped, and kills it as soon as it has used more CPU time than
/// that: it can go on by itself. Between two calls this program may compute for long, and would not
/// see what the worker takes meanwhile. Its thread is made before the submission runs, which could
/// leave no room for one.
class WorkerChannel::Watch {
 public:
  explicit Watch(const Process& worker) : worker_(worker), thread_([this] { watch(); }) {}
  ~Watch() {
    change([this] { ended_ = true; });
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin(double mostSeconds) {
    change([&] { most_ = mostSeconds; });
  }
  /// It does not look at the worker any more.
  void end() {
    change([this] { most_ = kNever; });
  }
  /// The CPU seconds that the worker had used when it was killed; 0 if it was not. Of processes
  /// that have ended, nobody can tell later.
  double killedAt() {
    const std::lock_guard lock(mutex_);
    return killedAt_;
  }

 private:
  static constexpr std::chrono::milliseconds kLook{50};
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  template <class Change>
  void change(const Change& makeChange) {
    {
      const std::lock_guard lock(mutex_);
      makeChange();
    }
    changed_.notify_one();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      if (most_ == kNever) {
        changed_.wait(lock);
      } else if (changed_.wait_for(lock, kLook) == std::cv_status::timeout) {
        const double used = worker_.cpuSeconds();
        if (used <= most_) continue;
        worker_.killGroup();
        killedAt_ = used;
        most_ = kNever;
      }
    }
  }

  const Process& worker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  double most_ = kNever;
  double killedAt_ = 0;
  bool ended_ = false;
  std::thread thread_;  // last, because it uses the others
};

WorkerChannel::WorkerChannel(const Device& device, const WorkerTask& task, Patience& patience)
    : device_(device),
      patience_(patience),
      freezes_(task.sandboxed || task.kind == WorkerTask::kSolver) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ErrorCode::kMemory, task.name + ": no socket for its worker");
  socket_ = std::make_unique<Descriptor>(ends[0]);
  const long long before = held();
  startWorker(task, Descriptor(ends[1]));
  if (task.sandboxed) {
    int listener = -1;
    expect(Reply::kConfined, kStepSeconds, "start", &listener);
    denials_ = std::make_unique<Denials>(listener);
  }
  expect(Reply::kStarted, kStepSeconds, "start");
  started_ = true;
  expect(Reply::kLoaded, kStepSeconds, "load");
  patience_.loaded = true;
  taken_ = held() - before;
  freeze();
}

/// The worker alone has its end afterwards. Therefore this process is told if the worker ends.
void WorkerChannel::startWorker(const WorkerTask& task, const Descriptor& theirs) {
  std::vector<std::string> argv = workerCommand(task, device_.kind(), theirs.number);
  std::optional<std::vector<std::string>> environment;
  if (task.sandboxed) {
    argv = confinedWorker(argv, {device_.kind() == DeviceKind::kGpu, task.name});
    environment = workerEnvironment();
    // GNU's malloc() writes the complement of this byte, but to what it kept from an earlier
    // free().
    if (task.fill)
      environment->push_back(fmt::format(
          "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb={}", 255 - *task.fill));
  }
  guardParent();
  worker_ = std::make_unique<Process>(argv, std::vector<int>{theirs.number}, environment);
  worker_->limit(workerMemory(0), workerThreads());
  if (freezes_) watch_ = std::make_unique<Watch>(*worker_);
}

WorkerChannel::~WorkerChannel() {
  watch_ = nullptr;
  worker_ = nullptr;  // before its socket is closed
}

const SharedWords& WorkerChannel::prepare(int n, int threads) {
  if (watch_ != nullptr) watch_->end();
  const double used = worker_->cpuSeconds();
  if (last_) {
    const Moment next = now(used);
    patience_.passed(next.seconds - last_->seconds, next.ours - last_->ours,
                     next.theirs - last_->theirs);
  }
  if (patience_.hindered > patience_.limit)
    fail(Kind::kSlow, fmt::format("its threads kept this program from working for {:.0f} "
                                  "s between its calls, the limit is 20 x --time-limit",
                                  patience_.hindered));
  thaw(used);
  const std::size_t words = sharedWords(n);
  heldBefore_ = held();
  if (shared_ == nullptr || shared_->size() < words) {
    shared_ = nullptr;  // gives its memory back first
    shared_ = device_.share(words);
    sent_ = false;
  }
  worker_->limit(workerMemory(n), workerThreads());
  const int descriptor = std::exchange(sent_, true) ? -1 : shared_->descriptor();
  send({Request::kPrepare, n, threads, shared_->size()}, descriptor);
  expect(Reply::kReady, kStepSeconds, "take its graph");
  return *shared_;
}

Exchange WorkerChannel::solve(int n, Elements graph, double secondsAllowed) {
  const std::size_t bytes = matrixBytes(n, Dtype::kInt32);
  int *const ours = graph.as<int>(), *const theirs = shared_->data() + kGuard;
  Exchange done{};
  done.milliseconds = millisecondsOf([&] {
    done.copied = millisecondsOf([&] {
      device_.copy(theirs, ours, bytes);
      device_.synchronise();
    });
    send({Request::kSolve, n, 0, 0});
    expect(Reply::kReturned, secondsAllowed, "return");
    device_.copy(ours, theirs, bytes);
    device_.synchronise();
  });
  const double before = worker_->cpuSeconds();
  const Reply reply = expect(Reply::kDone, kStepSeconds, "end its call");
  freeze();
  const double after = used_ - before;
  taken_ += held() - heldBefore_;
  done.own = reply.milliseconds;
  done.kept = reply.kept;
  done.warning = textOf(reply);
  if (const std::string tried = denials_ == nullptr ? "" : denials_->take(); !tried.empty())
    addTo(done.warning, fmt::format("tries {}: the sandbox denies it", tried));
  if (after > std::max(kUnnoticed, done.milliseconds / 10'000))
    addTo(done.warning, fmt::format("used {:.0f} ms of CPU time after its call", 1000 * after));
  done.printed = worker_->takeOutput();
  last_ = now(used_);
  return done;
}

std::size_t WorkerChannel::hostBytes() const {
  return worker_->bytes();
}

/// The kernel counts how long a thread that could run had no core. Threads of the worker may have
/// taken cores from each other; therefore the worker's CPU time, spread over all cores, is the
/// least.
double WorkerChannel::givenSince(std::chrono::steady_clock::time_point begin) const {
  static const double cores = std::max(1u, std::thread::hardware_concurrency());
  const double passed = secondsSince(begin);
  const double used = worker_->cpuSeconds() - used_;
  const double delayed = worker_->delayedSeconds() - delayed_;
  return std::max(passed - delayed, std::min(passed, used / cores));
}

template <class Done>
bool WorkerChannel::await(double seconds, bool counts, const Done& done) {
  constexpr double kLeast = 0.05;  // is not worth a look at the worker's threads
  if (counts) seconds = std::min(seconds, patience_.left());
  const auto begin = std::chrono::steady_clock::now();
  const auto given = [&] {
    const double passed = secondsSince(begin);
    return passed < std::min(seconds, kLeast) ? passed : givenSince(begin);
  };
  bool arrived = done(seconds);
  while (!arrived && worker_->excess().empty()) {
    const double left = seconds - given();
    if (left <= 0) break;
    arrived = done(std::max(left, kLeast));
  }
  if (counts) patience_.waited += given();
  if (!worker_->excess().empty()) fail(Kind::kNoMemory, worker_->excess());
  if (counts && patience_.left() == 0)
    fail(Kind::kHang,
         fmt::format("kept this program waiting for {:.0f} s between its calls", patience_.waited));
  return arrived;
}

void WorkerChannel::freeze() {
  if (freezes_ &&
      !await(kStopSeconds, true, [&](double seconds) { return worker_->freeze(seconds); }))
    fail(Kind::kHang,
         fmt::format("could not be stopped within {:g} s after its call (its threads are {})",
                     kStopSeconds, worker_->states()));
  used_ = worker_->cpuSeconds();
  if (!freezes_) return;
  delayed_ = worker_->delayedSeconds();
  watch_->begin(used_ + kUnnoticed);
}

void WorkerChannel::thaw(double used) {
  if (!freezes_) return;
  ran_ += std::max(used, watch_->killedAt()) - used_;
  if (ran_ > kUnnoticed)
    fail(Kind::kHang, fmt::format("ran between its calls, for {:.0f} ms of CPU time", 1000 * ran_));
  worker_->thaw();
}

/// The shared memory is free only when neither process has it. Therefore it counts as the worker's.
long long WorkerChannel::end() {
  const long long before = held();
  watch_ = nullptr;
  worker_->stop();  // returns when the driver has freed the worker's memory
  shared_ = nullptr;
  return taken_ + held() - before;
}

/// At most one message is on its way, therefore there is room for it. A worker that answers without
/// reading leaves none. If this process waited for room, it might wait for ever.
void WorkerChannel::send(const Request& request, int descriptor) {
  if (sendRequest(socket_->number, request, descriptor)) return;
  if (errno == EPIPE || errno == ECONNRESET) return;  // expect() finds out why it has ended
  fail(Kind::kHang, "does not read what this program asks it for");
}

WorkerChannel::Moment WorkerChannel::now(double theirs) const {
  timespec ours{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ours);
  const auto passed = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(passed).count(),
          static_cast<double>(ours.tv_sec) + 1e-9 * static_cast<double>(ours.tv_nsec), theirs};
}

/// On the GPU this thread does not sleep while it waits, because waking up takes longer than the
/// least that is timed. On the CPU it would take a core from the submission.
Reply WorkerChannel::expect(Reply::Step step, double seconds, const char* what, int* descriptor) {
  const bool spins = device_.kind() == DeviceKind::kGpu && step == Reply::kReturned;
  // It must not sleep where no call's time counts.
  const bool between =
      step == Reply::kReady || step == Reply::kDone || (step == Reply::kLoaded && patience_.loaded);
  const bool arrived = await(seconds, between, [&](double most) {
    const auto begin = std::chrono::steady_clock::now();
    while (spins && worker_->excess().empty() && secondsSince(begin) < most)
      if (worker_->await(0, socket_->number)) return true;
    return worker_->await(spins ? 0 : most, socket_->number);
  });
  if (!arrived) fail(Kind::kHang, fmt::format("did not {} within {:g} s", what, seconds));
  Reply reply;
  const ssize_t got = descriptor == nullptr
                          ? recv(socket_->number, &reply, sizeof reply, MSG_DONTWAIT)
                          : receiveReply(socket_->number, reply, *descriptor);
  if (got <= 0) failAsItEnded();
  const bool whole = got == sizeof reply && isPlausible(reply);
  if (whole && reply.step == step) return reply;
  if (whole && reply.step == Reply::kRefused && step == Reply::kLoaded) {
    const bool host = device_.kind() == DeviceKind::kCpu;
    fail(Kind::kNotLoaded, fmt::format("{}; build it with {}", textOf(reply),
                                       buildCommand(host ? "mine.cpp" : "mine.cu")));
  }
  for (const Failure& failure : kFailures)
    if (whole && failure.step == reply.step) fail(failure.kind, failure.prefix + textOf(reply));
  fail(Kind::kCrash, "sent a message that only its worker may send");
}

void WorkerChannel::failAsItEnded() {
  constexpr double kEndSeconds = 10;  // the driver frees GPU memory first, which takes seconds
  const auto begin = std::chrono::steady_clock::now();
  if (watch_ != nullptr) watch_->end();
  const int status = workerStatus(worker_->stop(std::min(kEndSeconds, patience_.left())));
  patience_.waited += secondsSince(begin);
  if (!worker_->excess().empty()) fail(Kind::kNoMemory, worker_->excess());
  if (WIFSIGNALED(status))
    fail(Kind::kCrash, fmt::format("crashed ({})", signalName(WTERMSIG(status))));
  fail(Kind::kExit, fmt::format("ended its process with exit code {}", WEXITSTATUS(status)));
}

void WorkerChannel::fail(Kind kind, const std::string& text) {
  if (watch_ != nullptr) watch_->end();
  worker_->stop();
  const std::string tried = denials_ == nullptr ? "" : denials_->take();
  throw WorkerFailure{
      kind,
      tried.empty() ? text : fmt::format("{}; it tried {}, which the sandbox denies", text, tried),
      worker_->takeOutput(), started_};
}
