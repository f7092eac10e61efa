// Where nvml.h is missing, nothing is known of the GPU's clocks and users.
#include "device/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "device/mps.h"

#if __has_include(<nvml.h>)
#include <nvml.h>
#endif

namespace engine {

#if __has_include(<nvml.h>)

namespace {

/// A function of the library, found at run time; nullptr if the library or the function is missing.
/// Function: its type, as nvml.h declares it.
template <class Function>
Function* find(const char* name) {
  static void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

/// Calls a function of the library. False if it is missing or fails.
template <class Function, class... Args>
bool call(const char* name, Args... args) {
  const auto function = find<Function>(name);
  return function != nullptr && function(args...) == NVML_SUCCESS;
}

// nvml.h redefines names to their newest versions. The quoted name must be that version, too.
#define NVML_TEXT(name) #name
#define NVML_NAME(name) NVML_TEXT(name)
#define NVML(function, ...) call<decltype(function)>(NVML_NAME(function), __VA_ARGS__)

bool started() {
  static const bool ok = [] {
    const auto init = find<decltype(nvmlInit)>(NVML_NAME(nvmlInit));
    return init != nullptr && init() == NVML_SUCCESS;
  }();
  return ok;
}

}  // namespace

std::string nvmlDriverRelease() {
  char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "";
  if (started()) NVML(nvmlSystemGetDriverVersion, text, unsigned{sizeof text});
  return text;
}

Clocks nvmlClocks(const std::string& uuid) {
  Clocks clocks;
  clocks.mps = mpsListens(mpsFolder());
  nvmlDevice_t gpu{};
  if (!started() || !NVML(nvmlDeviceGetHandleByUUID, uuid.c_str(), &gpu)) return clocks;

  unsigned core = 0, memory = 0;
  NVML(nvmlDeviceGetClockInfo, gpu, NVML_CLOCK_SM, &core);
  NVML(nvmlDeviceGetClockInfo, gpu, NVML_CLOCK_MEM, &memory);
  clocks.coreMHz = static_cast<int>(core);
  clocks.memoryMHz = static_cast<int>(memory);

  // Newer headers call it deprecated. The newer name is missing in older drivers.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  unsigned long long reasons = 0;
  NVML(nvmlDeviceGetCurrentClocksThrottleReasons, gpu, &reasons);
  clocks.throttle = throttleReasons(reasons);

  // The processes that NVML counts are this one and others. Their numbers do not tell which is this
  // one: a container may number processes differently.
  unsigned count = 64;
  std::vector<nvmlProcessInfo_t> processes(count);
  if (NVML(nvmlDeviceGetComputeRunningProcesses, gpu, &count, processes.data())) {
    clocks.seesUsers = count > 0;  // in some containers it sees nobody, not even this process
    clocks.otherUsers = std::max(static_cast<int>(count) - 1, 0);
  }
#ifdef nvmlDeviceGetMPSComputeRunningProcesses  // headers before CUDA 11 have no such function
  count = static_cast<unsigned>(processes.size());
  if (NVML(nvmlDeviceGetMPSComputeRunningProcesses, gpu, &count, processes.data()) && count > 0)
    clocks.mps = true;
#endif
  return clocks;
}

#else

std::string nvmlDriverRelease() {
  return "";
}
Clocks nvmlClocks(const std::string&) {
  Clocks clocks;
  clocks.mps = mpsListens(mpsFolder());
  return clocks;
}

#endif

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

}  // namespace engine
