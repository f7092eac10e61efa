#include "verify/signed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
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

  /// The entries of a row of these distances that are wrong.
  Mismatch check(const Distances& distances, int index, const int* row) const {
    const int source = distances.source(index);
    if (isWhole(distances) && isRight(source, row)) return {};
    const std::vector<std::int64_t> right = distancesFrom(source);
    Mismatch found;
    for (int c = 0; c < distances.columns(); ++c) {
      const int target = distances.target(c);
      const int expected =
          static_cast<int>(std::min<std::int64_t>(right[static_cast<std::size_t>(target)], kInf));
      if (row[c] == expected) continue;
      if (found.count++ == 0) found = {1, source, target, expected, row[c]};
    }
    return found;
  }

 private:
  /// Whether rows have the distances to all vertices, in their order.
  bool isWhole(const Distances& distances) const {
    if (distances.columns() != n_) return false;
    for (int c = 0; c < n_; ++c)
      if (distances.target(c) != c) return false;
    return true;
  }

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

  /// Calls relax(head, weight) for each edge from u.
  template <class Relax>
  void forEachFrom(int u, Relax relax) const {
    if (!graph_.dense()) {
      for (std::size_t at = first_[static_cast<std::size_t>(u)];
           at < first_[static_cast<std::size_t>(u) + 1]; ++at)
        relax(graph_.edges()[at].to, graph_.edges()[at].weight);
      return;
    }
    const int* const row = graph_.matrix().row(u);
    for (int v = 0; v < n_; ++v)
      if (row[v] < kInf && v != u) relax(v, row[v]);
  }

  /// Bellman and Ford's passes. Each takes the edges of the vertices that the pass before lowered.
  std::vector<std::int64_t> distancesFrom(int source) const {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> distance(static_cast<std::size_t>(n_), kNone);
    std::vector<int> stamps(static_cast<std::size_t>(n_), -1), lowered = {source}, next;
    distance[static_cast<std::size_t>(source)] = 0;
    for (int pass = 0; !lowered.empty() && pass <= n_; ++pass) {
      for (const int u : lowered) {
        forEachFrom(u, [&](int v, int weight) {
          const std::int64_t through = distance[static_cast<std::size_t>(u)] + weight;
          if (through >= distance[static_cast<std::size_t>(v)]) return;
          distance[static_cast<std::size_t>(v)] = through;
          if (std::exchange(stamps[static_cast<std::size_t>(v)], pass) != pass) next.push_back(v);
        });
      }
      lowered.swap(next);
      next.clear();
    }
    return distance;
  }

  const Graph& graph_;
  const int n_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

}  // namespace

Verdict verifySigned(const Graph& graph, const Distances& distances, int rows) {
  const std::vector<int> sources = drawSources(distances.rowCount(), rows);  // of the rows
  const auto width = static_cast<std::size_t>(distances.columns());
  const SignedCheck check(graph);
  Verdict verdict{fmt::format("bellman:{}", sources.size()), {}};
  Progress checked("Bellman's equation", sources.size());
  for (std::size_t begin = 0, end; begin < sources.size(); begin = end) {
    for (end = begin + 1; end < sources.size() && sources[end] == sources[end - 1] + 1;) ++end;
    const auto visit = [&](int first, int count, const int* words) {
#pragma omp parallel for schedule(dynamic) if (graph.n >= kWorthThreads)
      for (int r = 0; r < count; ++r) {
        const Mismatch found =
            check.check(distances, first + r, words + static_cast<std::size_t>(r) * width);
        checked.advance();
#pragma omp critical
        add(verdict.mismatch, found);
      }
    };
    distances.rows(sources[begin], sources[end - 1] + 1, visit);
  }
  return verdict;
}
