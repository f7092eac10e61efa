#include "verify/signed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/progress.h"
#include "base/size.h"
#include "verify/bellman_ford.h"
#include "verify/rows.h"
#include "verify/sums.h"

namespace {

/// Checks rows of whole distances whose weights may be negative.
template <class T>
class SignedCheck {
 public:
  SignedCheck(const Graph& graph, const Selection*) : graph_(graph), n_(graph.n), rows_(graph) {
    if (!graph.dense()) first_ = edgeStarts(n_, graph.ends());
  }

  double tolerance() const { return 0; }

  /// The entries of a row of these distances that are wrong.
  Mismatch check(const Distances& distances, int index, const T* row) const {
    const int source = distances.source(index);
    if (hasAll(distances) && isRight(source, row)) return {};
    const std::vector<SumOf<T>> right = rows_.from(source);
    Mismatch found;
    for (int c = 0; c < distances.columns(); ++c) {
      const int target = distances.target(c);
      const T expected = nearestTo<T>(right[asSize(target)]);
      if (row[c] == expected) continue;
      if (found.count++ == 0) found = {1, source, target, expected, row[c]};
    }
    return found;
  }

 private:
  /// Whether rows have the distances to all vertices, in their order.
  bool hasAll(const Distances& distances) const {
    if (distances.columns() != n_) return false;
    for (int c = 0; c < n_; ++c)
      if (distances.target(c) != c) return false;
    return true;
  }

  bool isRight(int source, const T* row) const {
    const auto inRange = [](T d) { return d > -kInfinity<T> && d <= kInfinity<T>; };
    if (row[source] != 0 || !std::all_of(row, row + n_, inRange)) return false;
    std::vector<char> reached(asSize(n_), 0);
    std::vector<int> queue = {source};
    reached[asSize(source)] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next)
      if (!takeEdges(queue[next], row, reached, queue)) return false;
    const auto missing = [&](int v) { return row[v] < kInfinity<T> && !reached[asSize(v)]; };
    for (int v = 0; v < n_; ++v)
      if (missing(v)) return false;
    return true;
  }

  /// Looks at the edges from u. Returns false if one of them is too short; else appends to `queue`
  /// the vertices that tight ones reach for the first time.
  bool takeEdges(int u, const T* row, std::vector<char>& reached, std::vector<int>& queue) const {
    const auto reach = [&](int v) {
      if (reached[asSize(v)]) return;
      reached[asSize(v)] = 1;
      queue.push_back(v);
    };
    if (!graph_.dense()) {
      const Edges<T>& edges = graph_.edges<T>();
      for (std::size_t at = first_[asSize(u)]; at < first_[asSize(u) + 1]; ++at) {
        const Edge<T>& e = edges[at];
        if (row[u] + e.weight < row[e.to]) return false;
        if (row[u] + e.weight == row[e.to] && row[e.to] < kInfinity<T>) reach(e.to);
      }
      return true;
    }
    const T* const weights = graph_.matrix().row<T>(u);
    const T from = row[u];
    const char* const known = reached.data();
    int tooShort = 0, fresh = 0;
#pragma omp simd reduction(| : tooShort, fresh)
    for (int v = 0; v < n_; ++v) {
      const int edge = weights[v] < kInfinity<T>;
      const T through = from + weights[v];
      tooShort |= edge & (through < row[v]);
      fresh |= edge & (through == row[v]) & (row[v] < kInfinity<T>)&(known[v] == 0);
    }
    for (int v = 0; fresh && v < n_; ++v) {
      const bool isEdge = weights[v] < kInfinity<T>;
      if (isEdge && from + weights[v] == row[v] && row[v] < kInfinity<T>) reach(v);
    }
    return !tooShort;
  }

  const Graph& graph_;
  const int n_;
  const BellmanFord<SumOf<T>> rows_;
  std::vector<std::size_t> first_;  // of an edge list: where each vertex's edges begin
};

/// Reals, which are compared with sums that are more exact.
template <class T>
class RealCheck {
 public:
  RealCheck(const Graph& graph, const Selection* asked)
      : rows_(graph), allowed_(signedToleranceFor(asked, graph, 1)) {}

  double tolerance() const { return allowed_.relative(); }

  Mismatch check(const Distances& distances, int index, const T* row) const {
    const int source = distances.source(index);
    const std::vector<SumOf<T>> right = rows_.from(source);
    Mismatch found;
    for (int c = 0; c < distances.columns(); ++c) {
      const int target = distances.target(c);
      const SumOf<T> expected = right[asSize(target)], got = row[c];
      if (got == expected) continue;
      const bool reached = expected != kNoPath<SumOf<T>>;  // infinity is equal to itself only
      const auto apart = static_cast<double>(std::abs(got - expected));
      if (reached && apart <= allowed_(source, target, static_cast<double>(expected))) continue;
      if (found.count++ == 0) found = {1, source, target, nearestTo<T>(expected), row[c]};
    }
    return found;
  }

 private:
  const BellmanFord<SumOf<T>> rows_;
  const SignedTolerance allowed_;
};

template <class T>
using Check = std::conditional_t<std::is_integral_v<T>, SignedCheck<T>, RealCheck<T>>;

/// The verdict on `rows` rows. T: the type of the weights.
template <class T>
Verdict verifyRows(const Graph& graph, const Distances& distances, int rows) {
  const Check<T> check(graph, distances.asked());
  const std::vector<int> sources = drawRows(distances.rowCount(), rows);  // of the rows
  const auto width = asSize(distances.columns());
  Verdict verdict{within(fmt::format("bellman:{}", sources.size()), check.tolerance()), {}};
  Progress checked("Bellman's equation", sources.size());
  for (std::size_t begin = 0, end; begin < sources.size(); begin = end) {
    for (end = begin + 1; end < sources.size() && sources[end] == sources[end - 1] + 1;) ++end;
    const auto visit = [&](int first, int count, ConstElements elements) {
      const T* const all = elements.as<T>();
#pragma omp parallel for schedule(dynamic) if (graph.n >= kWorthThreads)
      for (int r = 0; r < count; ++r) {
        const Mismatch found = check.check(distances, first + r, all + asSize(r) * width);
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
  return withType(graph.dtype(),
                  [&](auto zero) { return verifyRows<decltype(zero)>(graph, distances, rows); });
}
