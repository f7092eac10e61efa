#include "submission/submission.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "base/quantity.h"
#include "ladder/kernels.h"
#include "measure/clocks.h"
#include "submission/calibration.h"
#include "submission/channel.h"
#include "submission/compile.h"
#include "submission/sandbox.h"
#include "system/utf8.h"

namespace {

using Kind = SolveFault::Kind;

/// The kGuard elements of a guard. Large and small values take turns from call to call. A large one
/// shows writes: no solver writes it by chance, and one that relaxes there replaces it by something
/// smaller. A small one shows reads: taken for a weight, it gives a path that does not exist.
std::vector<int> guardElements(std::uint64_t seed, bool first, bool small) {
  std::vector<int> elements(kGuard);
  const auto element = [=](std::uint64_t random) {
    return static_cast<int>(small ? random & 0xf : 0x60000000 | (random & 0x1fffffff));
  };
  for (std::size_t at = 0; at < kGuard; at += 2) {
    const std::uint64_t hash = edgeHash(seed, at, first ? 1 : 0);
    elements[at] = element(hash);
    elements[at + 1] = element(hash >> 32);
  }
  return elements;
}

/// The elements outside a matrix, in a device's memory that a worker shares.
class Guards {
 public:
  /// memory: guard, (n, n) elements, guard.
  Guards(const Device& device, const SharedWords& memory, int n)
      : device_(device),
        sides_{{memory.data(), true, {}}, {memory.data() + sharedWords(n) - kGuard, false, {}}} {}

  /// Writes values that differ from call to call.
  void write(std::uint64_t seed, bool small) {
    for (Side& side : sides_) {
      side.written = guardElements(seed, side.first, small);
      upload(device_, side.elements, side.written.data(), kGuard);
    }
  }

  /// Says how many elements were written since; "" if none was.
  std::string changes() const {
    std::string text;
    std::vector<int> now(kGuard);
    for (const Side* each : {&sides_[1], &sides_[0]}) {
      const Side& side = *each;
      download(device_, now.data(), side.elements, kGuard);
      if (now == side.written) continue;
      std::size_t elements = 0, farthest = 0;
      for (std::size_t at = 0; at < kGuard; ++at) {
        if (now[at] == side.written[at]) continue;
        ++elements;
        farthest = std::max(farthest, side.first ? kGuard - at : at + 1);
      }
      text += fmt::format("{}{} {} it, up to {} away", text.empty() ? "" : "; ",
                          counted(elements, "element"), side.first ? "before" : "after", farthest);
    }
    return text;
  }

 private:
  struct Side {
    int* elements;  // kGuard of them
    bool first;     // they come before the matrix
    std::vector<int> written;
  };

  const Device& device_;
  Side sides_[2];
};

/// Finds out whether calls keep device memory. The first call of a worker does not count: it
/// allocates what lives as long as the process, for example the device's heap and the buffer of
/// printf. Three calls must have kept some and none in between may have freed any. A call that
/// keeps nothing says nothing: CUDA takes memory in large pieces, so a small leak does not show in
/// every call. Memory that other processes allocate meanwhile looks the same, as long as the worker
/// runs.
class Leak {
 public:
  void count(long long kept) {
    constexpr long long kMost = 1LL << 50;  // the worker says it, which may say anything
    if (std::exchange(first_, false) || kept == 0) return;
    calls_ = kept > 0 ? calls_ + 1 : 0;
    bytes_ = kept > 0 ? std::min(kMost, bytes_ + std::min(kept, kMost)) : 0;
  }
  bool suspected() const { return calls_ >= 3; }
  /// Whether the memory was the worker's. missing: what WorkerChannel::end() returned. Others who
  /// take or give back a little meanwhile change nothing.
  bool confirmedBy(long long missing) const { return std::abs(missing) <= bytes_ / 2; }
  std::string text() const {
    return fmt::format("keeps device memory: {} in {} calls",
                       bytesText(static_cast<std::uint64_t>(bytes_)), calls_);
  }

 private:
  bool first_ = true;
  int calls_ = 0;
  long long bytes_ = 0;
};

/// Suspects that calls keep host memory. A call counts if the one before it was on a graph of the
/// same size: a solver may keep what a size needs. Only calls on the same graph can confirm it,
/// because what a solver takes, and what its allocator keeps, may depend on the graph.
class HostLeak {
 public:
  /// At small sizes nothing shows; at large ones it would take long to confirm.
  static bool looksAt(int n) {
    constexpr int kLeastN = 128, kMostN = 512;
    return n >= kLeastN && n <= kMostN;
  }
  /// held: bytes of the worker after the call; any number at a size that nobody looks at.
  void count(int n, std::size_t held) {
    const bool same = std::exchange(n_, n) == n;
    const std::size_t before = std::exchange(held_, held);
    const bool grew = same && held > before;
    calls_ = grew ? calls_ + 1 : 0;
    bytes_ = grew ? bytes_ + (held - before) : 0;
  }
  bool suspected() const { return looksAt(n_) && calls_ >= 2 && bytes_ >= std::size_t{1} << 18; }

 private:
  int n_ = 0, calls_ = 0;
  std::size_t held_ = 0, bytes_ = 0;
};

/// What is left of our patience with the submission of that name, while solvers of it live.
std::shared_ptr<Patience> patienceWith(const std::string& name, const SubmissionLimits& limits) {
  static std::map<std::string, std::weak_ptr<Patience>> all;
  std::weak_ptr<Patience>& known = all[name];
  std::shared_ptr<Patience> patience = known.lock();
  if (patience == nullptr)
    known = patience = std::make_shared<Patience>(Patience{limits.checkSeconds()});
  return patience;
}

/// A submission and its worker.
class Submission {
 public:
  Submission(std::string name, WorkerTask task, const Device& device,
             const SubmissionLimits& limits)
      : name_(std::move(name)),
        task_(std::move(task)),
        device_(device),
        limits_(limits),
        patience_(patienceWith(name_, limits)) {
    if (limits.subtractsCost) calibration_ = calibrationOf(device);
    start();
  }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;
  ~Submission() { end(); }

  /// Solves in place. graph: (n, n) int32 in the device's memory, n > 0. Throws SolveFault.
  Call call(int n, Elements graph) {
    if (subtractsAt(n) && !calibration_->knows(n)) {
      end();  // a submission that runs could raise the cost
      calibration_->measure(n);
    }
    if (channel_ == nullptr) start();
    when_ = fmt::format("call {} (n = {})", ++calls_, n);
    try {
      return exchange(n, graph);
    } catch (const WorkerFailure& failure) {
      fail(failure.kind, failure.text, failure.printed);
    } catch (const std::system_error& error) {
      fail(Kind::kNoMemory,
           fmt::format("left this program without what it needs: {}", error.what()), "");
    }
  }

  /// Ends its worker. The next call starts another one.
  void end() {
    channel_ = nullptr;
    if (running_ == this) running_ = nullptr;
  }

 private:
  bool subtractsAt(int n) const { return calibration_ != nullptr && !calibration_->leavesOut(n); }

  Call exchange(int n, Elements graph) {
    const int ours = omp_get_max_threads();
    const int threads = ours == 1 ? limits_.threadsOnOneCore : ours;
    Guards guards(device_, channel_->prepare(n, threads), n);
    guards.write(std::random_device{}(), std::exchange(smallGuards_, !smallGuards_));
    const Exchange done = channel_->solve(n, graph, limits_.callSeconds);
    const std::string outside = guards.changes();
    if (!outside.empty())
      fail(Kind::kOutOfBounds, "wrote outside its matrix: " + outside, done.printed);
    const bool watched = task_.kind == WorkerTask::kLibrary && device_.kind() == DeviceKind::kCpu &&
                         HostLeak::looksAt(n);
    hostLeak_.count(n, watched ? channel_->hostBytes() : 0);
    if (watched && hostLeak_.suspected() && hostLeaksLeft_ > 0)
      confirmHostLeak(n, threads, graph.as<int>());
    leak_.count(done.kept);
    if (leak_.suspected() && leaksLeft_ > 0 && isAlone(clocksOf(device_), limits_))
      findLeaker(done.printed);
    WorkerTimes times;
    if (subtractsAt(n))
      times = {calibration_->cost(n, done.milliseconds), done.own, calibration_->floor(n)};
    Call call;
    call.milliseconds = std::max(0.0, done.milliseconds - times.cost);
    call.submitted = std::make_shared<const SubmittedCall>(
        SubmittedCall{times, done.printed, oneLine(done.warning)});
    return call;
  }

  /// Solves one graph repeatedly, and fails if all of the last calls keep about as much memory.
  /// What is freed and kept by the allocator grows no more by then. graph: (n, n), any.
  void confirmHostLeak(int n, int threads, const int* graph) {
    constexpr int kCalls = 12, kLast = 8;
    --hostLeaksLeft_;
    std::vector<std::size_t> held;
    for (int i = 0; i < kCalls; ++i) {
      std::vector<int> copy(graph, graph + asSize(n) * asSize(n));
      channel_->prepare(n, threads);
      channel_->solve(n, Elements(copy.data()), limits_.callSeconds);
      held.push_back(channel_->hostBytes());
    }
    std::size_t least = SIZE_MAX, most = 0;
    for (std::size_t at = asSize(kCalls - kLast); at < held.size(); ++at) {
      const std::size_t grown = held[at] - std::min(held[at], held[at - 1]);
      least = std::min(least, grown);
      most = std::max(most, grown);
    }
    const std::size_t all = held.back() - std::min(held.back(), held[kCalls - kLast - 1]);
    if (least > 0 && 2 * least >= most)
      fail(
          Kind::kLeak,
          fmt::format("keeps host memory: {} in {} calls on the same graph", bytesText(all), kLast),
          "");
  }

  /// Ends the worker, and fails if the memory that is missing comes back with that and nobody else
  /// takes or frees any. Otherwise another process may have taken it. The next call then starts
  /// another worker, which is watched anew. Starting one takes long, therefore it is done a few
  /// times only.
  void findLeaker(const std::string& printed) {
    --leaksLeft_;
    if (leak_.confirmedBy(channel_->end()) && isQuiet()) fail(Kind::kLeak, leak_.text(), printed);
    end();
  }

  /// Whether the device's memory in use stays the same for a second.
  bool isQuiet() const {
    const std::size_t held = device_.heldBytes();
    for (int look = 0; look < 50; ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (device_.heldBytes() != held) return false;
    }
    return true;
  }

  /// Starts a worker and waits until it has loaded the library. Throws SolveFault if the library or
  /// its code prevents that, its code being kInput if it is no library of a solver; otherwise
  /// Error.
  void start() {
    if (running_ != nullptr && running_->name_ != name_) running_->end();
    leak_ = {};
    hostLeak_ = {};
    smallGuards_ = false;
    try {
      channel_ = std::make_unique<WorkerChannel>(device_, task_, *patience_);
    } catch (const WorkerFailure& failure) {
      when_ = failure.started ? "cannot be loaded" : "its worker cannot start";
      const std::string text = message(failure.text, failure.printed);
      if (!failure.started)
        throw Error(failure.kind == Kind::kCudaError ? ErrorCode::kGpu : ErrorCode::kMemory, text);
      SolveFault fault(Kind::kNotLoaded, text, failure.printed);
      if (failure.kind == Kind::kNotLoaded) fault.code = ErrorCode::kInput;
      throw fault;
    } catch (const std::system_error& error) {
      throw Error(ErrorCode::kMemory,
                  fmt::format("{}: no thread for its worker: {}", name_, error.what()));
    }
    running_ = this;  // not before: if the constructor throws, no destructor takes it back
  }

  std::string message(const std::string& text, const std::string& printed) const {
    const std::string last = lastLine(printed);
    return oneLine(fmt::format("{}: {}: {}{}", name_, when_, text,
                               last.empty() ? "" : "; it printed: " + last));
  }

  [[noreturn]] void fail(Kind kind, const std::string& text, const std::string& printed) {
    end();
    throw SolveFault(kind, message(text, printed), printed);
  }

  /// Whose worker was started last; nullptr if that has ended. Those of other files have none,
  /// because they could slow it down.
  static inline Submission* running_ = nullptr;

  std::string name_;
  WorkerTask task_;
  const Device& device_;
  SubmissionLimits limits_;
  const std::shared_ptr<Patience> patience_;
  std::shared_ptr<Calibration> calibration_;  // nullptr if the cost is not subtracted
  std::unique_ptr<WorkerChannel> channel_;    // nullptr after a fault
  int calls_ = 0;
  bool smallGuards_ = false;  // whether the next call gets small guard elements
  Leak leak_;
  HostLeak hostLeak_;
  int hostLeaksLeft_ = 4;  // how often a leak of host memory that is suspected is looked for
  int leaksLeft_ = 8;      // how often a leak that is suspected is looked for
  std::string when_;       // the call, for messages
};

/// Throws Error(kUsage) unless the device takes files like this one.
void requireTaken(const std::string& path, DeviceKind device) {
  const Language* const language = languageOf(path);
  const auto refuse = [&](const std::string& why) { throw Error(ErrorCode::kUsage, path + why); };
  if (language == nullptr && !endsWith(path, ".so"))
    refuse(": a submission is source, .cu, .cpp or .c, or a library, .so: " +
           buildCommand("mine.cpp"));
  if (language == nullptr) return;
  if (language->gpu && device == DeviceKind::kCpu)
    refuse(
        ": CUDA source runs on a GPU only: take --device gpu if there is one, or give a .cpp, .c "
        "or .so whose apsp takes host memory");
  if (!language->gpu && device == DeviceKind::kGpu)
    refuse(fmt::format(": {} source solves in host memory: take --device cpu, or give a .cu",
                       language->name));
}

/// A row, but for its texts, whose calls a worker does. folder: lives as long as the row. known: of
/// it, all but how it rests.
Solver inWorker(const std::string& name, const WorkerTask& task, const Device& device,
                const SubmissionLimits& limits, std::shared_ptr<void> folder, Submitted known) {
  const auto submission = std::make_shared<Submission>(name, task, device, limits);
  const InPlace call = [submission, folder](const Device&, int n, Elements matrix, const Options&) {
    return n == 0 ? Call{} : submission->call(n, matrix);
  };
  // Both processes share one matrix. The calibration has two of its own, and our solver's memory.
  const OwnMemory workspace = [](int n, Dtype dtype, const Options&) {
    return Memory{4 * matrixBytes(n, dtype), 0, 0};
  };
  Solver row;
  row.name = name;
  row.device = device.kind();
  known.rest = [submission] { submission->end(); };
  row.submitted = std::make_shared<const Submitted>(std::move(known));
  return inPlace(std::move(row), call, workspace);
}

}  // namespace

bool isAlone(const Clocks& clocks, const SubmissionLimits& limits) {
  return clocks.seesUsers && !clocks.mps ? clocks.otherUsers == 0 : limits.alone;
}

std::vector<std::string> SubmissionLimits::optionsFor(const std::string& source) const {
  const Language* const language = languageOf(source);
  if (language == nullptr || language->gpu) return {};
  std::istringstream words(cxxFlags);
  return {std::istream_iterator<std::string>(words), {}};
}

bool isSubmission(const std::string& word) {
  return word.find_first_of("./") != std::string::npos;
}

bool runsFiles() {
  return true;
}

void compileWithoutGpu(const std::string& path, const SubmissionLimits& limits) {
  const Language* const language = languageOf(path);
  std::string why;
  if (language == nullptr || !language->gpu || findGpu(why) != nullptr || !canBuild(path)) return;
  build(path, {}, limits.compileSeconds, limits.sandboxed);
  throw Error(ErrorCode::kGpu,
              fmt::format("{}: compiles, but runs on a GPU only: no GPU: {}: run it where one is",
                          path, why));
}

Library libraryOf(const std::string& path, const Device& device, const SubmissionLimits& limits) {
  requireTaken(path, device.kind());
  if (limits.sandboxed) requireSandbox(path);
  const Language* const language = languageOf(path);
  if (language == nullptr) return {std::filesystem::absolute(path).string(), contentHash(path)};
  std::vector<std::string> options = limits.optionsFor(path);
  if (language->gpu) options.push_back(fmt::format("-arch=sm_{}", device.info().capability));
  return build(path, options, limits.compileSeconds, limits.sandboxed, limits.fill.has_value());
}

Solver loadSubmission(const std::string& path, Library library, const Device& device,
                      const SubmissionLimits& limits) {
  const WorkerTask task = {WorkerTask::kLibrary, library.path, limits.sandboxed, limits.fill};
  Solver row = inWorker(path, task, device, limits, std::move(library.folder),
                        {library.content, sandboxName(limits.sandboxed)});
  row.source = path;
  row.what = "submission";
  return row;
}

Solver loadSubmission(const std::string& path, const Device& device,
                      const SubmissionLimits& limits) {
  return loadSubmission(path, libraryOf(path, device, limits), device, limits);
}

Solver inWorker(const Solver& solver, const Device& device, const SubmissionLimits& limits) {
  Solver row =
      inWorker(solver.name, {WorkerTask::kSolver, solver.name}, device, limits, nullptr, {});
  row.source = solver.source;
  row.what = solver.what;
  return row;
}

Solver notLoaded(const std::string& path, DeviceKind device, const Error& why) {
  const bool built = dynamic_cast<const BuildError*>(&why) == nullptr;
  const SolveFault fault(built ? Kind::kNotLoaded : Kind::kNotBuilt, why.what());
  Solver row = namedRow(path, device, "submission", path);
  // Weights that a submission does not take are not what is wrong.
  row.can.dtypes = {std::begin(kDtypes), std::end(kDtypes)};
  row.plan = [fault](const Problem&, const Execution&) {
    Plan plan;
    plan.begin = [fault](const Problem&) -> std::unique_ptr<Run> { throw fault; };
    return plan;
  };
  return row;
}

Solver chooseSolver(const std::string& word, const Device& device, const SubmissionLimits& limits) {
  return isSubmission(word) ? loadSubmission(word, device, limits)
                            : findKernel(word, device.kind());
}
