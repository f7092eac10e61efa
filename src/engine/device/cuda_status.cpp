#include "device/cuda_status.h"

#include <fmt/format.h>

namespace engine {

namespace {

constexpr const char* kFind =
    "compute-sanitizer finds the kernel; this process has lost the GPU, the next one has it again";

/// What can be done about an error, without ": ", at the last of which the place of a failure is
/// cut off where a submission is told. Others have no row: CUDA's words must do.
struct Advice {
  const char *name, *what;
};
constexpr Advice kAdvice[] = {
    {"cudaErrorMemoryAllocation", "solve a smaller graph, or end what else holds the memory"},
    {"cudaErrorCompatNotSupportedOnDevice",
     "update the driver, or remove the cuda-compat package, which this GPU cannot use"},
    {"cudaErrorSystemDriverMismatch",
     "the driver was updated and its old module still runs; restart the machine"},
    {"cudaErrorSystemNotReady",
     "a service of the driver does not run, such as nvidia-fabricmanager; start it"},
    {kNotInitialised,
     "dmesg and nvidia-smi may tell why; restart the machine; but a process that was forked after "
     "its parent had used the GPU cannot use it: let it solve on the CPU"},
    {"cudaErrorDevicesUnavailable",
     "another process has the GPU to itself (nvidia-smi names it); wait, or take another GPU"},
    {"cudaErrorLaunchTimeout", "the GPU serves a display, which ends long kernels; take another"},
    {"cudaErrorLaunchFailure", kFind},
    {"cudaErrorIllegalAddress", kFind},
    {"cudaErrorMisalignedAddress", kFind},
    {"cudaErrorInvalidAddressSpace", kFind},
    {"cudaErrorIllegalInstruction", kFind},
    {"cudaErrorInvalidPc", kFind},
    {"cudaErrorAssert", kFind},
    {"cudaErrorHardwareStackError", kFind},
    {"cudaErrorECCUncorrectable",
     "the GPU's memory is damaged (Xid 48 in dmesg); reset it, or take another GPU"},
};

}  // namespace

std::string cudaVersion(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

Error cudaFailure(const std::string& place, const CudaStatus& status) {
  const ErrorCode code =
      status.name == "cudaErrorMemoryAllocation" ? ErrorCode::kMemory : ErrorCode::kGpu;
  std::string message = fmt::format("{}: {} ({})", place, status.text, status.name);
  for (const Advice& advice : kAdvice)
    if (status.name == advice.name) message += std::string("; ") + advice.what;
  return {code, message};
}

namespace {

Error oldDriver(const CudaMachine& machine) {
  return {
      ErrorCode::kGpu,
      fmt::format("the driver speaks CUDA {}, this program needs CUDA {}: update the driver, or "
                  "build with an older toolkit",
                  cudaVersion(machine.driver), cudaVersion(machine.runtime))};
}

}  // namespace

std::string whyNoGpu(const CudaMachine& machine, const CudaStatus& counted) {
  if (machine.forked && counted.name == kNotInitialised)
    return "the GPU serves no process that was forked after its parent had used it";
  if (machine.driver == 0) return "no NVIDIA driver";
  if (counted.name == "cudaErrorNoDevice") return "no GPU visible";
  if (counted.name == "cudaErrorInsufficientDriver") throw oldDriver(machine);
  if (counted.name != "cudaSuccess") throw cudaFailure("looking for a GPU", counted);
  return machine.gpus == 0 ? "no GPU visible" : "";
}

void requireKernels(const CudaMachine& machine, const std::string& gpu, int capability,
                    const CudaStatus& loaded) {
  if (loaded.name == "cudaErrorNoKernelImageForDevice" ||
      loaded.name == "cudaErrorInvalidDeviceFunction")
    throw Error(
        ErrorCode::kGpu,
        fmt::format("{0} is sm_{1}, for which this program (CUDA {2}, driver {3}) holds no "
                    "code: build it with make ARCHS={1}",
                    gpu, capability, cudaVersion(machine.runtime), cudaVersion(machine.driver)));
  if (loaded.name == "cudaErrorUnsupportedPtxVersion") throw oldDriver(machine);
  if (loaded.name != "cudaSuccess") throw cudaFailure("loading the kernels on " + gpu, loaded);
}

}  // namespace engine
