#include "submission/worker.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "device/device.h"
#include "ladder/kernels.h"
#include "measure/submitted.h"
#include "solver/solver.h"
#include "submission/fill_stacks.h"
#include "submission/protocol.h"
#include "submission/sandbox.h"
#include "system/exit.h"

namespace {

/// Closes every descriptor but this one and those of standard input and output.
void closeOthers(int socket) {
  std::vector<int> open;
  if (DIR* folder = opendir("/proc/self/fd")) {
    while (const dirent* entry = readdir(folder)) open.push_back(std::atoi(entry->d_name));
    closedir(folder);
  }
  for (const int descriptor : open)
    if (descriptor > STDERR_FILENO && descriptor != socket) close(descriptor);
  fcntl(socket, F_SETFD, FD_CLOEXEC);  // a program that the submission starts must not hold it open
}

// ---- replies ----------------------------------------------------------------------------------

void sendReply(int socket, Reply reply, const std::string& text = "") {
  text.copy(reply.text, sizeof reply.text - 1);  // the rest is 0
  send(socket, &reply, sizeof reply, MSG_NOSIGNAL);
}

/// The last part of a CUDA error's message: CUDA's text without the place in our source before it.
std::string cudaText(const Error& error) {
  const std::string message = error.what();
  const std::size_t place = message.rfind(": ");
  return place == std::string::npos ? message : message.substr(place + 2);
}

/// Runs `action`; if it throws, sends the failure to the parent.
template <class Action>
void reportFailure(int socket, Action action) {
  const auto report = [socket](Reply::Step step, const std::string& text) {
    sendReply(socket, {step, 0, 0, ""}, text);
  };
  try {
    action();
  } catch (const Error& error) {
    if (error.code == ErrorCode::kGpu) return report(Reply::kCudaError, cudaText(error));
    report(error.code == ErrorCode::kMemory ? Reply::kNoMemory : Reply::kRefused, error.what());
  } catch (const std::bad_alloc&) {
    report(Reply::kNoMemory, "ran out of host memory");
  } catch (const std::exception& error) {
    report(Reply::kThrew, fmt::format("threw an exception: {}", error.what()));
  } catch (...) {
    report(Reply::kThrew, "threw an exception");
  }
}

// ---- what is run for each graph ---------------------------------------------------------------

/// What one call did.
struct Solved {
  double milliseconds = 0;  ///< by the worker's own clock
  std::string warning = "";
};

/// Solves in place: graph has (n, n) elements in the device's memory.
using Task = std::function<Solved(const Device& device, int n, int* graph)>;

/// A submission's library, loaded into this process.
class LoadedLibrary {
 public:
  /// fill: as WorkerTask has it. Throws Error(kInput) with the dynamic linker's reason.
  LoadedLibrary(const std::string& path, std::optional<unsigned char> fill) : fill_(fill) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const std::string reason = dlerror(), place = path + ": ";
      throw Error(ErrorCode::kInput,
                  reason.rfind(place, 0) == 0 ? reason.substr(place.size()) : reason);
    }
    for (const char* name : {"_Z4apspiPi", "apsp"})
      if (apsp_ == nullptr) apsp_ = reinterpret_cast<Apsp*>(dlsym(library, name));
    launchError_ = reinterpret_cast<LaunchError*>(dlsym(library, "apspLaunchError"));
    fillMemory_ = reinterpret_cast<FillMemory*>(dlsym(library, "apspFillMemory"));
    if (apsp_ == nullptr)
      throw Error(ErrorCode::kInput, "it defines no void apsp(int n, int* graph)");
  }

  /// Solves, and waits until the device has finished. The warning is the launch error that the
  /// call left behind. Throws Error(kGpu) on a sticky error: one that makes the device unusable for
  /// this process.
  Solved operator()(const Device& device, int n, int* graph) const {
    Solved call;
    std::string error;
    if (fill_ && fillMemory_ != nullptr) fillMemory_(*fill_);
    call.milliseconds = device.time([&] {
      if (fill_) fillStacks(*fill_);
      apsp_(n, graph);
      error = takeLaunchError();
      device.synchronise();
    });
    // Taking an error clears it, unless it is sticky.
    if (!error.empty() && !takeLaunchError().empty()) throw Error(ErrorCode::kGpu, error);
    if (!error.empty()) call.warning = "leaves a launch error behind: " + error;
    return call;
  }

 private:
  using Apsp = void(int n, int* graph);
  using LaunchError = const char*(const char** name);
  using FillMemory = void(int byte);

  /// The library's last CUDA error, "" if there is none; CUDA forgets it.
  std::string takeLaunchError() const {
    const char* name = nullptr;
    const char* text = launchError_ == nullptr ? nullptr : launchError_(&name);
    if (text == nullptr) return "";
    return fmt::format("{} ({})", text, name == nullptr ? "unknown" : name);
  }

  Apsp* apsp_ = nullptr;
  // Only a library that we compiled has these two (compile.cpp).
  LaunchError* launchError_ = nullptr;
  FillMemory* fillMemory_ = nullptr;
  std::optional<unsigned char> fill_;
};

/// A solver of this program.
Task solverNamed(const std::string& name, DeviceKind kind) {
  return [solve = findKernel(name, kind).inPlace](const Device& device, int n, int* graph) {
    return Solved{solve(device, n, graph, {}).milliseconds};
  };
}

Task taskOf(const WorkerTask& task, const Device& device) {
  if (task.kind == WorkerTask::kLibrary) return LoadedLibrary(task.name, task.fill);
  return solverNamed(task.name, device.kind());
}

// ---- answering requests -----------------------------------------------------------------------

class Worker {
 public:
  Worker(const Device& device, Task task, int socket)
      : device_(device), task_(std::move(task)), socket_(socket) {}

  /// Answers requests until the parent closes the socket.
  void serve() {
    Request request{};
    int descriptor = -1;
    bool prepared = false;
    while (receiveRequest(socket_, request, descriptor, prepared && spins())) {
      prepared = request.step == Request::kPrepare;
      prepared ? prepare(request, descriptor) : solve(request.n);
    }
  }

 private:
  /// Whether this process waits for a graph without sleeping. On the CPU it would take a core from
  /// the parent, which copies the graph meanwhile.
  bool spins() const { return device_.kind() == DeviceKind::kGpu; }

  void prepare(const Request& request, int descriptor) {
    omp_set_num_threads(request.threads);
    if (descriptor >= 0) {
      shared_ = nullptr;  // gives its memory back first
      shared_ = device_.openShared(descriptor, request.words);
    }
    device_.synchronise();
    heldBefore_ = static_cast<long long>(device_.heldBytes());
    sendReply(socket_, {Reply::kReady, 0, 0, ""});
  }

  void solve(int n) {
    const Solved call = task_(device_, n, shared_->data() + kGuard);
    std::fflush(nullptr);  // the parent counts as this call's output what comes before kReturned
    sendReply(socket_, {Reply::kReturned, 0, 0, ""});
    const long long kept = static_cast<long long>(device_.heldBytes()) - heldBefore_;
    sendReply(socket_, {Reply::kDone, call.milliseconds, kept, ""}, call.warning);
  }

  const Device& device_;
  Task task_;
  int socket_;
  std::unique_ptr<SharedWords> shared_;
  long long heldBefore_ = 0;
};

void work(const WorkerTask& task, DeviceKind kind, int socket) {
  const WorkerOptions options{kind == DeviceKind::kGpu, task.name};
  if (task.sandboxed && chdir("/") != 0) throw Error(ErrorCode::kInput, "/: cannot be entered");
  if (task.sandboxed) confineFiles(options);
  std::string why;
  const Device* device = findDevice(kind, why);
  if (device == nullptr) throw Error(ErrorCode::kGpu, "no GPU: " + why);
  DeviceElements(*device, Dtype::kInt32, 1);  // starts CUDA now, so that no call's time includes it
  if (task.sandboxed)
    confineCalls(options, [socket](int listener) {
      sendReplyWith(listener, socket, {Reply::kConfined, 0, 0, ""});
    });
  sendReply(socket, {Reply::kStarted, 0, 0, ""});
  Worker worker(*device, taskOf(task, *device), socket);
  sendReply(socket, {Reply::kLoaded, 0, 0, ""});
  worker.serve();
}

}  // namespace

namespace {

/// In place of the byte that memory is filled with.
constexpr char kNotFilled[] = "as-it-is";

}  // namespace

std::vector<std::string> workerCommand(const WorkerTask& task, DeviceKind device, int socket) {
  return {"/proc/self/exe",
          kWorkerArgument,
          std::to_string(task.kind),
          task.name,
          nameOf(device),
          std::to_string(socket),
          task.sandboxed ? "sandboxed" : kUnsandboxed,
          task.fill ? std::to_string(*task.fill) : kNotFilled};
}

int runWorker(int argc, char** argv) {
  constexpr int kArguments = 8;
  if (argc != kArguments) return static_cast<int>(Exit::kUsage);
  WorkerTask task = {static_cast<WorkerTask::Kind>(std::atoi(argv[2])), argv[3],
                     argv[6] != std::string(kUnsandboxed)};
  if (argv[7] != std::string(kNotFilled))
    task.fill = static_cast<unsigned char>(std::atoi(argv[7]));
  const DeviceKind kind =
      argv[4] == std::string(nameOf(DeviceKind::kGpu)) ? DeviceKind::kGpu : DeviceKind::kCpu;
  const int socket = std::atoi(argv[5]);
  closeOthers(socket);
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);  // a crash writes no core file
  // If CUDA loaded kernels when they are first called, that would be timed and look like a leak.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  reportFailure(socket, [&] { work(task, kind, socket); });
  std::fflush(nullptr);
  _exit(0);  // destructors of the library would run outside any call
}
