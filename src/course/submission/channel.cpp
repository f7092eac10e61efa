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
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "device/device.h"
#include "submission/compile.h"
#include "submission/sandbox.h"

namespace {

/// Workers are no other users of the GPU.
const bool kCounted = (countOwnProcesses = Process::running, true);

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

}  // namespace

/// Watches a worker that is stopped, and kills it as soon as it has used more CPU time than that:
/// it can go on by itself. Between two calls this program may compute for long, and would not see
/// what the worker takes meanwhile.
class WorkerChannel::Watch {
 public:
  Watch(const Process& worker, double mostSeconds)
      : thread_([this, &worker, mostSeconds] {
          std::unique_lock lock(mutex_);
          while (!ending_.wait_for(lock, kLook, [this] { return ended_; })) {
            if (worker.cpuSeconds() <= mostSeconds) continue;
            worker.killGroup();
            return;
          }
        }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    ending_.notify_one();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  static constexpr std::chrono::milliseconds kLook{50};
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::thread thread_;  // last, because it uses the others
};

WorkerChannel::WorkerChannel(const Device& device, const WorkerTask& task, Patience& patience)
    : device_(device),
      patience_(patience),
      freezes_(task.sandboxed || task.kind == WorkerTask::kSolver) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(Exit::kMemory, task.name + ": no socket for its worker");
  socket_ = std::make_unique<Descriptor>(ends[0]);
  const long long before = held();
  startWorker(task, Descriptor(ends[1]));
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
  }
  guardParent();
  worker_ = std::make_unique<Process>(argv, std::vector<int>{theirs.number}, environment);
  worker_->limit(workerMemory(0), workerThreads());
}

WorkerChannel::~WorkerChannel() {
  watch_ = nullptr;
  worker_ = nullptr;  // before its socket is closed
}

const SharedWords& WorkerChannel::prepare(int n, int threads) {
  if (last_) {
    const Moment next = now();
    patience_.passed(next.seconds - last_->seconds, next.ours - last_->ours,
                     next.theirs - last_->theirs);
  }
  if (patience_.hindered > patience_.limit)
    fail(Kind::kSlow, fmt::format("too slow: its threads kept this program from working for {:.0f} "
                                  "s between its calls, the limit is 20 x --time-limit",
                                  patience_.hindered));
  thaw();
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

Exchange WorkerChannel::solve(int n, int* graph, double secondsAllowed) {
  const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  int* const theirs = shared_->data() + kGuard;
  Exchange done{};
  done.milliseconds = millisecondsOf([&] {
    done.copied = millisecondsOf([&] {
      device_.copy(theirs, graph, count);
      device_.synchronise();
    });
    send({Request::kSolve, n, 0, 0});
    expect(Reply::kReturned, secondsAllowed, "return");
    device_.copy(graph, theirs, count);
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
  if (done.warning.empty() && after > std::max(kUnnoticed, done.milliseconds / 10'000))
    done.warning = fmt::format("used {:.0f} ms of CPU time after its call", 1000 * after);
  done.printed = worker_->takeOutput();
  last_ = now();
  return done;
}

void WorkerChannel::freeze() {
  if (freezes_ && !worker_->freeze(kStopSeconds)) {
    if (!worker_->excess().empty()) fail(Kind::kNoMemory, worker_->excess());
    fail(Kind::kHang,
         fmt::format("could not be stopped within {:g} s after its call", kStopSeconds));
  }
  used_ = worker_->cpuSeconds();
  if (freezes_) watch_ = std::make_unique<Watch>(*worker_, used_ + kUnnoticed);
}

void WorkerChannel::thaw() {
  if (!freezes_) return;
  watch_ = nullptr;
  ran_ += worker_->cpuSeconds() - used_;
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

WorkerChannel::Moment WorkerChannel::now() const {
  timespec ours{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ours);
  const auto passed = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(passed).count(),
          static_cast<double>(ours.tv_sec) + 1e-9 * static_cast<double>(ours.tv_nsec),
          worker_->cpuSeconds()};
}

/// On the GPU this thread does not sleep while it waits, because waking up takes longer than the
/// least that is timed. On the CPU it would take a core from the submission.
Reply WorkerChannel::expect(Reply::Step step, double seconds, const char* what) {
  using Clock = std::chrono::steady_clock;
  const bool spins = device_.kind() == DeviceKind::kGpu && step == Reply::kReturned;
  // It must not sleep where no call's time counts.
  const bool between =
      step == Reply::kReady || step == Reply::kDone || (step == Reply::kLoaded && patience_.loaded);
  if (between) seconds = std::min(seconds, patience_.left());
  const auto begin = Clock::now();
  const auto deadline = begin + std::chrono::duration<double>(seconds);
  bool arrived = false;
  do {
    arrived = worker_->await(spins ? 0 : seconds, socket_->number);
  } while (spins && !arrived && worker_->excess().empty() && Clock::now() < deadline);
  if (between) patience_.waited += secondsSince(begin);
  if (!worker_->excess().empty()) fail(Kind::kNoMemory, worker_->excess());
  if (between && patience_.left() == 0)
    fail(Kind::kHang,
         fmt::format("kept this program waiting for {:.0f} s between its calls", patience_.waited));
  if (!arrived) fail(Kind::kHang, fmt::format("did not {} within {:g} s", what, seconds));
  Reply reply;
  const ssize_t got = recv(socket_->number, &reply, sizeof reply, MSG_DONTWAIT);
  if (got <= 0) failAsItEnded();
  const bool whole = got == sizeof reply;
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
  const int status = workerStatus(worker_->stop(std::min(kEndSeconds, patience_.left())));
  patience_.waited += secondsSince(begin);
  if (!worker_->excess().empty()) fail(Kind::kNoMemory, worker_->excess());
  if (WIFSIGNALED(status))
    fail(Kind::kCrash, fmt::format("crashed ({})", signalName(WTERMSIG(status))));
  fail(Kind::kExit, fmt::format("ended its process with exit code {}", WEXITSTATUS(status)));
}

void WorkerChannel::fail(Kind kind, const std::string& text) {
  worker_->stop();
  throw WorkerFailure{kind, text, worker_->takeOutput(), started_};
}
