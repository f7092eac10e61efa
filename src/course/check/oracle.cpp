#include "check/oracle.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "verify/verify.h"

namespace {

/// The distances by the family's closed form, which is that of the directed graph; nothing if it
/// has none.
std::optional<Matrix> closedForm(const Spec& spec) {
  std::optional<Matrix> distances;
  if (spec.undirected) return distances;
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (hasDistance<Family>) {
      distances.emplace(spec.n, Dtype::kInt32);
#pragma omp parallel for schedule(static) if (spec.n >= kWorthThreads)
      for (int i = 0; i < spec.n; ++i) {
        int* const row = distances->row<int>(i);
        for (int j = 0; j < spec.n; ++j) row[j] = i == j ? 0 : Family::distance(spec, i, j);
      }
    }
  });
  return distances;
}

/// A solver that shares no code with `kernel`: one on the CPU, or the naive one on the GPU for
/// graphs that take the CPU long.
const Solver& oracleFor(const Solver& kernel, int n) {
  constexpr int kMostOnCpu = 1600;
  const auto differs = [&](const Solver& row) {
    return row.name != kernel.name || row.device != kernel.device;
  };
  if (n > kMostOnCpu && kernel.device == DeviceKind::kGpu) {
    const Solver& naive = findSolver("ref", DeviceKind::kGpu);
    if (differs(naive)) return naive;
  }
  const Solver& fast = findSolver("apsp", DeviceKind::kCpu);
  return differs(fast) ? fast : findSolver("ref", DeviceKind::kCpu);
}

/// The distances of a family in which potentials are planted: those of the family below, shifted.
/// Nothing of other families.
std::optional<Matrix> shiftedForm(const Spec& spec, const Solver& kernel) {
  std::optional<Matrix> distances;
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (hasPotentials<Family>) {
      Spec below = Family::below(spec);
      below.family = familyIndex(Family::Below::name);
      distances = oracleDistances(below, kernel);
      for (int i = 0; i < spec.n; ++i) {
        int* const row = distances->row<int>(i);
        for (int j = 0; j < spec.n; ++j) row[j] = Family::shifted(spec, i, j, row[j]);
      }
    }
  });
  return distances;
}

}  // namespace

Matrix oracleDistances(const Spec& spec, const Solver& kernel) {
  constexpr int kRows = 4;
  if (std::optional<Matrix> distances = closedForm(spec)) return std::move(*distances);
  if (std::optional<Matrix> distances = shiftedForm(spec, kernel)) return std::move(*distances);
  const Solver& oracle = oracleFor(kernel, spec.n);
  std::string why;
  const ProblemGraph graph(spec);
  const auto run = oracle.prepare({graph}, {*findDevice(oracle.device, why)});
  run->reset();
  run->solve();
  const Verdict verdict = verifyByDijkstra(graph.onHost(), run->distances(), kRows);
  if (verdict.passed()) return toMatrix(run->distances());
  throw Error(ErrorCode::kMismatch,
              fmt::format("the oracle itself is wrong: kernel {} of the {} differs from {} on {}",
                          oracle.name, nameOf(oracle.device), verdict.how, describe(spec)));
}
