// Dijkstra's algorithm (1959) from each source that is asked for. A heap holds vertices with the
// length of a walk to them. The vertex with the shortest one is final when it is taken: no walk
// through the others can be shorter, because no weight is negative. A vertex that gets a shorter
// walk is put in once more, and what is taken later for it is passed over. A search ends when all
// targets are final.
//
// The searches share the edges and nothing else, so threads take sources in turn.
#include "search/search.h"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/object_pool.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "search/edge_lists.h"
#include "solver/costs.h"

namespace {

/// Milliseconds that a search takes for each edge and each vertex, as far as can be told before it:
/// the heap's work and a cache miss for a vertex. docs/tuning.md compares this with what was
/// measured.
constexpr double kEdgeMs = 12e-6, kVertexMs = 70e-6;

/// Searches from one source at a time, and keeps its memory for the next one.
template <class T>
class Search {
 public:
  /// isTarget: of each vertex; empty: all are targets. targets: how many there are.
  Search(const EdgeLists<T>& lists, const std::vector<char>& isTarget, int targets)
      : lists_(lists),
        isTarget_(isTarget),
        targets_(targets),
        distance_(asSize(lists.vertices())),
        final_(distance_.size()) {}

  /// The distances from a vertex to all targets, at their places. Those of other vertices may be
  /// lengths of walks. Valid until the next call.
  const std::vector<T>& from(int source) {
    std::fill(distance_.begin(), distance_.end(), kInfinity<T>);
    std::fill(final_.begin(), final_.end(), 0);
    heap_.clear();
    put(source, 0);
    for (int left = targets_; left > 0 && !heap_.empty();) {
      std::pop_heap(heap_.begin(), heap_.end(), Later());
      const int u = heap_.back().second;
      heap_.pop_back();
      if (std::exchange(final_[at(u)], 1) != 0) continue;
      if (isTarget_.empty() || isTarget_[at(u)] != 0) --left;
      for (std::size_t e = lists_.starts[at(u)]; e < lists_.starts[at(u) + 1]; ++e)
        if (const T length = distance_[at(u)] + lists_.weights[e];
            length < distance_[at(lists_.heads[e])])
          put(lists_.heads[e], length);
    }
    return distance_;
  }

 private:
  using Walk = std::pair<T, int>;  // its length, and where it ends
  struct Later {  // no function: the compiler would call it for each step of the heap
    bool operator()(const Walk& a, const Walk& b) const { return a.first > b.first; }
  };
  static std::size_t at(int vertex) { return asSize(vertex); }

  void put(int vertex, T length) {
    distance_[at(vertex)] = length;
    heap_.emplace_back(length, vertex);
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }

  const EdgeLists<T>& lists_;
  const std::vector<char>& isTarget_;
  const int targets_;
  std::vector<T> distance_;
  std::vector<char> final_;
  std::vector<Walk> heap_;
};

template <class T>
void searchAll(int n, const Edges<T>& edges, const Selection& asked, T* table) {
  const EdgeLists<T> lists(n, edges);
  const int rows = asked.rows(n), columns = asked.columns(n);
  std::vector<char> isTarget;
  int targets = n;
  if (!asked.targets.empty()) {
    isTarget.assign(asSize(n), 0);
    for (const int target : asked.targets) isTarget[asSize(target)] = 1;
    targets = static_cast<int>(std::count(isTarget.begin(), isTarget.end(), 1));
  }
  const int threads = std::min(omp_get_max_threads(), std::max(1, rows));
  ObjectPool<Search<T>> searches(
      threads, [&] { return std::make_shared<Search<T>>(lists, isTarget, targets); });
  Progress progress("searching", static_cast<std::uint64_t>(rows));
  const auto search = [&](int i) {
    auto one = searches.take();
    const std::vector<T>& distances = one->from(asked.source(i));
    T* const row = table + asSize(i) * asSize(columns);
    for (int j = 0; j < columns; ++j) row[j] = distances[asSize(asked.target(j))];
    searches.give(std::move(one));
    progress.advance();
  };
  runPhases({{rows, search}}, threads);
}

}  // namespace

void searchTable(const Graph& graph, const Selection& asked, Elements table) {
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    searchAll(graph.n, graph.edges<T>(), asked, table.as<T>());
  });
}

double searchMilliseconds(const Graph& graph) {
  return cpuCosts().search *
         (kEdgeMs * static_cast<double>(graph.edgeCount()) + kVertexMs * graph.n);
}

double searchMilliseconds(const Graph& graph, int sources) {
  const double one = searchMilliseconds(graph), threads = omp_get_max_threads();
  return std::max(one, one * sources / std::min<double>(threads, sources));
}

std::size_t searchBytes(const Graph& graph, int sources) {
  const std::size_t n = asSize(graph.n), edges = graph.edgeCount(), number = sizeOf(graph.dtype());
  // Of each search: distances, marks, and a heap with as many walks as edges at the most.
  const auto searches = asSize(std::min(omp_get_max_threads(), sources));
  return (sizeof(int) + number) * edges + n * (sizeof(std::size_t) + 1) +
         searches * (n * (number + 1) + 2 * number * edges);
}
