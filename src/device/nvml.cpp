// NVML's header is an optional part of the CUDA toolkit, so the few declarations needed stand here;
// its C ABI is stable, and every function is looked up by its versioned name.
#include "device/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "core/process.h"

namespace {

struct ProcessInfo {  // nvmlProcessInfo_t as of _v3
  unsigned pid;
  unsigned long long usedBytes;
  unsigned gpuInstance, computeInstance;
};

constexpr int kClockSm = 1, kClockMemory = 2;  // nvmlClockType_t

/// Calls a function of the library by its name; false where library or function is missing or it
/// fails.
template <class... Args>
bool ask(const char* name, Args... args) {
  static void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return false;
  auto* function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
  return function != nullptr && function(args...) == 0;
}

bool started() {
  static const bool ok = ask("nvmlInit_v2");
  return ok;
}

}  // namespace

std::string nvmlDriverRelease() {
  char text[80] = "";
  if (started()) ask("nvmlSystemGetDriverVersion", text, unsigned{sizeof text});
  return text;
}

Clocks nvmlClocks(const std::string& uuid) {
  Clocks clocks;
  void* gpu = nullptr;
  if (!started() || !ask("nvmlDeviceGetHandleByUUID", uuid.c_str(), &gpu)) return clocks;

  unsigned core = 0, memory = 0;
  ask("nvmlDeviceGetClockInfo", gpu, kClockSm, &core);
  ask("nvmlDeviceGetClockInfo", gpu, kClockMemory, &memory);
  clocks.coreMHz = static_cast<int>(core);
  clocks.memoryMHz = static_cast<int>(memory);

  unsigned long long reasons = 0;
  ask("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &reasons);
  clocks.throttle = throttleReasons(reasons);

  // They are this process and those that it started, under numbers that a container need not know,
  // and others.
  unsigned count = 64;
  std::vector<ProcessInfo> processes(count);
  if (ask("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, processes.data()))
    clocks.otherUsers = otherUsers(count, Process::running());
  return clocks;
}

int otherUsers(unsigned processes, int ours) {
  return std::max(static_cast<int>(processes) - 1 - ours, 0);
}

std::string throttleReasons(unsigned long long bits) {
  // Of nvmlClocksEventReason*, idle clocks (1) and clocks that a user set (2) are no fault of a
  // measurement.
  static const struct {
    unsigned long long bit;
    const char* name;
  } reasons[] = {{0x04, "power-cap"},  {0x08, "hw-slowdown"}, {0x10, "sync-boost"},
                 {0x20, "sw-thermal"}, {0x40, "hw-thermal"},  {0x80, "hw-power-brake"}};
  std::string text;
  for (const auto& reason : reasons) {
    if ((bits & reason.bit) != 0) text += (text.empty() ? "" : "+") + std::string(reason.name);
  }
  return text;
}
