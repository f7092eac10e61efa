#include "verify/bellman.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "dense/min_plus_cpu.h"
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
        none_(tiles::kNone<T>),
        allowed_(tolerance(n_, graph.dtype(), 2)),
        rows_(sources.size()) {
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t at = 0; at < sources.size(); ++at) {
      Checked<T>& row = rows_[at];
      row = {distances.source(sources[at]),
             std::vector<T>(n),
             std::vector<T>(n, none_),
             {},
             std::vector<int>(n, 0)};
      distances.rows(sources[at], sources[at] + 1, [&](int, int, const int* words) {
        std::memcpy(row.distance.data(), words, n * sizeof(T));
      });
    }
  }

  Mismatch check() {
    forEachBand([&](int first, int count, const std::vector<T>& weights) {
      const std::vector<std::pair<int, int>> zeros = zerosIn(first, count, weights);
#pragma omp parallel for schedule(dynamic) if (n_ >= kWorthThreads)
      for (std::size_t at = 0; at < rows_.size(); ++at) {
        for (int k = first; k < first + count; ++k)
          relax(rows_[at], k, weights.data() + offset(k - first));
        keepZeros(rows_[at], zeros);
      }
    });
    Mismatch all;
    for (Checked<T>& row : rows_) add(all, verdictOf(row));
    return all;
  }

 private:
  static int wordOf(T number) {
    int word;
    std::memcpy(&word, &number, sizeof word);
    return word;
  }

  std::size_t offset(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n_);
  }

  /// Reads rows of the graph. words: room for them.
  void read(int first, int count, std::vector<int>& words, std::vector<T>& weights) const {
    graph_.rows(first, count, words.data());
    std::memcpy(weights.data(), words.data(), offset(count) * sizeof(T));
  }

  /// Calls visit(first row, count, rows of weights) for all rows of the graph.
  template <class Visit>
  void forEachBand(Visit visit) {
    const int band = std::min(rowsAtATime(n_), n_);
    std::vector<int> words(offset(band));
    std::vector<T> weights(words.size());
    Progress rows("Bellman's equation", static_cast<std::uint64_t>(n_));
    for (int first = 0; first < n_; first += band) {
      const int count = std::min(band, n_ - first);
      read(first, count, words, weights);
      visit(first, count, weights);
      rows.advance(static_cast<std::uint64_t>(count));
    }
  }

  /// Takes the edges from k. weights: (n).
  void relax(Checked<T>& row, int k, const T* weights) {
    const T from = row.distance[static_cast<std::size_t>(k)];
    if (!(from < none_)) return;
    constexpr bool exact = std::is_same_v<T, int>;
    const T slack = static_cast<T>(allowed_);
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
    return kMostZeros * static_cast<std::size_t>(n_);
  }

  void keepZeros(Checked<T>& row, const std::vector<std::pair<int, int>>& zeros) const {
    for (const auto& [k, j] : zeros) {
      if (row.zeros.size() > most()) return;
      const T from = row.distance[static_cast<std::size_t>(k)];
      if (from < none_ && agree(row.distance[static_cast<std::size_t>(j)], from))
        row.zeros.emplace_back(k, j);
    }
  }

  /// Passes on along edges of weight 0 that a vertex is grounded. Returns whether all are then.
  bool groundAll(Checked<T>& row) const {
    const auto grounded = [&](int vertex) -> int& {
      return row.grounded[static_cast<std::size_t>(vertex)];
    };
    grounded(row.source) = 1;
    std::sort(row.zeros.begin(), row.zeros.end());
    std::vector<int> queue(static_cast<std::size_t>(n_));
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
      if (row.distance[static_cast<std::size_t>(j)] < none_ && !grounded(j)) return false;
    return true;
  }

  bool agree(T got, T expected) const {
    return ::agree(got, std::min(expected, none_), allowed_);
  }

  Mismatch verdictOf(Checked<T>& row) {
    Mismatch found;
    for (int j = 0; j < n_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const T expected = j == row.source ? T(0) : row.best[at];
      if (!agree(row.distance[at], expected)) note(found, row, j, expected);
    }
    return found.count == 0 && !groundAll(row) ? walk(row) : found;
  }

  void note(Mismatch& found, const Checked<T>& row, int j, T expected) const {
    const T got = row.distance[static_cast<std::size_t>(j)];
    if (found.count++ == 0)
      found = {1, row.source, j, wordOf(std::min(expected, none_)), wordOf(got)};
  }

  /// Goes from the source along all edges that satisfy the equation. Vertices below infinity that
  /// it does not reach are wrong.
  Mismatch walk(const Checked<T>& row) {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<int> queue = {row.source}, words(n);
    std::vector<T> weights(n);
    std::vector<char> reached(n, 0);
    std::vector<T> best(n, none_);  // over the edges from vertices that are reached
    reached[static_cast<std::size_t>(row.source)] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      read(queue[next], 1, words, weights);
      const T from = row.distance[static_cast<std::size_t>(queue[next])];
      for (std::size_t j = 0; j < n; ++j) {
        const T through = from + weights[j];
        best[j] = std::min(best[j], through);
        if (reached[j] != 0 || !(row.distance[j] < none_) || !agree(row.distance[j], through))
          continue;
        reached[j] = 1;
        queue.push_back(static_cast<int>(j));
      }
    }
    Mismatch found;
    for (int j = 0; j < n_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (reached[at] == 0 && row.distance[at] < none_) note(found, row, j, best[at]);
    }
    return found;
  }

  const ProblemGraph& graph_;
  int n_;
  T none_;
  double allowed_;
  std::vector<Checked<T>> rows_;
};

}  // namespace

std::size_t bellmanBytes(const ProblemGraph& graph, int rows) {
  if (graph.unread()) return 0;  // how many edges there are is not known yet
  if (graph.heldAsEdges()) return graph.hostBytes() + arcsBytes(graph.onHost());
  const int n = graph.n();
  const auto all = static_cast<std::size_t>(n);
  const auto some = static_cast<std::size_t>(std::min(n, rows));
  return all * (some * (3 + 2 * kMostZeros) * sizeof(int) +
                static_cast<std::size_t>(std::min(n, rowsAtATime(n))) * 2 * sizeof(int));
}

Verdict verifyByBellman(const ProblemGraph& graph, const Distances& distances, int rows,
                        const Device& device) {
  if (graph.heldAsEdges()) return verifyByArcs(graph.onHost(), distances, rows, device);
  const std::vector<int> sources = drawRows(distances.rowCount(), rows);  // of the rows
  Verdict verdict{
      within(fmt::format("bellman:{}", sources.size()), tolerance(graph.n(), graph.dtype(), 2)),
      {}};
  const std::vector<int> doubtful = doubtfulByMatrix(graph, distances, sources, device);
  if (doubtful.empty()) return verdict;
  verdict.mismatch = graph.dtype() == Dtype::kInt32
                         ? Bellman<int>(graph, distances, doubtful).check()
                         : Bellman<float>(graph, distances, doubtful).check();
  return verdict;
}
