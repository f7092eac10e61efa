#include "kernels.h"

#include "cpu.h"
#include "error.h"

const std::vector<Kernel>& kernelTable() {
  static const std::vector<Kernel> table = [] {
    std::vector<Kernel> rows = gpuKernels();
    rows.push_back({"apsp", &cpuDevice, "blocked, SIMD, one thread a core", "src/cpu.cpp",
                    plain(apspCpu, apspCpu)});
    rows.push_back({"ref", &cpuDevice, "plain triple loop, one thread", "src/cpu.cpp",
                    plain(apspScalar, apspScalar)});
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

Call timeCall(const Kernel& kernel, int n, int* graph, Dtype dtype, const Options& options) {
  Call call{};
  if (kernel.call) {
    call = kernel.call(n, graph, dtype, options);
  } else {
    call.milliseconds =
        kernel.device->time([&] { call.outcome = kernel.solve(n, graph, dtype, options); });
  }
  if (dtype != Dtype::kInt32 && call.outcome.tier == Tier::kNone) {
    throw Error(Exit::kUsage, std::string("kernel ") + kernel.name + " solves no " + nameOf(dtype) +
                                  " weights: choose another, or --dtype i32");
  }
  return call;
}
