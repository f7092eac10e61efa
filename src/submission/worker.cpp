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
#include <new>
#include <string>
#include <vector>

#include "core/error.h"
#include "device/device.h"
#include "submission/protocol.h"

namespace {

/// Closes every descriptor but these two and those of standard input and output.
void closeOthers(int socket, int memory) {
  std::vector<int> open;
  if (DIR* folder = opendir("/proc/self/fd")) {
    while (const dirent* entry = readdir(folder)) open.push_back(std::atoi(entry->d_name));
    closedir(folder);
  }
  for (const int descriptor : open)
    if (descriptor > STDERR_FILENO && descriptor != socket && descriptor != memory)
      close(descriptor);
  // A program that the submission starts must not hold them open.
  for (const int descriptor : {socket, memory}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
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
    if (error.code == Exit::kGpu) return report(Reply::kCudaError, cudaText(error));
    report(error.code == Exit::kMemory ? Reply::kNoMemory : Reply::kRefused, error.what());
  } catch (const std::bad_alloc&) {
    report(Reply::kNoMemory, "ran out of host memory");
  } catch (const std::exception& error) {
    report(Reply::kThrew, fmt::format("threw an exception: {}", error.what()));
  } catch (...) {
    report(Reply::kThrew, "threw an exception");
  }
}

// ---- the submission ---------------------------------------------------------------------------

/// The submission's library, loaded into this process.
class LoadedLibrary {
 public:
  /// Throws Error(kInput) with the dynamic linker's reason.
  explicit LoadedLibrary(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const std::string reason = dlerror(), place = std::string(path) + ": ";
      throw Error(Exit::kInput, reason.rfind(place, 0) == 0 ? reason.substr(place.size()) : reason);
    }
    for (const char* name : {"_Z4apspiPi", "apsp"})
      if (apsp_ == nullptr) apsp_ = reinterpret_cast<Apsp*>(dlsym(library, name));
    launchError_ = reinterpret_cast<LaunchError*>(dlsym(library, "apspLaunchError"));
    if (apsp_ == nullptr) throw Error(Exit::kInput, "it defines no void apsp(int n, int* graph)");
  }

  /// Solves, and waits until the device has finished. Returns the launch error that the call left
  /// behind, or "". Throws Error(kGpu) on a sticky error: one that makes the device unusable for
  /// this process.
  std::string solve(const Device& device, int n, int* graph) const {
    apsp_(n, graph);
    const std::string error = takeLaunchError();
    device.synchronise();
    // Taking an error clears it, unless it is sticky.
    if (!error.empty() && !takeLaunchError().empty()) throw Error(Exit::kGpu, error);
    return error;
  }

 private:
  using Apsp = void(int n, int* graph);
  using LaunchError = const char*(const char** name);

  /// The library's last CUDA error, "" if there is none; CUDA forgets it.
  std::string takeLaunchError() const {
    const char* name = nullptr;
    const char* text = launchError_ == nullptr ? nullptr : launchError_(&name);
    if (text == nullptr) return "";
    return fmt::format("{} ({})", text, name == nullptr ? "unknown" : name);
  }

  Apsp* apsp_ = nullptr;
  LaunchError* launchError_ = nullptr;  // only a library that we compiled has it (compile.cpp)
};

class Worker {
 public:
  Worker(const Device& device, const LoadedLibrary& library, int socket, int memory)
      : device_(device), library_(library), socket_(socket), shared_(memory) {}

  /// Solves one graph and sends the replies that belong to it.
  void serve(const Request& request) {
    omp_set_num_threads(request.threads);
    shared_.map(request.n);
    const DeviceWords buffer(device_, shared_.size());
    device_.upload(buffer.data(), shared_.elements(), buffer.size());
    const auto heldBefore = static_cast<long long>(device_.heldBytes());
    sendReply(socket_, {Reply::kCalling, 0, 0, ""});
    std::string error;
    const double milliseconds =
        device_.time([&] { error = library_.solve(device_, request.n, buffer.data() + kGuard); });
    std::fflush(nullptr);  // the parent counts as this call's output what comes before kReturned
    sendReply(socket_, {Reply::kReturned, 0, 0, ""});
    const long long kept = static_cast<long long>(device_.heldBytes()) - heldBefore;
    device_.download(shared_.elements(), buffer.data(), buffer.size());
    sendReply(socket_, {Reply::kDone, milliseconds, kept, ""},
              error.empty() ? "" : "leaves a launch error behind: " + error);
  }

 private:
  const Device& device_;
  const LoadedLibrary& library_;
  int socket_;
  SharedMatrix shared_;
};

void work(const char* path, const std::string& kind, int socket, int memory) {
  std::string why;
  const Device* device = kind == "cpu" ? &cpuDevice : findGpu(why);
  if (device == nullptr) throw Error(Exit::kGpu, "no GPU: " + why);
  DeviceWords(*device, 1);  // starts CUDA now, so that no call's time includes it
  const LoadedLibrary library(path);
  Worker worker(*device, library, socket, memory);
  sendReply(socket, {Reply::kLoaded, 0, 0, ""});
  Request request;
  while (recv(socket, &request, sizeof request, 0) == sizeof request) worker.serve(request);
}

}  // namespace

int runWorker(int argc, char** argv) {
  constexpr int kArguments = 6;
  if (argc != kArguments) return static_cast<int>(Exit::kUsage);
  const int socket = std::atoi(argv[4]), memory = std::atoi(argv[5]);
  closeOthers(socket, memory);
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);  // a crash writes no core file
  // If CUDA loaded kernels when they are first called, that would be timed and look like a leak.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  reportFailure(socket, [&] { work(argv[2], argv[3], socket, memory); });
  std::fflush(nullptr);
  _exit(0);  // destructors of the library would run outside any call
}
