// Every kernel of the table through Google Benchmark: n × kernel, on every device of this machine,
// with the device's own clock (CUDA events on a GPU) as manual time and relaxations per second as a
// counter.
//
//   make bench && build/cuda/bench/kernels_bench --benchmark_filter=gpu/apsp
#include <string>

#include "bench/main.h"
#include "generate/generate.h"
#include "solvers/solver.h"

namespace {

void solveOnce(benchmark::State& state, const Kernel& kernel, int n) {
  guarded(state, [&] {
    Spec spec;
    spec.n = n;
    DeviceMatrix graph(*kernel.device, n), work(*kernel.device, n);
    kernel.device->generate(spec, graph.data());
    for (auto _ : state) {
      kernel.device->copy(work.data(), graph.data(), graph.size());
      state.SetIterationTime(timeCall(kernel, n, work.data()).milliseconds * 1e-3);
    }
    state.counters["relax"] = benchmark::Counter(static_cast<double>(n) * n * n,
                                                 benchmark::Counter::kIsIterationInvariantRate);
  });
}

void registerAll() {
  std::string why;
  const bool gpu = findGpu(why) != nullptr;
  for (const Kernel& kernel : kernelTable()) {
    const bool onGpu = kernel.device->kind == std::string("gpu");
    if (onGpu && !gpu) continue;
    for (const int n : {500, 1000, 2500, 5000, 10000}) {
      if (!onGpu && n > 1000) break;
      const std::string name =
          std::string(kernel.device->kind) + "/" + kernel.name + "/" + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), solveOnce, kernel, n)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
