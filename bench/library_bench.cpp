// What a call of the library costs beside the solver itself: apsp_solve_matrix() on a matrix in GPU
// memory, and what it calls. Both are timed by the host's clock until the device is idle. A call
// solves what the one before it left, distances: the solver looks at every element all the same.
//
//   make bench && build/cuda/bench/library_bench
#include <apsp/apsp.h>

#include <stdexcept>
#include <string>

#include "bench/main.h"
#include "generate/source.h"
#include "solver/solver.h"

namespace {

using Solve = void (*)(const Device& gpu, int n, Elements matrix);

void engine(const Device& gpu, int n, Elements matrix) {
  solveOnGpu(gpu, n, matrix, {});
}

void library(const Device&, int n, Elements matrix) {
  if (apsp_solve_matrix(n, APSP_INT32, matrix.data(), APSP_DEVICE, nullptr) != APSP_OK)
    throw std::runtime_error(apsp_last_error());
}

void measure(benchmark::State& state, Solve solve) {
  guarded(state, [&] {
    std::string why;
    const Device* const gpu = findGpu(why);
    if (gpu == nullptr) throw std::runtime_error("no GPU: " + why);
    Spec spec;
    spec.n = static_cast<int>(state.range(0));
    const DeviceMatrix matrix(*gpu, spec.n);
    generateOn(*gpu, spec, matrix.data());
    for ([[maybe_unused]] auto once : state) {
      solve(*gpu, spec.n, matrix.data());
      gpu->synchronise();
    }
  });
}

void registerAll() {
  for (const auto& [name, solve] :
       {std::pair<const char*, Solve>("engine", engine), {"library", library}})
    benchmark::RegisterBenchmark(name, measure, solve)
        ->Arg(64)
        ->Arg(1000)
        ->Arg(4000)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime()
        ->Repetitions(5)
        ->ReportAggregatesOnly();
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
