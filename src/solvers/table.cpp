#include "solvers/solver.h"

#include <chrono>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "core/progress.h"
#include "solvers/blocked_cpu.h"
#include "solvers/plain_cpu.h"

namespace {

/// A row's `solve` from a CPU solver, which takes elements of any type and no options.
auto onElements(void (*solver)(int n, int* graph, Dtype dtype)) {
  return [=](int n, int* graph, Dtype dtype, const Options&) {
    solver(n, graph, dtype);
    return dtype == Dtype::kInt32 ? Outcome{} : Outcome{Tier::kFloat32};
  };
}

}  // namespace

const std::vector<Kernel>& kernelTable() {
  static const std::vector<Kernel> table = [] {
    std::vector<Kernel> rows = gpuKernels();
    rows.push_back({"apsp", &cpuDevice, "blocked, SIMD, one thread a core",
                    "src/solvers/blocked_cpu.cpp", onElements(apspCpu)});
    rows.push_back({"ref", &cpuDevice, "plain triple loop, one thread", "src/solvers/plain_cpu.cpp",
                    onElements(apspScalar)});
    return rows;
  }();
  return table;
}

const Kernel& findKernel(std::string_view name, const Device& device) {
  std::string known;
  for (const Kernel& kernel : kernelTable()) {
    if (kernel.device != &device) continue;
    if (name == kernel.name) return kernel;
    known += (known.empty() ? "" : ", ") + kernel.name;
  }
  throw Error(Exit::kUsage,
              fmt::format("no kernel '{}' on the {}: choose from {}", name, device.kind, known));
}

namespace {

using Seconds = std::chrono::duration<double>;

/// n → what the last call took, of a kernel and a type. Of the thread that measures alone.
std::map<int, Seconds>& callsOf(const Kernel& kernel, Dtype dtype) {
  static std::map<std::tuple<const Device*, std::string, Dtype>, std::map<int, Seconds>> all;
  return all[{kernel.device, kernel.name, dtype}];
}

}  // namespace

double expectedSeconds(const Kernel& kernel, int n, Dtype dtype) {
  const std::map<int, Seconds>& calls = callsOf(kernel, dtype);
  const auto above = calls.upper_bound(n);
  for (auto call : {above == calls.begin() ? above : std::prev(above), above}) {
    if (call == calls.end()) continue;
    const double factor = static_cast<double>(n) / call->first;
    if (factor <= 8 && factor >= 0.125) return factor * factor * factor * call->second.count();
  }
  return 0;
}

Call timeCall(const Kernel& kernel, int n, int* graph, Dtype dtype, const Options& options) {
  const Progress solving{Seconds(expectedSeconds(kernel, n, dtype))};
  const auto begin = std::chrono::steady_clock::now();
  Call call{};
  if (kernel.call) {
    call = kernel.call(n, graph, dtype, options);
  } else {
    call.milliseconds =
        kernel.device->time([&] { call.outcome = kernel.solve(n, graph, dtype, options); });
  }
  callsOf(kernel, dtype)[n] = std::chrono::steady_clock::now() - begin;
  if (dtype != Dtype::kInt32 && call.outcome.tier == Tier::kNone) {
    throw Error(Exit::kUsage, std::string("kernel ") + kernel.name + " solves no " + nameOf(dtype) +
                                  " weights: choose another, or --dtype i32");
  }
  return call;
}
