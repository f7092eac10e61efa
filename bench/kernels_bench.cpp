// Every solver of the table through Google Benchmark, at several n, on every device of this
// machine, with the device's own clock (CUDA events on a GPU) as manual time and relaxations per
// second as a counter.
//
//   make bench && build/cuda/bench/kernels_bench --benchmark_filter=gpu/apsp
#include <functional>
#include <string>

#include "bench/main.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "ladder/kernels.h"
#include "solver/solver.h"

namespace {

void solveAgain(benchmark::State& state, const Solver& solver, const Device& device, int n) {
  guarded(state, [&] {
    Spec spec;
    spec.n = n;
    ProblemGraph graph(spec);
    graph.keepOn(device);
    const auto run = solver.prepare({graph}, {device});
    for (auto _ : state) {
      run->reset();
      state.SetIterationTime(run->solve().milliseconds * 1e-3);
    }
    state.counters["relax"] = benchmark::Counter(static_cast<double>(n) * n * n,
                                                 benchmark::Counter::kIsIterationInvariantRate);
  });
}

void registerAll() {
  std::string why;
  for (const Solver& solver : kernelTable()) {
    const bool onGpu = solver.device == DeviceKind::kGpu;
    const Device* const device = findDevice(solver.device, why);
    if (device == nullptr) continue;
    for (const int n : {500, 1000, 2500, 5000, 10000}) {
      if (!onGpu && n > 1000) break;
      const std::string name =
          std::string(nameOf(solver.device)) + "/" + solver.name + "/" + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), solveAgain, solver, std::cref(*device), n)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
