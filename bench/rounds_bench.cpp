// Rounds of the distributed solver on one GPU: in its memory, and streamed through it from host
// memory. A round of a large matrix takes as long as any other, so a few of them tell how long a
// solve takes: all that is left out are the other rounds.
//
//   rounds_bench [Google Benchmark's options], for example --benchmark_filter=streamed/uint16
//
// Counters: relax_per_s, and solve_s, the seconds that all rounds would take. The matrix is random,
// because zeros would be faster. It needs as much host memory as the matrix.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bench/main.h"
#include "ranks/threads.h"
#include "several/part_gpu.h"
#include "several/rounds.h"
#include "solver/solver.h"

using namespace engine;

namespace {

constexpr int kRounds = 3;

struct Plan {
  const char* name;
  Precision precision;
  int n;
  std::size_t room;  ///< bytes of GPU memory that may be taken; 0: all
};

constexpr std::size_t kGigabyte = 1000000000;
constexpr Plan kPlans[] = {
    {"in_core/int32/40000", Precision::k32, 40000, 0},
    {"in_core/uint16/40000", Precision::k16, 40000, 0},
    {"streamed/int32/40000", Precision::k32, 40000, 40000ull * 40000},  // a quarter of the matrix
    {"streamed/uint16/40000", Precision::k16, 40000, 40000ull * 40000 / 2},
    {"streamed/uint16/160000", Precision::k16, 160000, 70 * kGigabyte},
};

/// The same random rows again and again.
void fill(Part& part) {
  const Band rows = part.rows();
  const int n = part.columns().count, count = std::min(256, rows.count);
  std::vector<int> words(static_cast<std::size_t>(count) * static_cast<std::size_t>(n));
  std::minstd_rand draw(1);
  std::generate(words.begin(), words.end(), [&] { return static_cast<int>(draw() % 10000); });
  for (int first = rows.first; first < rows.end(); first += count)
    part.put({first, std::min(count, rows.end() - first)}, words.data());
}

void rounds(benchmark::State& state, const Plan& plan) {
  const auto rank = onlyRank();
  GridRanks ranks(*rank, Grid{});
  if (plan.room != 0) setenv("APSP_GPU_MEMORY", std::to_string(plan.room).c_str(), 1);
  const auto part = partOnGpu(plan.n, Dtype::kInt32, plan.precision, ranks, 0);
  unsetenv("APSP_GPU_MEMORY");
  fill(*part);
  const Tier tier = plan.precision == Precision::k16 ? Tier::kUint16 : Tier::kInt32;
  const int blocks = blocksOf(plan.n, part->depth());
  const int first = std::max(0, blocks - 1 - kRounds);  // the last one may be short
  const int pivots = plan.n - first * part->depth();
  double seconds = 0;
  for (auto _ : state) {
    part->begin(tier, false);
    RankTimes times = solveRounds(*part, plan.n, ranks, first);  // those before count as done
    part->finish(times);
    part->end(true);
    seconds = (times.compute + times.wait) * 1e-3;
    state.SetIterationTime(seconds);
  }
  state.counters["relax_per_s"] = static_cast<double>(plan.n) * plan.n * pivots / seconds;
  state.counters["solve_s"] = seconds * plan.n / pivots;
  state.counters["depth"] = part->depth();
}

void registerAll() {
  std::string why;
  if (findGpu(why) == nullptr) return;
  for (const Plan& plan : kPlans)
    registerTimed(plan.name, [&plan](benchmark::State& state) { rounds(state, plan); });
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
