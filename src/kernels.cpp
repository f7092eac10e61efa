#include "kernels.h"

#include "cpu.h"
#include "error.h"

const std::vector<Kernel>& kernelTable() {
  static const std::vector<Kernel> table = [] {
    std::vector<Kernel> rows = gpuKernels();
    rows.push_back(
        {"apsp", &cpuDevice, "blocked, SIMD, one thread a core", "src/cpu.cpp", apspCpu});
    rows.push_back({"ref", &cpuDevice, "plain triple loop, one thread", "src/cpu.cpp", apspScalar});
    return rows;
  }();
  return table;
}

const Kernel& findKernel(const std::string& name, const Device& device) {
  std::string known;
  for (const Kernel& kernel : kernelTable()) {
    if (kernel.device != &device) continue;
    if (name == kernel.name) return kernel;
    known += (known.empty() ? "" : ", ") + std::string(kernel.name);
  }
  throw Error(Exit::kUsage,
              "no kernel '" + name + "' on the " + device.kind + ": choose from " + known);
}
