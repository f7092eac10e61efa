#include "submission/protocol.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/memory.h"
#include "core/process.h"
#include "device/device.h"

// ---- memory -----------------------------------------------------------------------------------

namespace {

std::size_t wordsFor(int n) {
  return 2 * kGuard + static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

[[noreturn]] void noMemory(const char* what) {
  throw Error(Exit::kMemory,
              fmt::format("memory shared with a submission: {}: {}", what, std::strerror(errno)));
}

}  // namespace

SharedMatrix::SharedMatrix() : descriptor_(memfd_create("apsp", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (descriptor_ < 0) noMemory("memfd_create");
  descriptor_ = aboveStandard(descriptor_);
  // Whoever cuts off what another process has mapped kills that one.
  if (fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) noMemory("F_ADD_SEALS");
}

SharedMatrix::~SharedMatrix() {
  unmap();
  close(descriptor_);
}

void SharedMatrix::unmap() {
  if (words_ != nullptr) munmap(std::exchange(words_, nullptr), size_ * sizeof(int));
  size_ = 0;
}

void SharedMatrix::resize(int n) {
  if (wordsFor(n) == size_) return;
  unmap();
  requireHostBytes(wordsFor(n) * sizeof(int), "a matrix shared with a submission");
  const auto bytes = static_cast<off_t>(wordsFor(n) * sizeof(int));
  if (lseek(descriptor_, 0, SEEK_END) < bytes && ftruncate(descriptor_, bytes) != 0)
    noMemory("ftruncate");
  map(n);
}

void SharedMatrix::map(int n) {
  if (wordsFor(n) == size_) return;
  unmap();
  void* memory =
      mmap(nullptr, wordsFor(n) * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) noMemory("mmap");
  words_ = static_cast<int*>(memory);
  size_ = wordsFor(n);
}

// ---- the child --------------------------------------------------------------------------------

namespace {

/// Leaves open what is ours and standard input and output; nothing that the parent had open.
void closeOthers(int socket, int memory) {
  std::vector<int> open;
  if (DIR* folder = opendir("/proc/self/fd")) {
    while (const dirent* entry = readdir(folder)) open.push_back(std::atoi(entry->d_name));
    closedir(folder);
  }
  for (const int descriptor : open)
    if (descriptor > STDERR_FILENO && descriptor != socket && descriptor != memory)
      close(descriptor);
  // What the submission itself starts must not hold them open.
  for (const int descriptor : {socket, memory}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void say(int socket, const Reply& reply) {
  send(socket, &reply, sizeof reply, MSG_NOSIGNAL);
}

void say(int socket, Reply::Step step, const std::string& text = "") {
  Reply reply{step, 0, 0, ""};
  text.copy(reply.text, sizeof reply.text - 1);
  say(socket, reply);
}

/// What CUDA says of an error and what to do, which our own place in the source comes before.
std::string cudaText(const Error& error) {
  const std::string message = error.what();
  const std::size_t place = message.rfind(": ");
  return place == std::string::npos ? message : message.substr(place + 2);
}

/// The submission in memory.
class Solver {
 public:
  /// Throws Error(kInput) with the linker's reason.
  explicit Solver(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(Exit::kInput, dlerror());
    for (const char* name : {"_Z4apspiPi", "apsp"})
      if (solve_ == nullptr) solve_ = reinterpret_cast<Solve*>(dlsym(library, name));
    launchError_ = reinterpret_cast<LaunchError*>(dlsym(library, "apspLaunchError"));
    if (solve_ == nullptr) throw Error(Exit::kInput, "it defines no void apsp(int n, int* graph)");
  }

  /// To the end of its work. Throws Error(kGpu).
  void operator()(const Device& device, int n, int* graph) const {
    solve_(n, graph);
    const char* name = nullptr;
    if (const char* error = launchError_ == nullptr ? nullptr : launchError_(&name))
      throw Error(Exit::kGpu, fmt::format("{} ({})", error, name));
    device.finish();
  }

 private:
  using Solve = void(int n, int* graph);
  using LaunchError = const char*(const char** name);
  Solve* solve_ = nullptr;
  LaunchError* launchError_ = nullptr;
};

class Server {
 public:
  Server(const Device& device, const Solver& solver, int socket, int memory)
      : device_(device), solver_(solver), socket_(socket), shared_(memory) {}

  void call(const Request& request) {
    omp_set_num_threads(request.threads);
    shared_.map(request.n);
    const DeviceWords buffer(device_, shared_.size());
    device_.upload(buffer.data(), shared_.words(), buffer.size());
    const std::size_t held = device_.heldBytes();
    say(socket_, Reply::kCalling);
    const double milliseconds =
        device_.time([&] { solver_(device_, request.n, buffer.data() + kGuard); });
    std::fflush(nullptr);  // what it printed belongs to this call
    say(socket_, Reply::kReturned);
    const auto kept = static_cast<long long>(device_.heldBytes()) - static_cast<long long>(held);
    device_.download(shared_.words(), buffer.data(), buffer.size());
    say(socket_, {Reply::kDone, milliseconds, kept, ""});
  }

 private:
  const Device& device_;
  const Solver& solver_;
  int socket_;
  SharedMatrix shared_;
};

/// Runs `action`; says what went wrong, if anything did.
template <class Action>
void guarded(int socket, Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.code == Exit::kGpu) return say(socket, Reply::kCudaError, cudaText(error));
    say(socket, error.code == Exit::kMemory ? Reply::kNoMemory : Reply::kRefused, error.what());
  } catch (const std::bad_alloc&) {
    say(socket, Reply::kNoMemory, "ran out of host memory");
  } catch (const std::exception& error) {
    say(socket, Reply::kThrew, fmt::format("threw an exception: {}", error.what()));
  } catch (...) {
    say(socket, Reply::kThrew, "threw an exception");
  }
}

void serve(const char* library, const std::string& kind, int socket, int memory) {
  std::string why;
  const Device* device = kind == "cpu" ? &cpuDevice : findGpu(why);
  if (device == nullptr) throw Error(Exit::kGpu, "no GPU: " + why);
  DeviceWords(*device, 1);  // what is made once for all is made now
  const Solver solver(library);
  Server server(*device, solver, socket, memory);
  say(socket, Reply::kLoaded);
  Request request;
  while (recv(socket, &request, sizeof request, 0) == sizeof request) server.call(request);
}

}  // namespace

int serveSubmission(int argc, char** argv) {
  constexpr int kArguments = 6;
  if (argc != kArguments) return static_cast<int>(Exit::kUsage);
  const int socket = std::atoi(argv[4]), memory = std::atoi(argv[5]);
  closeOthers(socket, memory);
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);  // a crash leaves no file
  // Code that is loaded when it is first needed would look like a leak, and be in the time.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  guarded(socket, [&] { serve(argv[2], argv[3], socket, memory); });
  std::fflush(nullptr);
  _exit(0);  // what the library would do at an end has no call that it belongs to
}
