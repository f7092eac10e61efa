// The ladder through Google Benchmark: every rung of every report at every n, timed by CUDA events.
// Every result is compared in full with the naive solver's, and every sum with the host's. If one
// is wrong, the program fails.
//
//   make bench && build/cuda/bench/ladder_bench --benchmark_filter=A/a7
//
// relax: relaxations per second, which is n³ over the time. bytes: the bytes that the algorithm
// moves between global memory and the GPU, over the time. A round reads and writes each entry once:
// 8 n² bytes in each of ⌈n / tile⌉ rounds. A round reads the panels again for every tile; these are
// not counted, because caches serve most of them. A sum reads its n values once: 4 n bytes.
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "bench/main.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "ladder/ladder.h"
#include "ladder/reduce.h"
#include "solver/solver.h"

namespace {

constexpr auto kRate = benchmark::Counter::kIsIterationInvariantRate;

/// The side of the tiles of a report. The blocks have 32 × 32 threads; in C, a thread has 2 × 2
/// entries of a tile, in the others one.
double tileSide(const Report& report) {
  return report.letter == std::string("C") ? 64 : 32;
}

/// The course graph with n vertices, its distances from the naive solver, and a matrix to solve in.
struct Course {
  DeviceMatrix graph, expected, work;

  Course(const Device& gpu, int n) : graph(gpu, n), expected(gpu, n), work(gpu, n) {
    Spec spec;
    spec.n = n;
    generateOn(gpu, spec, graph.data());
    gpu.copy(expected.data().data(), graph.data().data(), graph.bytes());
    findSolver("ref", gpu.kind()).inPlace(gpu, n, expected.data(), {});
  }
};

/// The course of n vertices. The last one is kept, because the benchmarks of one n run one after
/// another.
const Course& courseOf(const Device& gpu, int n) {
  static std::unique_ptr<Course> last;
  if (last == nullptr || last->graph.n() != n) {
    last.reset();
    last = std::make_unique<Course>(gpu, n);
  }
  return *last;
}

void runRung(benchmark::State& state, const Device& gpu, const Solver& rung, int n, double tile) {
  guarded(state, [&] {
    const Course& course = courseOf(gpu, n);
    const DeviceMatrix& work = course.work;
    for (auto _ : state) {
      gpu.copy(work.data().data(), course.graph.data().data(), work.bytes());
      state.SetIterationTime(rung.inPlace(gpu, n, work.data(), {}).milliseconds * 1e-3);
      const Mismatch mismatch = gpu.compare(n, work.data(), course.expected.data(), 0);
      if (mismatch.count != 0)
        throw Error(ErrorCode::kMismatch, std::to_string(mismatch.count) + " entries are wrong");
    }
    const double size = n, rounds = std::ceil(size / tile);
    state.counters["relax"] = benchmark::Counter(size * size * size, kRate);
    state.counters["bytes"] = benchmark::Counter(8 * size * size * rounds, kRate);
  });
}

void sumUp(benchmark::State& state, const Device& gpu, const ReductionReport& report,
           const ReductionStep& step) {
  constexpr int kValues = 1 << 28;
  guarded(state, [&] {
    static const ReductionInput input(gpu, report, kValues);
    for (auto _ : state) {
      const auto [milliseconds, sum] = input.sum(step);
      state.SetIterationTime(milliseconds * 1e-3);
      if (sum != input.expected) throw Error(ErrorCode::kMismatch, "the sum is wrong");
    }
    state.counters["bytes"] = benchmark::Counter(4.0 * kValues, kRate);
  });
}

template <class... Arguments>
void add(const std::string& name, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), arguments...)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void registerAll() {
  std::string why;
  const Device* gpu = findGpu(why);
  if (gpu == nullptr) throw Error(ErrorCode::kGpu, "no GPU: " + why);
  for (const int n : kReportSizes) {
    for (const Report& report : reports()) {
      for (const Rung& rung : report.rungs) {
        const Solver solver =
            inPlace(rung.name, DeviceKind::kGpu, rung.what, report.source, rung.solve);
        add(std::string(report.letter) + "/" + rung.name + "/" + std::to_string(n), runRung,
            std::cref(*gpu), solver, n, tileSide(report));
      }
    }
  }
  const ReductionReport sums = reportE();
  for (const ReductionStep& step : sums.steps)
    add(std::string("E/") + step.name, [=](auto& state) { sumUp(state, *gpu, sums, step); });
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
