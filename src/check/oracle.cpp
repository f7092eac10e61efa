#include "check/oracle.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "generate/generate.h"
#include "verify/verify.h"

bool isCpu(const Device& device) {
  return std::string_view(device.kind) == "cpu";
}

namespace {

/// The distances by the family's closed form; nothing if it has none.
std::optional<Matrix> closedForm(const Spec& spec) {
  std::optional<Matrix> distances;
  withFamily(spec, [&](auto family) {
    using Family = decltype(family);
    if constexpr (hasDistance<Family>) {
      distances.emplace(spec.n);
#pragma omp parallel for schedule(static) if (spec.n >= kWorthThreads)
      for (int i = 0; i < spec.n; ++i) {
        int* const row = distances->row(i);
        for (int j = 0; j < spec.n; ++j) row[j] = i == j ? 0 : Family::distance(spec, i, j);
      }
    }
  });
  return distances;
}

/// A solver that shares no code with `kernel`: one on the CPU, or the naive one on the GPU for
/// graphs that take the CPU long.
const Kernel& oracleFor(const Kernel& kernel, int n) {
  constexpr int kMostOnCpu = 1600;
  const auto differs = [&](const Kernel& row) {
    return row.name != kernel.name || isCpu(*row.device) != isCpu(*kernel.device);
  };
  if (n > kMostOnCpu && !isCpu(*kernel.device)) {
    const Kernel& naive = findKernel("ref", *kernel.device);
    if (differs(naive)) return naive;
  }
  const Kernel& fast = findKernel("apsp", cpuDevice);
  return differs(fast) ? fast : findKernel("ref", cpuDevice);
}

/// The distances that a solver of the table finds.
Matrix distancesBy(const Kernel& oracle, const Spec& spec) {
  DeviceMatrix work(*oracle.device, spec.n);
  oracle.device->generate(spec, work.data());
  timeCall(oracle, spec.n, work.data());
  Matrix distances(spec.n);
  oracle.device->download(distances.data(), work.data(), work.size());
  return distances;
}

}  // namespace

Matrix oracleDistances(const Spec& spec, const Kernel& kernel) {
  constexpr int kRows = 4;
  if (std::optional<Matrix> distances = closedForm(spec)) return std::move(*distances);
  const Kernel& oracle = oracleFor(kernel, spec.n);
  Matrix distances = distancesBy(oracle, spec);
  const Verdict verdict = verifyByDijkstra(generate(spec), distances.data(), kRows);
  if (verdict.passed()) return distances;
  throw Error(Exit::kMismatch,
              fmt::format("the oracle itself is wrong: kernel {} of the {} differs from {} on {}",
                          oracle.name, oracle.device->kind, verdict.how, describe(spec)));
}
