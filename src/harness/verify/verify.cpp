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
#include "base/size.h"
#include "system/nearest.h"
#include "system/number.h"
#include "verify/dijkstra.h"
#include "verify/rows.h"

std::vector<std::string> oracleNames() {
  return {"ref", "apsp", "dijkstra", "bellman"};
}

VerifyOptions parseVerify(const std::string& text) {
  using Oracle = VerifyOptions::Oracle;
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
  throw Error(ErrorCode::kUsage,
              fmt::format("--verify={}: expected ref, apsp, dijkstra, dijkstra:ROWS, bellman or "
                          "bellman:ROWS with ROWS at least 1{}",
                          text, meant.empty() ? "" : ": did you mean '" + meant + "'?"));
}

VerifyOptions withNegativeWeights(VerifyOptions options) {
  using Oracle = VerifyOptions::Oracle;
  options.negative = true;
  if (options.oracle == Oracle::kNone || options.oracle == Oracle::kBellman) return options;
  if (options.oracle != Oracle::kRef)
    throw Error(ErrorCode::kUsage,
                fmt::format("--verify={}: with --negative distances are verified by Bellman's "
                            "equation: give --verify or --verify=bellman:ROWS",
                            options.oracle == Oracle::kApsp ? "apsp" : "dijkstra"));
  options.oracle = Oracle::kBellman;
  options.rows = INT_MAX;
  return options;
}

std::string solverThatVerifies(const VerifyOptions& options, const std::string& solver) {
  using Oracle = VerifyOptions::Oracle;
  if (options.oracle == Oracle::kApsp) return solver == "apsp" ? "ref" : "apsp";
  return options.oracle == Oracle::kRef && solver != "ref" ? "ref" : "";
}

std::string within(const std::string& oracle, double tolerance) {
  return tolerance > 0 ? fmt::format("{}±{:.1e}", oracle, tolerance) : oracle;
}

std::string withinOfEdges(const std::string& oracle, Dtype dtype, int solvers) {
  const std::string said = within(oracle, errorOfEdge(dtype, solvers));
  return isWhole(dtype) ? said : said + "/edge";
}

namespace {

/// One row of distances, `got`, against Dijkstra's.
template <class T>
Mismatch checkRow(const Dijkstra<SumOf<T>>& oracle, const Distances& distances, int index,
                  const T* got, const Tolerance& allowed) {
  const int source = distances.source(index);
  std::vector<int> edges;
  const std::vector<SumOf<T>> expected = oracle.from(source, &edges);
  Mismatch row;
  for (int j = 0; j < distances.columns(); ++j) {
    const int target = distances.target(j);
    const T want = nearestTo<T>(expected[asSize(target)]);
    const auto length = static_cast<double>(want);
    if (agree(got[j], want,
              got[j] > want ? allowed.above(length, edges[asSize(target)]) : allowed.of(length)))
      continue;
    if (row.count++ == 0) row = {1, source, target, want, got[j]};
  }
  return row;
}

/// The wrong entries of these rows.
template <class T>
Mismatch checkRows(const Graph& graph, const Distances& distances, const std::vector<int>& sources,
                   const Tolerance& allowed) {
  const Dijkstra<SumOf<T>> oracle(graph);
  Mismatch all;
  Progress checked("Dijkstra's algorithm", sources.size());
  const auto width = asSize(distances.columns());
  const std::size_t band = asSize(rowsAtATime(distances.columns(), distances.dtype()));
  std::vector<T> got(std::min(band, sources.size()) * width);
  for (std::size_t begin = 0; begin < sources.size(); begin += band) {
    const std::size_t count = std::min(band, sources.size() - begin);
    for (std::size_t at = 0; at < count; ++at) {
      const int source = sources[begin + at];
      distances.rows(source, source + 1, [&](int, int, ConstElements row) {
        copyElements(row, width, got.data() + at * width);
      });
    }
#pragma omp parallel for schedule(dynamic) if (graph.n >= kWorthThreads)
    for (std::size_t at = 0; at < count; ++at) {
      const Mismatch row =
          checkRow<T>(oracle, distances, sources[begin + at], got.data() + at * width, allowed);
      checked.advance();
#pragma omp critical
      add(all, row);
    }
  }
  return all;
}

}  // namespace

Verdict verifyByDijkstra(const Graph& graph, const Distances& distances, int rows) {
  const std::vector<int> sources = drawRows(distances.rowCount(), rows);  // of the rows
  const Dtype dtype = graph.dtype();
  const Tolerance allowed(graph.n, dtype, 1, isWhole(dtype) ? 0 : graphStats(graph).leastPositive);
  Verdict verdict{withinOfEdges(fmt::format("dijkstra:{}", sources.size()), dtype, 1), {}};
  verdict.mismatch = withType(dtype, [&](auto zero) {
    return checkRows<decltype(zero)>(graph, distances, sources, allowed);
  });
  return verdict;
}
