// Bellman's equation on a GPU: how long it takes to check every row of a sparse result, and some
// rows of a dense one.
//
//   bellman_bench [Google Benchmark's options], for example --benchmark_filter=arcs
//
// Counters: solve_ms, what solving took, and sweep_ms, what sweeping took of that. It fails if the
// GPU doubts a row.
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/main.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "solver/solver.h"
#include "verify/bellman_gpu.h"
#include "verify/rows.h"

namespace {

struct Plan {
  const char* name;
  const char* family;
  int n, rows;
};

constexpr Plan kPlans[] = {
    {"arcs/grid/40000", "grid", 40000, 40000},
    {"arcs/grid/75625", "grid", 75625, 75625},
    {"matrix/uniform/20000", "uniform", 20000, 1000},
    {"matrix/uniform/100000", "uniform", 100000, 1000},
};

void check(benchmark::State& state, const Plan& plan, const Device& gpu) {
  Spec spec;
  spec.family = familyIndex(plan.family);
  spec.n = plan.n;
  const ProblemGraph graph(spec);
  const auto run = findSolver("apsp", DeviceKind::kGpu).prepare({graph}, {gpu});
  run->reset();
  const Call call = run->solve();
  const Distances& distances = run->distances();
  const std::vector<int> rows = drawRows(plan.n, plan.rows);
  for (auto _ : state) {
    std::vector<int> doubtful;
    const double milliseconds = millisecondsOf([&] {
      doubtful = graph.heldAsEdges() ? doubtfulByArcs(graph.onHost(), distances, rows, gpu)
                                     : doubtfulByMatrix(graph, distances, rows, gpu);
    });
    if (!doubtful.empty()) throw std::runtime_error("the GPU doubts a row, or has no room");
    state.SetIterationTime(milliseconds * 1e-3);
  }
  state.counters["solve_ms"] = call.milliseconds;
  state.counters["sweep_ms"] = call.outcome.sweeping.sweep;
}

void registerAll() {
  std::string why;
  const Device* const gpu = findGpu(why);
  if (gpu == nullptr) return;
  for (const Plan& plan : kPlans)
    registerTimed(plan.name, [&plan, gpu](benchmark::State& state) { check(state, plan, *gpu); });
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
