// Every kernel of the table through Google Benchmark: n × kernel, on every device of this machine,
// with the device's own clock (CUDA events on a GPU) as manual time and relaxations per second as a
// counter.
//
//   make bench && build/cuda/bench/kernels_bench --benchmark_filter=gpu/apsp
//
// Google Benchmark exits 0 when a benchmark fails or a filter matches nothing: this program does
// not.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>

#include "generate.h"
#include "kernels.h"

namespace {

bool failed = false;

void solveOnce(benchmark::State& state, const Kernel& kernel, int n) {
  try {
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
  } catch (const std::exception& e) {
    failed = true;
    state.SkipWithError(e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
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
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::fprintf(stderr, "kernels_bench: no benchmark matches the filter\n");
    return 2;
  }
  return failed ? 1 : 0;
}
