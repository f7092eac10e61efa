// Dijkstra's algorithm (1959) from each source that is asked for. A heap holds vertices with the
// length of a walk to them. The vertex with the shortest one is final when it is taken: no walk
// through the others can be shorter, because no weight is negative. A vertex that gets a shorter
// walk is put in once more, and what is taken later for it is passed over. A search ends when all
// targets are final.
//
// The searches share the edges and nothing else, so threads take sources in turn.
//
// The choice. The time of a search is estimated from the numbers of edges and vertices. Another
// method is chosen only if it is expected to take less time than all searches (sparse/choice.h).
// Relaxing and breadth-first searches find the rows of many sources together. A hierarchy is fast
// if the graph has small separators. For most sources, it is fastest to find all distances. A GPU
// takes about kGpuMs for each distance of the whole matrix; a few searches on the CPU take less.
#include "search/search.h"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/elements.h"
#include "base/graph.h"
#include "base/object_pool.h"
#include "base/progress.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "search/edge_lists.h"
#include "solver/costs.h"
#include "sparse/choice.h"
#include "sparse/elimination.h"

namespace {

/// Milliseconds that a search takes for each edge and each vertex, as far as can be told before it:
/// the heap's work and a cache miss for a vertex. docs/tuning.md compares this with what was
/// measured.
constexpr double kEdgeMs = 12e-6, kVertexMs = 70e-6;
/// Sources that the filtered solver takes forward together, at no more than the cost of one search.
constexpr double kTogether = 16;
/// Milliseconds for each edge to order and eliminate the vertices, and to make arcs of them.
constexpr double kOrderMs = 180e-6;
/// The same for each vertex. It counts only if a graph has fewer edges than vertices.
constexpr double kOrderVertexMs = 240e-6;
/// Milliseconds for each of all distances that a GPU takes, at about the least.
constexpr double kGpuMs = 4e-8;

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

/// The rows of a table, which are kept.
class FoundRows : public Distances {
 public:
  explicit FoundRows(const Problem& problem)
      : Distances(problem.graph.n(), problem.graph.dtype(), problem.asked) {}

  /// Takes the memory, before the time is taken.
  void place() { elements_.resize(dtype(), at(rowCount()) * at(columns())); }
  Elements row(int i) { return elements_.data() + at(i) * at(columns()); }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    visit(begin, end - begin, elements_.data() + at(begin) * at(columns()));
  }

 private:
  static std::size_t at(int i) { return asSize(i); }
  ElementBuffer elements_;  // (rowCount(), columns())
};

template <class T>
void searchAll(int n, const Edges<T>& edges, FoundRows& found) {
  const EdgeLists<T> lists(n, edges);
  std::vector<char> isTarget;
  int targets = n;
  if (found.columns() < n) {
    isTarget.assign(asSize(n), 0);
    for (int j = 0; j < found.columns(); ++j) isTarget[asSize(found.target(j))] = 1;
    targets = static_cast<int>(std::count(isTarget.begin(), isTarget.end(), 1));
  }
  const int threads = std::min(omp_get_max_threads(), std::max(1, found.rowCount()));
  ObjectPool<Search<T>> searches(
      threads, [&] { return std::make_shared<Search<T>>(lists, isTarget, targets); });
  Progress progress("searching", static_cast<std::uint64_t>(found.rowCount()));
  const auto search = [&](int i) {
    auto one = searches.take();
    const std::vector<T>& distances = one->from(found.source(i));
    T* const row = found.row(i).as<T>();
    for (int j = 0; j < found.columns(); ++j) row[j] = distances[asSize(found.target(j))];
    searches.give(std::move(one));
    progress.advance();
  };
  runPhases({{found.rowCount(), search}}, threads);
}

/// The milliseconds that the searches are expected to take. Nothing if another method is expected
/// to take less.
std::optional<double> searchIfBest(const Device& device, const Graph& graph,
                                   const Selection& asked) {
  const int n = graph.n, sources = asked.rows(n);
  const double m = static_cast<double>(graph.edgeCount()), threads = omp_get_max_threads();
  const double one = cpuCosts().search * (kEdgeMs * m + kVertexMs * n);
  const double together = std::max(one, one * sources / std::min<double>(threads, sources));
  if (device.kind() == DeviceKind::kGpu)
    return together <= kGpuMs * n * n ? std::optional(together) : std::nullopt;
  // Searches that take less time than ordering the vertices are the fastest way.
  const double order = kOrderMs * m + (m < n ? kOrderVertexMs * n : 0);
  if (together <= cpuCosts().sparse * order) return together;
  const double dense = sparse::denseMilliseconds(n, sparse::ratesOn(device, graph.dtype()));
  const double all = std::min(one * n / kTogether / threads, dense);
  if (together > all) return std::nullopt;
  // A relaxation is tried before it is chosen. Without memory for the trial, searches are chosen.
  const std::size_t looking = sparse::relaxedBytes(graph, asked);
  if (looking > device.freeFor(looking) / 4 * 3) return together;
  return sparse::bestWay({device, graph, &asked}, together).asMatrix() ? std::optional(together)
                                                                       : std::nullopt;
}

bool maySearch(const Problem& problem, const Execution& where) {
  return !where.renumbers && where.options.method == Method::kAuto && problem.asked != nullptr &&
         problem.graph.heldAsEdges() && !problem.graph.unread();
}

class SearchRun : public Run {
 public:
  SearchRun(const Problem& problem, const Execution& where)
      : device_(where.device),
        graph_(problem.graph),
        asked_(*problem.asked),
        known_(where.keepsPlan),
        found_(problem) {}

  void reset(int) override {
    graph_.onHost();
    found_.place();
  }

  Call solve() override {
    Call call;
    call.milliseconds = millisecondsOf([&] {
      const Graph& graph = graph_.onHost();
      if (!known_) searchIfBest(device_, graph, asked_);  // a part of the time
      withEdges(graph, [&](const auto& edges) { searchAll(graph.n, edges, found_); });
    });
    call.outcome.method = Method::kSearch;
    call.outcome.tier = tierOf(graph_.dtype());
    return call;
  }

  const Distances& distances() override { return found_; }

 private:
  const Device& device_;
  const ProblemGraph& graph_;
  const Selection& asked_;
  const bool known_;
  FoundRows found_;
};

}  // namespace

Solver orBySearch(Solver one) {
  Solver row = one;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (!maySearch(problem, where)) return one.plan(problem, where);
    const auto n = asSize(problem.graph.n());
    const Graph& graph = problem.graph.onHost();
    const std::size_t edges = graph.edgeCount(), number = sizeOf(graph.dtype());
    const auto expected = searchIfBest(where.device, graph, *problem.asked);
    if (!expected) return one.plan(problem, where);
    Plan plan;
    const bool gpu = where.device.kind() == DeviceKind::kGpu;
    std::size_t& bytes = gpu ? plan.memory.host : plan.memory.device;
    bytes = number * asSize(problem.rows()) * asSize(problem.columns()) +
            (sizeof(int) + number) * edges + n * (sizeof(std::size_t) + 1);
    // Of each search: distances, marks, and a heap with as many walks as edges at the most.
    const auto searches = asSize(std::min(omp_get_max_threads(), problem.rows()));
    bytes += searches * (n * (number + 1) + 2 * number * edges);
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
