// The kernel table: every solver that --kernel, the tests, the benchmarks and the sweep know.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apsp.h"
#include "device/device.h"

/// One timed call of a kernel: what Device::time() measured and what the kernel says it did.
struct Call {
  double milliseconds;
  Outcome outcome;
  std::string printed = "";  ///< of a kernel in another process: what it wrote to its output
  std::string warning = "";  ///< one line: what it did that a solver should not do, though it returned
};

struct Kernel {
  std::string name;  ///< as --kernel and the records name it; unique on its device
  const Device* device;
  std::string what;
  std::string source;  ///< the file that holds it
  /// Solves n×n weights of that type in memory of the device, as apsp.h says. A kernel without
  /// options ignores them.
  std::function<Outcome(int n, int* graph, Dtype dtype, const Options& options)> solve;
  /// Of a kernel that runs in another process: solves, and takes the time itself. Else empty.
  std::function<Call(int n, int* graph, Dtype dtype, const Options& options)> call = nullptr;
  std::string version = "";  ///< of a file that is no part of this program: a hash of its content
};

/// A row's `solve` from functions of the course's signature, which know no options. A kernel
/// without one for floats leaves these as they are: Tier::kNone.
inline auto plain(void (*ints)(int, int*), void (*floats)(int, float*) = nullptr) {
  return [=](int n, int* graph, Dtype dtype, const Options&) {
    if (dtype == Dtype::kInt32) return ints(n, graph), Outcome{};
    if (floats == nullptr) return Outcome{Tier::kNone};
    return floats(n, asFloats(graph)), Outcome{Tier::kFloat32};
  };
}

/// Throws Error(kUsage) where the kernel solves no weights of that type.
Call timeCall(const Kernel& kernel, int n, int* graph, Dtype dtype = Dtype::kInt32,
              const Options& options = {});

/// Seconds that timeCall() will take about, by those of its calls in this process with the same
/// kernel and type: one at this n, else at the nearest below it, or above, by n³. 0 where none was
/// within a factor of 8: a small graph leaves most of a device idle, and tells nothing of a large
/// one.
double expectedSeconds(const Kernel& kernel, int n, Dtype dtype = Dtype::kInt32);

/// What the command line and the records call a Precision and a Tier, in the order of the enums.
inline constexpr const char* kPrecisionNames[] = {"auto", "16", "32"};
inline constexpr const char* kTierNames[] = {"none", "int32", "uint16", "float32"};
inline std::string nameOf(Precision p) {
  return kPrecisionNames[static_cast<int>(p)];
}
inline std::string nameOf(Tier t) {
  return kTierNames[static_cast<int>(t)];
}

/// All kernels of this build, GPU rows first.
const std::vector<Kernel>& kernelTable();

/// The kernel of that name on that device; throws Error(kUsage) naming those there are.
const Kernel& findKernel(std::string_view name, const Device& device);

/// The rows that run on the GPU: src/device/cuda.cu has them, src/device/no_cuda.cpp has none.
const std::vector<Kernel>& gpuKernels();
