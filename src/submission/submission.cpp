#include "submission/submission.h"

#include <fmt/format.h>
#include <omp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/graph.h"
#include "core/process.h"
#include "core/quantity.h"
#include "core/utf8.h"
#include "submission/compile.h"
#include "submission/protocol.h"
#include "submission/sandbox.h"
#include "submission/worker.h"

namespace {

using Kind = SolveFault::Kind;

/// Time limits of a worker's steps other than the call itself.
constexpr double kLoadSeconds = 60, kCopySeconds = 300;

/// The fault that a failure in a reply stands for, and the words before its text.
struct Failure {
  Reply::Step step;
  Kind kind;
  const char* prefix;
};
const Failure kFailures[] = {
    {Reply::kRefused, Kind::kCrash, "cannot be loaded: "},
    {Reply::kCudaError, Kind::kCudaError, "CUDA error: "},
    {Reply::kNoMemory, Kind::kNoMemory, ""},
    {Reply::kThrew, Kind::kCrash, ""},
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

/// The last line that is not empty, of at most 160 bytes and whole characters.
std::string lastLine(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  if (last == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', last) + 1;  // npos + 1 is 0
  constexpr std::size_t kLongest = 160;
  const std::string line = oneLine(text.substr(begin, last + 1 - begin));
  std::size_t end = 0;
  while (end < line.size() && end + utf8Length(line, end) <= kLongest) end += utf8Length(line, end);
  return line.substr(0, end);
}

/// The reply's text, even if the submission sent it and it does not end with a 0.
std::string textOf(const Reply& reply) {
  return {reply.text, strnlen(reply.text, sizeof reply.text)};
}

/// The value of guard element `at`. Large and small values take turns from call to call. A large
/// one shows writes: no solver writes it by chance, and one that relaxes there replaces it by
/// something smaller. A small one shows reads: taken for a weight, it gives a path that does not
/// exist.
int guardElement(std::uint64_t seed, std::size_t at, bool small) {
  const std::uint64_t hash = edgeHash(seed, at, 0);
  return static_cast<int>(small ? hash & 0xf : 0x60000000 | (hash & 0x1fffffff));
}

/// Calls f(at, distance, before) for each element of the guards: its index, its distance from the
/// matrix, and whether it comes before the matrix.
template <class F>
void forEachGuard(std::size_t size, F f) {
  for (std::size_t at = 0; at < kGuard; ++at) {
    f(at, kGuard - at, true);
    f(size - kGuard + at, at + 1, false);
  }
}

/// Says how many elements outside the matrix were written; empty if none was.
std::string writesOutside(const SharedMatrix& shared, std::uint64_t seed, bool small) {
  struct {
    const char* where;
    std::size_t elements = 0, farthest = 0;
  } sides[] = {{"after"}, {"before"}};
  forEachGuard(shared.size(), [&](std::size_t at, std::size_t distance, bool before) {
    if (shared.elements()[at] == guardElement(seed, at, small)) return;
    auto& side = sides[before];
    ++side.elements;
    side.farthest = std::max(side.farthest, distance);
  });
  std::string text;
  for (const auto& side : sides) {
    if (side.elements == 0) continue;
    text += fmt::format("{}{} elements {} it, up to {} away", text.empty() ? "" : "; ",
                        side.elements, side.where, side.farthest);
  }
  return text;
}

/// Finds out whether calls keep device memory. The first call of a worker does not count: it
/// allocates what lives as long as the process, for example the device's heap and the buffer of
/// printf. Memory that other processes allocate meanwhile looks the same. Therefore three calls
/// must have kept some and none in between may have freed any. A call that keeps nothing says
/// nothing: CUDA takes memory in large pieces, so a small leak does not show in every call.
class Leak {
 public:
  void count(long long kept) {
    if (std::exchange(first_, false) || kept == 0) return;
    calls_ = kept > 0 ? calls_ + 1 : 0;
    bytes_ = kept > 0 ? bytes_ + kept : 0;
  }
  bool certain() const { return calls_ >= 3; }
  std::string text() const {
    return fmt::format("keeps device memory: {} in {} calls",
                       bytesText(static_cast<std::uint64_t>(bytes_)), calls_);
  }

 private:
  bool first_ = true;
  int calls_ = 0;
  long long bytes_ = 0;
};

/// A submission and its worker.
class Submission {
 public:
  Submission(std::string path, Library library, const Device& device,
             const SubmissionLimits& limits)
      : path_(std::move(path)), library_(std::move(library)), device_(device), limits_(limits) {
    start();
  }
  ~Submission() { dropWorker(); }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  /// Solves in place. graph: (n, n) elements in the device's memory, n > 0. Throws SolveFault.
  Call call(int n, int* graph) {
    if (worker_ == nullptr) start();
    when_ = fmt::format("call {} (n = {})", ++calls_, n);
    shared_.resize(n);
    device_.download(shared_.matrix(), graph, shared_.matrixSize());
    const std::uint64_t seed = std::random_device{}();
    const bool small = std::exchange(smallGuards_, !smallGuards_);
    forEachGuard(shared_.size(), [&](std::size_t at, std::size_t, bool) {
      shared_.elements()[at] = guardElement(seed, at, small);
    });

    worker_->limit(workerMemory(n), workerThreads());
    const Request request{n, omp_get_max_threads()};
    send(socket_, &request, sizeof request, MSG_NOSIGNAL);
    expect(Reply::kCalling, kCopySeconds, "take its graph");
    expect(Reply::kReturned, limits_.callSeconds, "return");
    const Reply done = expect(Reply::kDone, kCopySeconds, "give its distances back");
    const std::string outside = writesOutside(shared_, seed, small);
    if (!outside.empty()) fail(Kind::kOutOfBounds, "wrote outside its matrix: " + outside);
    leak_.count(done.kept);
    if (leak_.certain() && device_.clocks().otherUsers == 0) fail(Kind::kLeak, leak_.text());
    device_.upload(graph, shared_.matrix(), shared_.matrixSize());
    return {done.milliseconds, {}, worker_->takeOutput(), oneLine(textOf(done))};
  }

 private:
  /// Starts a worker and waits until it has loaded the library.
  void start() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      throw Error(Exit::kMemory, path_ + ": no socket for its worker");
    socket_ = aboveStandard(ends[0]);
    const int theirs = aboveStandard(ends[1]), memory = shared_.descriptor();
    std::vector<std::string> argv = {"/proc/self/exe",
                                     kWorkerArgument,
                                     library_.path,
                                     nameOf(device_.kind()),
                                     std::to_string(theirs),
                                     std::to_string(memory),
                                     limits_.sandboxed ? "sandboxed" : kUnsandboxed};
    std::optional<std::vector<std::string>> environment;
    if (limits_.sandboxed) {
      argv = workerCommand(argv, {device_.kind() == DeviceKind::kGpu, library_.path});
      environment = workerEnvironment();
    }
    guardParent();
    worker_ = std::make_unique<Process>(argv, std::vector<int>{theirs, memory}, environment);
    worker_->limit(workerMemory(0), workerThreads());
    close(theirs);
    when_ = "loading";
    leak_ = {};
    smallGuards_ = false;
    try {
      expect(Reply::kLoaded, kLoadSeconds, "load");
    } catch (const SolveFault& fault) {
      throw Error(fault.kind == Kind::kCudaError  ? Exit::kGpu
                  : fault.kind == Kind::kNoMemory ? Exit::kMemory
                                                  : Exit::kInput,
                  fault.what());
    }
  }

  void dropWorker() {
    worker_ = nullptr;
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  /// Waits for the worker's reply of that step. Throws SolveFault if another one comes.
  Reply expect(Reply::Step step, double seconds, const char* what) {
    if (!worker_->await(seconds, socket_)) {
      const std::string excess = worker_->excess();
      if (!excess.empty()) fail(Kind::kNoMemory, excess);
      fail(Kind::kHang, fmt::format("did not {} within {:g} s", what, seconds));
    }
    Reply reply;
    if (recv(socket_, &reply, sizeof reply, 0) != sizeof reply) failAsItEnded();
    if (reply.step == step) return reply;
    for (const Failure& failure : kFailures)
      if (failure.step == reply.step) fail(failure.kind, failure.prefix + textOf(reply));
    fail(Kind::kCrash, "sent a message that only its worker may send");
  }

  [[noreturn]] void failAsItEnded() {
    constexpr double kEndSeconds = 10;  // the driver frees GPU memory first, which takes seconds
    const int status = workerStatus(worker_->stop(kEndSeconds));
    if (WIFSIGNALED(status))
      fail(Kind::kCrash, fmt::format("crashed ({})", signalName(WTERMSIG(status))));
    fail(Kind::kExit, fmt::format("ended its process with exit code {}", WEXITSTATUS(status)));
  }

  [[noreturn]] void fail(Kind kind, const std::string& text) {
    worker_->stop();
    const std::string printed = worker_->takeOutput(), last = lastLine(printed);
    dropWorker();
    throw SolveFault(kind,
                     oneLine(fmt::format("{}: {}: {}{}", path_, when_, text,
                                         last.empty() ? "" : "; it printed: " + last)),
                     printed);
  }

  std::string path_;
  Library library_;
  const Device& device_;
  SubmissionLimits limits_;
  SharedMatrix shared_;
  std::unique_ptr<Process> worker_;  // nullptr after a fault
  int socket_ = -1;
  int calls_ = 0;
  bool smallGuards_ = false;  // whether the next call gets small guard elements
  Leak leak_;
  std::string when_;  // the call, for messages
};

/// The error for a file that is neither CUDA source nor a library: which files are taken, and how
/// to make one.
std::string refusalOf(const std::string& path) {
  for (const char* extension : {".cpp", ".cc", ".cxx", ".c"}) {
    if (endsWith(path, extension))
      return path + ": C++ source is not compiled here: give a .so with --device cpu: " +
             buildCommand(path);
  }
  return path +
         ": a submission is CUDA source, .cu, or a library, .so: " + buildCommand("mine.cpp");
}

}  // namespace

bool isSubmission(const std::string& word) {
  return word.find_first_of("./") != std::string::npos;
}

Solver loadSubmission(const std::string& path, const Device& device,
                      const SubmissionLimits& limits) {
  const bool source = endsWith(path, ".cu");
  if (!source && !endsWith(path, ".so")) throw Error(Exit::kUsage, refusalOf(path));
  if (source && device.kind() == DeviceKind::kCpu)
    throw Error(Exit::kUsage,
                path +
                    ": CUDA source runs on a GPU only: take --device gpu if there is one, or "
                    "give a .so whose apsp takes host memory: " +
                    buildCommand("mine.cpp"));
  if (limits.sandboxed) requireSandbox(path);
  Library library =
      source ? build(path, device.info().capability, limits.compileSeconds, limits.sandboxed)
             : Library{std::filesystem::absolute(path).string(), contentHash(path)};
  const std::string version = library.content;
  const auto submission = std::make_shared<Submission>(path, std::move(library), device, limits);
  const auto call = [submission](const Device&, int n, int* matrix, Dtype, const Options&) {
    return n == 0 ? Call{} : submission->call(n, matrix);
  };
  // The worker has a matrix of its own on the device. Host memory shared with it holds another.
  const auto workspace = [](int n, Dtype, const Options&) {
    return Memory{matrixBytes(n), 0, matrixBytes(n)};
  };
  Solver row;
  row.name = row.source = path;
  row.device = device.kind();
  row.what = "submission";
  row.sandbox = sandboxName(limits.sandboxed);
  row.version = version;
  return inPlace(std::move(row), call, workspace);
}

Solver chooseSolver(const std::string& word, const Device& device, const SubmissionLimits& limits) {
  return isSubmission(word) ? loadSubmission(word, device, limits)
                            : findSolver(word, device.kind());
}
