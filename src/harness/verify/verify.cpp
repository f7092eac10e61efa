#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <limits>
#include <string_view>
#include <utility>

#include "apsp.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "system/nearest.h"
#include "system/number.h"
#include "verify/dijkstra.h"
#include "verify/rows.h"

std::vector<std::string> oracleNames() {
  return {"ref", "apsp", "dijkstra", "bellman"};
}

VerifyPlan parseVerify(const std::string& text) {
  using Oracle = VerifyPlan::Oracle;
  constexpr std::pair<const char*, Oracle> kByRows[] = {{"dijkstra", Oracle::kDijkstra},
                                                        {"bellman", Oracle::kBellman}};
  if (text.empty()) return {};
  if (text == "ref") return {Oracle::kRef};
  if (text == "apsp") return {Oracle::kApsp};
  for (const auto& [name, oracle] : kByRows) {
    if (text == name) return {oracle};
    const std::string prefix = std::string(name) + ":";
    if (text.rfind(prefix, 0) != 0) continue;
    const auto rows = wholeNumber(std::string_view(text).substr(prefix.size()), 1, INT_MAX);
    if (rows) return {oracle, *rows};
  }
  const std::string meant = nearest(text.substr(0, text.find(':')), oracleNames());
  throw Error(Exit::kUsage,
              fmt::format("--verify={}: expected ref, apsp, dijkstra, dijkstra:ROWS, bellman or "
                          "bellman:ROWS with ROWS at least 1{}",
                          text, meant.empty() ? "" : ": did you mean '" + meant + "'?"));
}

VerifyPlan withNegativeWeights(VerifyPlan plan) {
  using Oracle = VerifyPlan::Oracle;
  plan.negative = true;
  if (plan.oracle == Oracle::kNone || plan.oracle == Oracle::kBellman) return plan;
  if (plan.oracle != Oracle::kRef)
    throw Error(Exit::kUsage,
                fmt::format("--verify={}: with --negative distances are verified by Bellman's "
                            "equation: give --verify or --verify=bellman:ROWS",
                            plan.oracle == Oracle::kApsp ? "apsp" : "dijkstra"));
  plan.oracle = Oracle::kBellman;
  plan.rows = INT_MAX;
  return plan;
}

std::string solverThatVerifies(const VerifyPlan& plan, const std::string& solver) {
  using Oracle = VerifyPlan::Oracle;
  if (plan.oracle == Oracle::kApsp) return solver == "apsp" ? "ref" : "apsp";
  return plan.oracle == Oracle::kRef && solver != "ref" ? "ref" : "";
}

namespace {

/// The word of a distance; infinity where it reaches that.
int nearestWord(double distance, Dtype dtype) {
  return dtype == Dtype::kInt32 ? static_cast<int>(std::min<double>(distance, kInf))
                                : toWord(static_cast<float>(distance));
}

}  // namespace

std::string within(const std::string& oracle, double tolerance) {
  return tolerance > 0 ? fmt::format("{}±{:.1e}", oracle, tolerance) : oracle;
}

namespace {

/// One row of distances against Dijkstra's. got: its words.
Mismatch checkRow(const Dijkstra& oracle, const Distances& distances, int index, const int* got,
                  double tolerance) {
  const int source = distances.source(index);
  const std::vector<double> expected = oracle.from(source);
  Mismatch row;
  for (int j = 0; j < distances.columns(); ++j) {
    const int target = distances.target(j);
    const int want = nearestWord(expected[static_cast<std::size_t>(target)], distances.dtype());
    if (agreeWords(got[j], want, distances.dtype(), tolerance)) continue;
    if (row.count++ == 0) row = {1, source, target, want, got[j]};
  }
  return row;
}

}  // namespace

Verdict verifyByDijkstra(const Graph& graph, const Distances& distances, int rows) {
  const std::vector<int> sources = drawRows(distances.rowCount(), rows);  // of the rows
  const Dijkstra oracle(graph);
  const double allowed = tolerance(graph.n, graph.dtype, 1);
  Verdict verdict{within(fmt::format("dijkstra:{}", sources.size()), allowed), {}};
  Progress checked("Dijkstra's algorithm", sources.size());
  const auto width = static_cast<std::size_t>(distances.columns());
  const std::size_t band = static_cast<std::size_t>(rowsAtATime(distances.columns()));
  std::vector<int> words(std::min(band, sources.size()) * width);
  for (std::size_t begin = 0; begin < sources.size(); begin += band) {
    const std::size_t count = std::min(band, sources.size() - begin);
    for (std::size_t at = 0; at < count; ++at) {
      const int source = sources[begin + at];
      distances.rows(source, source + 1, [&](int, int, const int* row) {
        std::copy_n(row, width, words.data() + at * width);
      });
    }
#pragma omp parallel for schedule(dynamic) if (graph.n >= kWorthThreads)
    for (std::size_t at = 0; at < count; ++at) {
      const Mismatch row =
          checkRow(oracle, distances, sources[begin + at], words.data() + at * width, allowed);
      checked.advance();
#pragma omp critical
      add(verdict.mismatch, row);
    }
  }
  return verdict;
}
