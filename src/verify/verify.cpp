#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <limits>
#include <numeric>
#include <random>
#include <string_view>

#include "apsp.h"
#include "core/error.h"
#include "core/number.h"
#include "core/progress.h"
#include "verify/dijkstra.h"

VerifyPlan parseVerify(const std::string& text) {
  using Oracle = VerifyPlan::Oracle;
  const std::string prefix = "dijkstra:";
  if (text.empty()) return {};
  if (text == "ref") return {Oracle::kRef};
  if (text == "dijkstra") return {Oracle::kDijkstra};
  if (text.rfind(prefix, 0) == 0) {
    const auto rows = wholeNumber(std::string_view(text).substr(prefix.size()), 1, INT_MAX);
    if (rows) return {Oracle::kDijkstra, *rows};
  }
  throw Error(
      Exit::kUsage,
      fmt::format("--verify={}: expected ref, dijkstra or dijkstra:ROWS with ROWS at least 1",
                  text));
}

namespace {

/// `count` different numbers below n, drawn afresh: the first of a shuffled range.
std::vector<int> drawSources(int n, int count) {
  std::vector<int> sources(static_cast<std::size_t>(n));
  std::iota(sources.begin(), sources.end(), 0);
  if (count >= n) return sources;
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < count; ++i) {
    std::swap(sources[static_cast<std::size_t>(i)],
              sources[std::uniform_int_distribution<std::size_t>(static_cast<std::size_t>(i),
                                                                 sources.size() - 1)(random)]);
  }
  sources.resize(static_cast<std::size_t>(count));
  std::sort(sources.begin(), sources.end());
  return sources;
}

/// The word of a distance; infinity where it reaches that.
int nearestWord(double distance, Dtype dtype) {
  return dtype == Dtype::kInt32 ? static_cast<int>(std::min<double>(distance, kInf))
                                : toWord(static_cast<float>(distance));
}

}  // namespace

double tolerance(int n, Dtype dtype, int solvers) {
  const double error = dtype == Dtype::kInt32 ? 0 : solvers * 0x1p-24 * std::max(0, n - 1);
  return error / (1 - error);
}

std::string within(const std::string& oracle, double tolerance) {
  return tolerance > 0 ? fmt::format("{}±{:.1e}", oracle, tolerance) : oracle;
}

Verdict verifyByDijkstra(const Graph& graph, const int* distances, int rows) {
  const std::vector<int> sources = drawSources(graph.n, rows);
  const Dijkstra oracle(graph);
  const double allowed = tolerance(graph.n, graph.dtype, 1);
  Verdict verdict{within(fmt::format("dijkstra:{}", sources.size()), allowed), {}};
  Mismatch& mismatch = verdict.mismatch;
  Progress checked("Dijkstra's algorithm", sources.size());
#pragma omp parallel for schedule(dynamic) if (graph.n >= kWorthThreads)
  for (std::size_t at = 0; at < sources.size(); ++at) {
    const int i = sources[at];
    const std::vector<double> expected = oracle.from(i);
    checked.advance();
    const int* got = distances + static_cast<std::size_t>(i) * static_cast<std::size_t>(graph.n);
    Mismatch row;
    for (int j = 0; j < graph.n; ++j) {
      const int want = nearestWord(expected[static_cast<std::size_t>(j)], graph.dtype);
      const bool right = graph.dtype == Dtype::kInt32
                             ? agree(got[j], want, allowed)
                             : agree(toFloat(got[j]), toFloat(want), allowed);
      if (!right && row.count++ == 0) row = {1, i, j, want, got[j]};
    }
#pragma omp critical
    if (row.count != 0) {
      const std::uint64_t total = mismatch.count + row.count;
      if (mismatch.count == 0 || row.i < mismatch.i) mismatch = row;
      mismatch.count = total;
    }
  }
  return verdict;
}

void checkRange(const Kernel& kernel, const Restore& restore, int n, Dtype dtype,
                const Tally& input, const Tally& output) {
  const Device& device = *kernel.device;
  const std::uint64_t pairs =
      static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n > 0 ? n - 1 : 0);
  const bool floats = dtype == Dtype::kFloat32;
  const double farthest = (n - 1) * toDouble(input.maxWeight, dtype);
  const bool farEnough = farthest >= (floats ? std::numeric_limits<float>::max() / 2 : kInf);
  if (!farEnough || output.edges == pairs) return;
  const Progress solving("looking for distances that are too large");
  DeviceMatrix work(device, n, dtype);
  restore(work);
  device.zeroWeights(n, work.data(), dtype);
  timeCall(kernel, n, work.data(), dtype);
  const std::uint64_t reachable = device.tally(n, work.data(), dtype).edges;
  if (reachable <= output.edges) return;
  throw Error(Exit::kInput,
              fmt::format("{} pairs are reachable only over a distance of {} or more, which {} "
                          "weights cannot hold: scale them down (the heaviest is {})",
                          reachable - output.edges, floats ? "3.4e+38" : std::to_string(kInf),
                          nameOf(dtype), weightText(input.maxWeight, dtype)));
}
