// What CUDA's answers mean: the kind of error, and what to do. This header includes nothing of
// CUDA, so that it is built and tested where there is none.
#pragma once

#include <string>

#include "base/error.h"

namespace engine {

/// The answer to a CUDA call: its name and CUDA's own words for it.
struct CudaStatus {
  std::string name, text;  ///< "cudaErrorNoDevice", "no CUDA-capable device is detected"
};

/// What CUDA tells of a machine. Versions as it numbers them, 13000 for 13.0; no driver is 0.
struct CudaMachine {
  int driver = 0, runtime = 0, gpus = 0;
  bool forked = false;  ///< this process was forked when the library was loaded already
};

/// 13000 → "13.0".
std::string cudaVersion(int number);

/// Of a call that failed at `place`, "file:line: call": Error(kMemory) where memory ran out, else
/// Error(kGpu).
Error cudaFailure(const std::string& place, const CudaStatus& status);

/// What CUDA answers, among other cases, in a process that was forked after its parent had used the
/// GPU.
constexpr const char* kNotInitialised = "cudaErrorInitializationError";

/// Why there is no GPU to use, "" where there is one. `counted` is the answer to
/// cudaGetDeviceCount. Throws Error(kGpu) where there may be one, but the driver does not serve
/// this program.
std::string whyNoGpu(const CudaMachine& machine, const CudaStatus& counted);

/// Throws Error(kGpu) unless the GPU of that name and compute capability (90 for 9.0) runs this
/// program's kernels. `loaded` is the answer to cudaFuncGetAttributes of one of them.
void requireKernels(const CudaMachine& machine, const std::string& gpu, int capability,
                    const CudaStatus& loaded);

}  // namespace engine
