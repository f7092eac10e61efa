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

namespace engine {

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

/// The searches of a table, which share the lists of edges. asked: a reference is kept.
template <class T>
class Searches {
 public:
  Searches(const Graph& graph, const Selection& asked)
      : n_(graph.n),
        asked_(asked),
        lists_(n_, graph.edges<T>()),
        isTarget_(marksOf(asked.targets, n_)),
        targets_(isTarget_.empty()
                     ? n_
                     : static_cast<int>(std::count(isTarget_.begin(), isTarget_.end(), 1))),
        threads_(std::min(omp_get_max_threads(), std::max(1, asked.rows(n_)))),
        searches_(threads_,
                  [this] { return std::make_shared<Search<T>>(lists_, isTarget_, targets_); }) {}

  /// Writes `count` rows, from row `first` on: (count, columns).
  void solve(int first, int count, T* rows) {
    const int columns = asked_.columns(n_);
    Progress progress("searching", static_cast<std::uint64_t>(count));
    const auto search = [&](int i) {
      auto one = searches_.take();
      const std::vector<T>& distances = one->from(asked_.source(first + i));
      T* const row = rows + asSize(i) * asSize(columns);
      for (int j = 0; j < columns; ++j) row[j] = distances[asSize(asked_.target(j))];
      searches_.give(std::move(one));
      progress.advance();
    };
    runPhases({{count, search}}, threads_);
  }

 private:
  static std::vector<char> marksOf(const std::vector<int>& targets, int n) {
    std::vector<char> marks;
    if (!targets.empty()) marks.assign(asSize(n), 0);
    for (const int target : targets) marks[asSize(target)] = 1;
    return marks;
  }

  const int n_;
  const Selection& asked_;
  const EdgeLists<T> lists_;
  const std::vector<char> isTarget_;  // of each vertex; empty: all are targets
  const int targets_, threads_;
  ObjectPool<Search<T>> searches_;
};

}  // namespace

FindRows searchesOf(const Graph& graph, const Selection& asked) {
  return withType(graph.dtype(), [&](auto zero) -> FindRows {
    using T = decltype(zero);
    const auto searches = std::make_shared<Searches<T>>(graph, asked);
    return [searches](int first, int count, Elements rows) {
      searches->solve(first, count, rows.as<T>());
    };
  });
}

double searchMilliseconds(const Graph& graph) {
  return cpuCosts().search *
         (kEdgeMs * static_cast<double>(graph.edgeCount()) + kVertexMs * graph.n);
}

double searchMilliseconds(const Graph& graph, int sources) {
  const double one = searchMilliseconds(graph);
  return std::max(one, one * sources / speedOf(std::min(omp_get_max_threads(), sources)));
}

std::size_t searchBytes(const Graph& graph, int sources) {
  const std::size_t n = asSize(graph.n), edges = graph.edgeCount(), number = sizeOf(graph.dtype());
  // Of each search: distances, marks, and a heap with as many walks as edges at the most.
  const auto searches = asSize(std::min(omp_get_max_threads(), sources));
  return (sizeof(int) + number) * edges + n * (sizeof(std::size_t) + 1) +
         searches * (n * (number + 1) + 2 * number * edges);
}

}  // namespace engine
