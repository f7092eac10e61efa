#include "verify/signed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/progress.h"
#include "verify/rows.h"

namespace {

/// The edges of a graph by the vertex that they leave.
class SignedCheck {
 public:
  explicit SignedCheck(const Graph& graph) : graph_(graph), n_(graph.n) {
    if (graph.dense()) return;
    first_.assign(static_cast<std::size_t>(n_) + 1, 0);
    for (const Edge& e : graph.edges()) ++first_[static_cast<std::size_t>(e.from) + 1];
    for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  }

  /// The entries of a row, (n), that are wrong.
  Mismatch check(int source, const int* row) const {
    if (isRight(source, row)) return {};
    const std::vector<std::int64_t> right = distancesFrom(source);
    Mismatch found;
    for (int v = 0; v < n_; ++v) {
      const int expected =
          static_cast<int>(std::min<std::int64_t>(right[static_cast<std::size_t>(v)], kInf));
      if (row[v] == expected) continue;
      if (found.count++ == 0) found = {1, source, v, expected, row[v]};
    }
    return found;
  }

 private:
  bool isRight(int source, const int* row) const {
    const auto inRange = [](int d) { return d > -kInf && d <= kInf; };
    if (row[source] != 0 || !std::all_of(row, row + n_, inRange)) return false;
    std::vector<char> reached(static_cast<std::size_t>(n_), 0);
    std::vector<int> queue = {source};
    reached[static_cast<std::size_t>(source)] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next)
      if (!takeEdges(queue[next], row, reached, queue)) return false;
    const auto missing = [&](int v) {
      return row[v] < kInf && !reached[static_cast<std::size_t>(v)];
    };
    for (int v = 0; v < n_; ++v)
      if (missing(v)) return false;
    return true;
  }

  /// Looks at the edges from u. Returns false if one of them is too short; else appends to `queue`
  /// the vertices that tight ones reach for the first time.
  bool takeEdges(int u, const int* row, std::vector<char>& reached, std::vector<int>& queue) const {
    const auto reach = [&](int v) {
      if (reached[static_cast<std::size_t>(v)]) return;
      reached[static_cast<std::size_t>(v)] = 1;
      queue.push_back(v);
    };
    if (!graph_.dense()) {
      for (std::size_t at = first_[static_cast<std::size_t>(u)];
           at < first_[static_cast<std::size_t>(u) + 1]; ++at) {
        const Edge& e = graph_.edges()[at];
        if (row[u] + e.weight < row[e.to]) return false;
        if (row[u] + e.weight == row[e.to] && row[e.to] < kInf) reach(e.to);
      }
      return true;
    }
    const int* const weights = graph_.matrix().row(u);
    const int from = row[u];
    const char* const known = reached.data();
    int tooShort = 0, fresh = 0;
#pragma omp simd reduction(| : tooShort, fresh)
    for (int v = 0; v < n_; ++v) {
      const int edge = weights[v] < kInf, through = from + weights[v];
      tooShort |= edge & (through < row[v]);
      fresh |= edge & (through == row[v]) & (row[v] < kInf) & (known[v] == 0);
    }
    for (int v = 0; fresh && v < n_; ++v)
      if (weights[v] < kInf && from + weights[v] == row[v] && row[v] < kInf) reach(v);
    return !tooShort;
  }

  std::vector<std::int64_t> distancesFrom(int source) const {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> distance(static_cast<std::size_t>(n_), kNone);
    distance[static_cast<std::size_t>(source)] = 0;
    bool changed = true;
    for (int pass = 0; changed && pass <= n_; ++pass) {
      changed = false;
      forEachEdge(graph_, [&](const Edge& e) {
        const std::int64_t from = distance[static_cast<std::size_t>(e.from)];
        std::int64_t& to = distance[static_cast<std::size_t>(e.to)];
        if (from == kNone || from + e.weight >= to) return;
        to = from + e.weight;
        changed = true;
      });
    }
    return distance;
  }

  const Graph& graph_;
  const int n_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

}  // namespace

Verdict verifySigned(const Graph& graph, const Distances& distances, int rows) {
  const std::vector<int> sources = drawSources(graph.n, rows);
  const SignedCheck check(graph);
  Verdict verdict{fmt::format("bellman:{}", sources.size()), {}};
  Progress checked("Bellman's equation", sources.size());
  for (std::size_t begin = 0, end; begin < sources.size(); begin = end) {
    for (end = begin + 1; end < sources.size() && sources[end] == sources[end - 1] + 1;) ++end;
    const auto visit = [&](int first, int count, const int* words) {
#pragma omp parallel for schedule(dynamic) if (graph.n >= kWorthThreads)
      for (int r = 0; r < count; ++r) {
        const int* const row =
            words + static_cast<std::size_t>(r) * static_cast<std::size_t>(graph.n);
        const Mismatch found = check.check(first + r, row);
        checked.advance();
#pragma omp critical
        add(verdict.mismatch, found);
      }
    };
    distances.rows(sources[begin], sources[end - 1] + 1, visit);
  }
  return verdict;
}
