#include "verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <random>

#include "apsp.h"
#include "dijkstra.h"
#include "error.h"

VerifyPlan parseVerify(const std::string& text) {
  using Oracle = VerifyPlan::Oracle;
  const std::string prefix = "dijkstra:";
  if (text.empty()) return {};
  if (text == "ref") return {Oracle::kRef};
  if (text == "dijkstra") return {Oracle::kDijkstra};
  if (text.rfind(prefix, 0) == 0) {
    const std::string rows = text.substr(prefix.size());
    const bool digits =
        !rows.empty() && rows.size() <= 9 &&
        std::all_of(rows.begin(), rows.end(), [](unsigned char c) { return std::isdigit(c); });
    if (digits && rows[0] != '0') return {Oracle::kDijkstra, std::stoi(rows)};
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

}  // namespace

Verdict verifyByDijkstra(const Graph& graph, const int* distances, int rows) {
  const std::vector<int> sources = drawSources(graph.n, rows);
  const Dijkstra oracle(graph);
  Verdict verdict{fmt::format("dijkstra:{}", sources.size()), {}};
  Mismatch& mismatch = verdict.mismatch;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t at = 0; at < sources.size(); ++at) {
    const int i = sources[at];
    const std::vector<std::int64_t> expected = oracle.from(i);
    const int* got = distances + static_cast<std::size_t>(i) * static_cast<std::size_t>(graph.n);
    Mismatch row;
    for (int j = 0; j < graph.n; ++j) {
      const int want =
          static_cast<int>(std::min<std::int64_t>(expected[static_cast<std::size_t>(j)], kInf));
      if (got[j] != want && row.count++ == 0) row = {1, i, j, want, got[j]};
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

void checkRange(const Kernel& kernel, const DeviceMatrix& graph, const Tally& input,
                const Tally& output) {
  const Device& device = *kernel.device;
  const int n = graph.n();
  const std::uint64_t pairs =
      static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n > 0 ? n - 1 : 0);
  const bool farEnough = static_cast<std::int64_t>(n - 1) * input.maxWeight >= kInf;
  if (!farEnough || output.edges == pairs) return;
  DeviceMatrix work(device, n);
  device.copy(work.data(), graph.data(), graph.size());
  device.zeroWeights(n, work.data());
  timeCall(kernel, n, work.data());
  const std::uint64_t reachable = device.tally(n, work.data()).edges;
  if (reachable <= output.edges) return;
  throw Error(
      Exit::kInput,
      fmt::format(
          "{} pairs are reachable only over a distance of {} or more, which the int32 solver "
          "cannot hold: scale the weights down (the heaviest is {})",
          reachable - output.edges, kInf, input.maxWeight));
}
