// The kernel table: every solver that --kernel, the tests, the benchmarks and the sweep know.
#pragma once

#include <string>
#include <vector>

#include "device.h"

struct Kernel {
  const char* name;  ///< as --kernel and the records name it; unique on its device
  const Device* device;
  const char* what;
  const char* source;  ///< the file that holds it
  Solver solve;
};

/// All kernels of this build, GPU rows first.
const std::vector<Kernel>& kernelTable();

/// The kernel of that name on that device; throws Error(kUsage) naming those there are.
const Kernel& findKernel(const std::string& name, const Device& device);

/// The rows that run on the GPU: src/gpu.cu has them, src/nogpu.cpp has none.
const std::vector<Kernel>& gpuKernels();
