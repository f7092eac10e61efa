#include "verify/bellman.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/size.h"
#include "verify/bellman_arcs.h"
#include "verify/bellman_gpu.h"
#include "verify/rows.h"

namespace {

/// One row of distances, and what the graph says of it so far.
template <class T>
struct Checked {
  int source = 0;
  std::vector<T> distance;                 // the row
  std::vector<T> best;                     // min over k ≠ j of D(k) + w(k,j)
  std::vector<std::pair<int, int>> zeros;  // edges (k, j) of weight 0 with D(k) = D(j)
  std::vector<int> grounded;               // D(j) = D(k) + w(k,j) for some k with w(k,j) > 0
};

template <class T>
class Bellman {
 public:
  Bellman(const ProblemGraph& graph, const Distances& distances, const std::vector<int>& sources)
      : graph_(graph),
        n_(graph.n()),
        most_(tolerance(n_, graph.dtype(), 2)),
        rows_(sources.size()) {
    const auto n = asSize(n_);
    for (std::size_t at = 0; at < sources.size(); ++at) {
      Checked<T>& row = rows_[at];
      row = {distances.source(sources[at]),
             std::vector<T>(n),
             std::vector<T>(n, kInfinity<T>),
             {},
             std::vector<int>(n, 0)};
      distances.rows(sources[at], sources[at] + 1, [&](int, int, ConstElements elements) {
        copyElements(elements, n, row.distance.data());
      });
    }
  }

  Mismatch check() {
    T leastPositive = kInfinity<T>;
    forEachBand([&](int first, int count, const std::vector<T>& weights) {
      const std::vector<std::pair<int, int>> zeros = zerosIn(first, count, weights);
      leastPositive = std::min(leastPositive, leastPositiveIn(count, weights));
#pragma omp parallel for schedule(dynamic) if (n_ >= kWorthThreads)
      for (std::size_t at = 0; at < rows_.size(); ++at) {
        for (int k = first; k < first + count; ++k)
          relax(rows_[at], k, weights.data() + offset(k - first));
        keepZeros(rows_[at], zeros);
      }
    });
    allowed_ = Tolerance(n_, kDtype<T>, 2, convertedTo<double>(leastPositive));
    Mismatch all;
    for (Checked<T>& row : rows_) add(all, verdictOf(row));
    return all;
  }

 private:
  std::size_t offset(int row) const {
    return asSize(row) * asSize(n_);
  }

  /// Calls visit(first row, count, rows of weights) for all rows of the graph.
  template <class Visit>
  void forEachBand(Visit visit) {
    const int band = std::min(rowsAtATime(n_, kDtype<T>), n_);
    std::vector<T> weights(offset(band));
    Progress rows("Bellman's equation", static_cast<std::uint64_t>(n_));
    for (int first = 0; first < n_; first += band) {
      const int count = std::min(band, n_ - first);
      graph_.rows(first, count, weights.data());
      visit(first, count, weights);
      rows.advance(static_cast<std::uint64_t>(count));
    }
  }

  /// Takes the edges from k. weights: (n).
  void relax(Checked<T>& row, int k, const T* weights) {
    const T from = row.distance[asSize(k)];
    if (!(from < kInfinity<T>)) return;
    constexpr bool exact = std::is_integral_v<T>;
    const T slack = static_cast<T>(most_);
    const auto some = [&](int begin, int end) {
      const T* __restrict const distance = row.distance.data();
      const T* __restrict const weight = weights;
      T* __restrict const best = row.best.data();
      int* __restrict const grounded = row.grounded.data();
      for (int j = begin; j < end; ++j) {
        const T through = from + weight[j];
        best[j] = through < best[j] ? through : best[j];
        const bool tight = exact ? through == distance[j] : through <= distance[j] * (1 + slack);
        grounded[j] |= static_cast<int>(tight) & static_cast<int>(weight[j] > 0);
      }
    };
    some(0, k);
    some(k + 1, n_);
  }

  /// The least weight above 0 of some rows; infinity if there is none.
  T leastPositiveIn(int count, const std::vector<T>& weights) const {
    T least = kInfinity<T>;
#pragma omp parallel for reduction(min : least) if (n_ >= kWorthThreads)
    for (std::size_t at = 0; at < offset(count); ++at)
      least = weights[at] > 0 && weights[at] < least ? weights[at] : least;
    return least;
  }

  /// The edges of weight 0 that start at these vertices; no more than are worth keeping.
  std::vector<std::pair<int, int>> zerosIn(int first, int count,
                                           const std::vector<T>& weights) const {
    std::vector<std::pair<int, int>> zeros;
    for (int k = first; k < first + count && zeros.size() <= most(); ++k) {
      const T* const row = weights.data() + offset(k - first);
      for (int j = 0; j < n_; ++j)
        if (row[j] == 0 && j != k) zeros.emplace_back(k, j);
    }
    return zeros;
  }

  /// Of the edges of weight 0, as many as there may be of a row. One more means: too many.
  std::size_t most() const {
    return kMostZeros * asSize(n_);
  }

  void keepZeros(Checked<T>& row, const std::vector<std::pair<int, int>>& zeros) const {
    for (const auto& [k, j] : zeros) {
      if (row.zeros.size() > most()) return;
      const T from = row.distance[asSize(k)];
      if (from < kInfinity<T> && engine::agree(row.distance[asSize(j)], from, most_))
        row.zeros.emplace_back(k, j);
    }
  }

  /// Passes on along edges of weight 0 that a vertex is grounded. Returns whether all are then.
  bool groundAll(Checked<T>& row) const {
    const auto grounded = [&](int vertex) -> int& { return row.grounded[asSize(vertex)]; };
    grounded(row.source) = 1;
    std::sort(row.zeros.begin(), row.zeros.end());
    std::vector<int> queue(asSize(n_));
    std::iota(queue.begin(), queue.end(), 0);
    queue.erase(std::remove_if(queue.begin(), queue.end(), [&](int v) { return !grounded(v); }),
                queue.end());
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const int k = queue[next];
      auto edge = std::lower_bound(row.zeros.begin(), row.zeros.end(), std::pair(k, 0));
      for (; edge != row.zeros.end() && edge->first == k; ++edge) {
        if (std::exchange(grounded(edge->second), 1) == 0) queue.push_back(edge->second);
      }
    }
    for (int j = 0; j < n_; ++j)
      if (row.distance[asSize(j)] < kInfinity<T> && !grounded(j)) return false;
    return true;
  }

  bool agree(T got, T expected) const {
    return engine::agree(got, std::min(expected, kInfinity<T>), allowed_);
  }

  Mismatch verdictOf(Checked<T>& row) {
    Mismatch found;
    for (int j = 0; j < n_; ++j) {
      const auto at = asSize(j);
      const T expected = j == row.source ? T(0) : row.best[at];
      if (!agree(row.distance[at], expected)) note(found, row, j, expected);
    }
    return found.count == 0 && !groundAll(row) ? walk(row) : found;
  }

  void note(Mismatch& found, const Checked<T>& row, int j, T expected) const {
    const T got = row.distance[asSize(j)];
    if (found.count++ == 0) found = {1, row.source, j, std::min(expected, kInfinity<T>), got};
  }

  /// Goes from the source along all edges that satisfy the equation. Vertices below infinity that
  /// it does not reach are wrong.
  Mismatch walk(const Checked<T>& row) {
    const auto n = asSize(n_);
    std::vector<int> queue = {row.source};
    std::vector<T> weights(n);
    std::vector<char> reached(n, 0);
    std::vector<T> best(n, kInfinity<T>);  // over the edges from vertices that are reached
    reached[asSize(row.source)] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      graph_.rows(queue[next], 1, weights.data());
      const T from = row.distance[asSize(queue[next])];
      for (std::size_t j = 0; j < n; ++j) {
        const T through = from + weights[j];
        best[j] = std::min(best[j], through);
        if (reached[j] != 0 || !(row.distance[j] < kInfinity<T>) ||
            !agree(row.distance[j], through))
          continue;
        reached[j] = 1;
        queue.push_back(static_cast<int>(j));
      }
    }
    Mismatch found;
    for (int j = 0; j < n_; ++j) {
      const auto at = asSize(j);
      if (reached[at] == 0 && row.distance[at] < kInfinity<T>) note(found, row, j, best[at]);
    }
    return found;
  }

  const ProblemGraph& graph_;
  int n_;
  double most_;            // of paths of any length
  Tolerance allowed_ = 0;  // known when all weights are
  std::vector<Checked<T>> rows_;
};

}  // namespace

std::size_t bellmanBytes(const ProblemGraph& graph, int rows) {
  if (graph.unread()) return 0;  // how many edges there are is not known yet
  if (graph.heldAsEdges()) return graph.hostBytes() + arcsBytes(graph.onHost());
  const int n = graph.n();
  const auto all = asSize(n);
  const auto some = asSize(std::min(n, rows));
  const Dtype dtype = graph.dtype();
  return all * (some * (2 * sizeOf(dtype) + (1 + 2 * kMostZeros) * sizeof(int)) +
                asSize(std::min(n, rowsAtATime(n, dtype))) * sizeOf(dtype));
}

Verdict verifyByBellman(const ProblemGraph& graph, const Distances& distances, int rows,
                        const Device& device) {
  if (graph.heldAsEdges()) return verifyByArcs(graph.onHost(), distances, rows, device);
  const std::vector<int> sources = drawRows(distances.rowCount(), rows);  // of the rows
  Verdict verdict{withinOfEdges(fmt::format("bellman:{}", sources.size()), graph.dtype(), 2), {}};
  const std::vector<int> doubtful = doubtfulByMatrix(graph, distances, sources, device);
  if (doubtful.empty()) return verdict;
  verdict.mismatch = withType(graph.dtype(), [&](auto zero) {
    return Bellman<decltype(zero)>(graph, distances, doubtful).check();
  });
  return verdict;
}
