// Dijkstra's algorithm (1959) from each source that is asked for. A heap holds vertices with the
// length of a walk to them. The vertex with the shortest one is final when it is taken: no walk
// through the others can be shorter, because no weight is negative. A vertex that gets a shorter
// walk is put in once more, and what is taken later for it is passed over. A search ends when all
// targets are final.
//
// The searches share the edges and nothing else, so threads take sources in turn.
//
// The choice. The time of a search is estimated from the numbers of edges and vertices. Searches
// are chosen if they take less time than ordering the vertices, with which the sparse method
// begins. If they take more, and the graph has no small separators, they are compared with the
// filtered and the dense method.
#include "search/search.h"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/clock.h"
#include "base/object_pool.h"
#include "base/progress.h"
#include "base/thread_team.h"
#include "sparse/elimination.h"
#include "sparse/pattern.h"

namespace {

/// Milliseconds that a search takes for each edge and each vertex, as far as can be told before it:
/// the heap's work and a cache miss for a vertex. docs/tuning.md compares this with what was
/// measured.
constexpr double kEdgeMs = 12e-6, kVertexMs = 70e-6;
/// Sources that the filtered solver takes forward together, at no more than the cost of one search.
constexpr double kTogether = 16;
/// Milliseconds for each edge to order and eliminate the vertices, and to make arcs of them.
constexpr double kOrderMs = 180e-6;

/// A graph's edges by the vertex that they leave, with weights of type T.
template <class T>
struct EdgeLists {
  std::vector<std::size_t> starts;  // (n + 1)
  std::vector<int> heads;           // of each edge
  std::vector<T> weights;

  EdgeLists(int n, const std::vector<Edge>& edges)
      : starts(edgeStarts(n, edges)), heads(edges.size()), weights(edges.size()) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      heads[e] = edges[e].to;
      if constexpr (std::is_same_v<T, float>)
        weights[e] = toFloat(edges[e].weight);
      else
        weights[e] = edges[e].weight;
    }
  }
  int vertices() const { return static_cast<int>(starts.size()) - 1; }
};

/// "No path".
template <class T>
constexpr T none() {
  if constexpr (std::is_same_v<T, float>)
    return std::numeric_limits<T>::infinity();
  else
    return kInf;
}

/// Searches from one source at a time, and keeps its memory for the next one.
template <class T>
class Search {
 public:
  /// isTarget: of each vertex; empty: all are targets. targets: how many there are.
  Search(const EdgeLists<T>& lists, const std::vector<char>& isTarget, int targets)
      : lists_(lists),
        isTarget_(isTarget),
        targets_(targets),
        distance_(static_cast<std::size_t>(lists.vertices())),
        final_(distance_.size()) {}

  /// The distances from a vertex to all targets, at their places. Those of other vertices may be
  /// lengths of walks. Valid until the next call.
  const std::vector<T>& from(int source) {
    std::fill(distance_.begin(), distance_.end(), none<T>());
    std::fill(final_.begin(), final_.end(), 0);
    heap_.clear();
    put(source, 0);
    for (int left = targets_; left > 0 && !heap_.empty();) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
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
  static bool later(const Walk& a, const Walk& b) { return a.first > b.first; }
  static std::size_t at(int vertex) { return static_cast<std::size_t>(vertex); }

  void put(int vertex, T length) {
    distance_[at(vertex)] = length;
    heap_.emplace_back(length, vertex);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  const EdgeLists<T>& lists_;
  const std::vector<char>& isTarget_;
  const int targets_;
  std::vector<T> distance_;
  std::vector<char> final_;
  std::vector<Walk> heap_;
};

/// The rows of a table, which are kept.
class FoundRows : public Distances {
 public:
  explicit FoundRows(const Problem& problem)
      : Distances(problem.graph.n(), problem.graph.dtype(), problem.asked) {}

  /// Takes the memory, before the time is taken.
  void place() { words_.assign(at(rowCount()) * at(columns()), 0); }
  int* row(int i) { return words_.data() + at(i) * at(columns()); }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, words_.data() + at(begin) * at(columns()));
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<int> words_;  // (rowCount(), columns())
};

template <class T>
void searchAll(int n, const std::vector<Edge>& edges, FoundRows& found) {
  const EdgeLists<T> lists(n, edges);
  std::vector<char> isTarget;
  int targets = n;
  if (found.columns() < n) {
    isTarget.assign(static_cast<std::size_t>(n), 0);
    for (int j = 0; j < found.columns(); ++j)
      isTarget[static_cast<std::size_t>(found.target(j))] = 1;
    targets = static_cast<int>(std::count(isTarget.begin(), isTarget.end(), 1));
  }
  const int threads = std::min(omp_get_max_threads(), std::max(1, found.rowCount()));
  ObjectPool<Search<T>> searches(
      threads, [&] { return std::make_shared<Search<T>>(lists, isTarget, targets); });
  Progress progress("searching", static_cast<std::uint64_t>(found.rowCount()));
  const auto search = [&](int i) {
    auto one = searches.take();
    const std::vector<T>& distances = one->from(found.source(i));
    int* const row = found.row(i);
    for (int j = 0; j < found.columns(); ++j) {
      const T distance = distances[static_cast<std::size_t>(found.target(j))];
      if constexpr (std::is_same_v<T, float>)
        row[j] = toWord(distance);
      else
        row[j] = distance;
    }
    searches.give(std::move(one));
    progress.advance();
  };
  runPhases({{found.rowCount(), search}}, threads);
}

/// The milliseconds that the searches are expected to take. Nothing if another method is expected
/// to take less.
std::optional<double> searchIfBest(int n, const std::vector<Edge>& edges, int sources) {
  const double m = static_cast<double>(edges.size()), threads = omp_get_max_threads();
  const double one = kEdgeMs * m + kVertexMs * n;
  const double together = std::max(one, one * sources / std::min<double>(threads, sources));
  if (together <= kOrderMs * m) return together;
  sparse::Rates rates;
  rates.threads = omp_get_max_threads();
  const double all = std::min(one * n / kTogether / threads, sparse::denseMilliseconds(n, rates));
  if (together > all || sparse::maySeparate(sparse::patternOf(n, edges))) return std::nullopt;
  return together;
}

bool maySearch(const Problem& problem, const Execution& where) {
  return where.device.kind() == DeviceKind::kCpu && !where.renumbers &&
         where.options.method == Method::kAuto && problem.asked != nullptr &&
         problem.graph.heldAsEdges() && !problem.graph.unread();
}

class SearchRun : public Run {
 public:
  SearchRun(const Problem& problem, const Execution& where)
      : graph_(problem.graph), known_(where.keepsPlan), found_(problem) {}

  void reset(int) override {
    graph_.onHost();
    found_.place();
  }

  Call solve() override {
    Call call;
    call.milliseconds = millisecondsOf([&] {
      const int n = graph_.n();
      const std::vector<Edge>& edges = graph_.onHost().edges();
      if (!known_) searchIfBest(n, edges, found_.rowCount());  // a part of the time
      if (graph_.dtype() == Dtype::kFloat32)
        searchAll<float>(n, edges, found_);
      else
        searchAll<int>(n, edges, found_);
    });
    call.outcome.method = Method::kSearch;
    if (graph_.dtype() == Dtype::kFloat32) call.outcome.tier = Tier::kFloat32;
    return call;
  }

  const Distances& distances() override { return found_; }

 private:
  const ProblemGraph& graph_;
  const bool known_;
  FoundRows found_;
};

}  // namespace

Solver orBySearch(Solver one) {
  Solver row = one;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (!maySearch(problem, where)) return one.plan(problem, where);
    const auto n = static_cast<std::size_t>(problem.graph.n());
    const std::vector<Edge>& edges = problem.graph.onHost().edges();
    const auto expected = searchIfBest(problem.graph.n(), edges, problem.rows());
    if (!expected) return one.plan(problem, where);
    Plan plan;
    plan.memory.device = sizeof(int) * (static_cast<std::size_t>(problem.rows()) *
                                            static_cast<std::size_t>(problem.columns()) +
                                        2 * edges.size()) +
                         n * (sizeof(std::size_t) + 1);
    // Of each search: distances, marks, and a heap with as many walks as edges at the most.
    const auto searches = static_cast<std::size_t>(std::min(omp_get_max_threads(), problem.rows()));
    plan.memory.device += searches * (n * (sizeof(int) + 1) + 2 * sizeof(int) * edges.size());
    plan.method = Method::kSearch;
    plan.place = Destination::kRows;
    plan.expected = *expected;
    plan.begin = [where](const Problem& given) {
      return std::make_unique<SearchRun>(given, where);
    };
    return plan;
  };
  return row;
}
