#include "verify/signed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "verify/bellman_ford.h"
#include "verify/rows.h"

namespace {

/// Checks rows of distances whose weights may be negative.
class SignedCheck {
 public:
  explicit SignedCheck(const Graph& graph) : graph_(graph), n_(graph.n), rows_(graph) {
    if (!graph.dense()) first_ = edgeStarts(n_, graph.edges());
  }

  /// The entries of a row of these distances that are wrong.
  Mismatch check(const Distances& distances, int index, const int* row) const {
    const int source = distances.source(index);
    if (isWhole(distances) && isRight(source, row)) return {};
    const std::vector<std::int64_t> right = rows_.from(source);
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

  const Graph& graph_;
  const int n_;
  const BellmanFord<std::int64_t> rows_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

/// Floats, which are compared with sums of doubles.
class RealCheck {
 public:
  explicit RealCheck(const Graph& graph) : rows_(graph), allowed_(graph, 1) {}

  double tolerance() const { return allowed_.relative(); }

  Mismatch check(const Distances& distances, int index, const int* row) const {
    const int source = distances.source(index);
    const std::vector<double> right = rows_.from(source);
    Mismatch found;
    for (int c = 0; c < distances.columns(); ++c) {
      const int target = distances.target(c);
      const double expected = right[static_cast<std::size_t>(target)], got = toFloat(row[c]);
      if (got == expected || std::abs(got - expected) <= allowed_(source, target, expected))
        continue;  // infinity is equal to itself only
      if (found.count++ == 0)
        found = {1, source, target, toWord(static_cast<float>(expected)), row[c]};
    }
    return found;
  }

 private:
  const BellmanFord<double> rows_;
  const SignedTolerance allowed_;
};

/// The verdict on `rows` rows. check: a SignedCheck or a RealCheck.
template <class Check>
Verdict verifyRows(const Check& check, double tolerance, const Graph& graph,
                   const Distances& distances, int rows) {
  const std::vector<int> sources = drawRows(distances.rowCount(), rows);  // of the rows
  const auto width = static_cast<std::size_t>(distances.columns());
  Verdict verdict{within(fmt::format("bellman:{}", sources.size()), tolerance), {}};
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

}  // namespace

Verdict verifySigned(const Graph& graph, const Distances& distances, int rows) {
  if (graph.dtype == Dtype::kInt32)
    return verifyRows(SignedCheck(graph), 0, graph, distances, rows);
  const RealCheck check(graph);
  return verifyRows(check, check.tolerance(), graph, distances, rows);
}
