// Bounds on eccentricities (Takes and Kosters 2011; of directed graphs Borassi and others, 2015).
//
// Let e(v) be the eccentricity of v. A search from w finds e(w), and a search backwards finds
// d(v, w). For every v that reaches w, e(v) >= d(v, w). If v and w are in one strong component,
// they reach the same vertices. Then e(v) <= d(v, w) + e(w), because each of these is at most so
// far, and e(v) >= e(w) - d(w, v), because w reaches its farthest vertex through v.
//
// Between components. A pivot is chosen in each component. Its eccentricity is at most the largest
// of two kinds of lengths: the distances within the component; and for each component behind an
// edge that leads out, the length of some way to the pivot there, plus the bound of that pivot. The
// components are done in an order in which all edges lead back. A vertex is at most as eccentric as
// its way to its pivot is long, plus the bound of the pivot.
//
// The vertex whose upper bound is the largest is searched from next, and the one whose lower bound
// is the least, because these may be the extremes. It ends when each vertex that may be in the
// periphery or the center has been searched from. If that takes too many searches, the rows of what
// is left are solved, and looked at a few at a time. Sums of reals are rounded, so their bounds
// have some room.
#include "search/extremes.h"

#include <omp.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

#include "base/clock.h"
#include "base/progress.h"
#include "base/structure.h"
#include "base/thread_team.h"
#include "search/bounded_search.h"
#include "search/eccentricities.h"

namespace {

/// So many vertices are searched from before rows of what is left are solved.
constexpr int kMostSearched = 200;
/// The bounds between components are found anew after so many rounds.
constexpr int kRounds = 4;

template <class T>
class Bounds {
 public:
  Bounds(int n, const Edges<T>& edges)
      : lists_(n, edges),
        back_(lists_.reversed()),
        symmetric_(back_ == lists_),
        component_(strongComponentsOf(n, edges)),
        lower_(asSize(n), T(0)),
        upper_(asSize(n), kInfinity<T>),
        far_(asSize(n), -1),
        room_(std::is_integral_v<T> ? 0 : 8.0 * n * roundingOf(kDtype<T>)) {
    for (const int c : component_) components_ = std::max(components_, c + 1);
  }

  int n() const { return lists_.vertices(); }
  std::size_t searches() const { return searches_; }

  /// Searches from vertices that may be extreme, until none is left or so many were searched from.
  /// Those that are left.
  std::vector<int> search(int most) {
    const int threads = std::max(1, omp_get_max_threads());
    for (int i = 0; i < threads; ++i) {
      forwards_.push_back(std::make_unique<BoundedSearch<T>>(lists_));
      backwards_.push_back(std::make_unique<BoundedSearch<T>>(back_));
    }
    if (n() == 0) return {};
    findRoots();
    Progress progress("searching");
    int searched = 0;
    for (int round = 0; searched < most; ++round) {
      if (components_ > 1 && round % kRounds == 0) boundBetweenComponents();
      const std::vector<int> next = candidates(threads);
      if (next.empty()) return {};
      searchFrom(next);
      searched += static_cast<int>(next.size());
      throwIfCancelled();
    }
    std::vector<int> left;
    for (int v = 0; v < n(); ++v)
      if (isOpen(v)) left.push_back(v);
    return left;
  }

  /// Whether the vertex may be in the periphery or the center, and was not searched from.
  bool isOpen(int v) const { return !isSettled(v) && (mayBeFar(v) || mayBeCentral(v)); }

  /// Takes what is known of a vertex from its distances: the largest, and to whom; −1 if it reaches
  /// none.
  void settle(int v, T eccentricity, int far) {
    lower_[asSize(v)] = upper_[asSize(v)] = eccentricity;
    far_[asSize(v)] = far >= 0 ? far : v;
    if (reachesAll(v)) least_ = std::min(least_, eccentricity);
    largest_ = std::max(largest_, eccentricity);
  }

  Extremes result() const {
    Extremes found;
    found.diameter = largest_;
    if (least_ < kInfinity<T>) found.radius = least_;
    for (int v = 0; v < n(); ++v) {
      if (!isSettled(v)) continue;
      if (lower_[asSize(v)] == largest_ && far_[asSize(v)] != v)
        found.periphery.emplace_back(v, far_[asSize(v)]);
      if (reachesAll(v) && lower_[asSize(v)] == least_)
        found.center.emplace_back(v, far_[asSize(v)]);
    }
    found.searches = searches_;
    return found;
  }

 private:
  bool isSettled(int v) const { return far_[asSize(v)] >= 0; }
  bool reachesAll(int v) const { return component_[asSize(v)] == root_; }
  bool mayBeCentral(int v) const { return reachesAll(v) && lower_[asSize(v)] <= least_; }
  bool mayBeFar(int v) const { return upper_[asSize(v)] >= largest_ && upper_[asSize(v)] > 0; }

  /// Bounds of reals are a little wider than they were computed.
  T down(T bound) const {
    return std::is_integral_v<T> ? bound : static_cast<T>(static_cast<double>(bound) * (1 - room_));
  }
  T up(T bound) const {
    return std::is_integral_v<T> ? bound : static_cast<T>(static_cast<double>(bound) * (1 + room_));
  }

  /// If there are vertices that reach all others, they are the last component.
  void findRoots() {
    const auto found = std::find(component_.begin(), component_.end(), components_ - 1);
    const int vertex = static_cast<int>(found - component_.begin());
    ++searches_;
    if (static_cast<int>(searchOne(0, vertex, false).size()) == n() - 1) root_ = components_ - 1;
  }

  const std::vector<Found<T>>& searchOne(int thread, int vertex, bool back) {
    BoundedSearch<T>& search = *(back ? backwards_ : forwards_)[asSize(thread)];
    const auto& found = search.from(vertex, kFarthest<T>);
    if (search.tooFar()) tooFar_ = true;
    return found;
  }

  /// Vertices to search from next: by turns one whose upper bound is the largest, and one whose
  /// lower bound is the least. Of equal bounds, those come first whose other bound is nearer.
  std::vector<int> candidates(int most) const {
    std::vector<int> far, near, all;
    for (int v = 0; v < n(); ++v) {
      if (isSettled(v)) continue;
      if (mayBeFar(v)) far.push_back(v);
      if (mayBeCentral(v)) near.push_back(v);
    }
    // Distances from the middle of a component bound its vertices best.
    if (near.empty() && !far.empty()) {
      const int top = *std::max_element(far.begin(), far.end(), [&](int a, int b) {
        return upper_[asSize(a)] < upper_[asSize(b)];
      });
      for (int v = 0; v < n(); ++v)
        if (!isSettled(v) && component_[asSize(v)] == component_[asSize(top)]) near.push_back(v);
    }
    const auto take = [&](std::vector<int>& from, const auto& before) {
      const auto some = std::min(from.size(), asSize(most));
      std::partial_sort(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(some), from.end(),
                        before);
      from.resize(some);
    };
    take(far, [&](int a, int b) {
      return std::tuple(-upper_[asSize(a)], -lower_[asSize(a)], a) <
             std::tuple(-upper_[asSize(b)], -lower_[asSize(b)], b);
    });
    take(near, [&](int a, int b) {
      return std::tuple(lower_[asSize(a)], upper_[asSize(a)], a) <
             std::tuple(lower_[asSize(b)], upper_[asSize(b)], b);
    });
    for (std::size_t i = 0; i < std::max(far.size(), near.size()); ++i)
      for (const std::vector<int>* from : {&far, &near})
        if (i < from->size() && all.size() < asSize(most) &&
            std::find(all.begin(), all.end(), from->at(i)) == all.end())
          all.push_back(from->at(i));
    return all;
  }

  void searchFrom(const std::vector<int>& vertices) {
    const int count = static_cast<int>(vertices.size()), ways = symmetric_ ? 1 : 2;
    std::vector<const std::vector<Found<T>>*> found(asSize(count * ways));
    runPhases({{count * ways,
                [&](int task) {
                  found[asSize(task)] =
                      &searchOne(task / ways, vertices[asSize(task / ways)], task % ways == 1);
                }}},
              count * ways);
    if (tooFar_) failTooFar<T>();
    searches_ += asSize(count * ways);
    for (int i = 0; i < count; ++i) {
      const auto& out = *found[asSize(i * ways)];
      const auto& in = *found[asSize(i * ways + ways - 1)];
      const int w = vertices[asSize(i)];
      settle(w, out.empty() ? T(0) : out.back().distance, out.empty() ? -1 : out.back().vertex);
      learn(w, out, in);
    }
  }

  /// What the distances from and to a vertex say of the others.
  void learn(int w, const std::vector<Found<T>>& out, const std::vector<Found<T>>& in) {
    const T own = lower_[asSize(w)];
    const auto same = [&](int v) { return component_[asSize(v)] == component_[asSize(w)]; };
    for (const auto& [distance, v] : out)
      if (same(v) && own > distance) raise(v, own - distance);
    for (const auto& [distance, v] : in) {
      raise(v, distance);
      if (same(v)) lower(v, distance + own);
    }
  }

  void raise(int v, T bound) {
    if (isSettled(v)) return;
    lower_[asSize(v)] = std::max(lower_[asSize(v)], down(bound));
    largest_ = std::max(largest_, down(bound));
  }
  void lower(int v, T bound) {
    if (!isSettled(v)) upper_[asSize(v)] = std::min(upper_[asSize(v)], up(bound));
  }

  /// Of each component the vertex whose bound is the least: it is probably in the middle.
  std::vector<int> pivots() const {
    std::vector<int> all(asSize(components_), -1);
    for (int v = 0; v < n(); ++v) {
      int& pivot = all[asSize(component_[asSize(v)])];
      if (pivot < 0 || upper_[asSize(v)] < upper_[asSize(pivot)]) pivot = v;
    }
    return all;
  }

  /// The distances within components from their pivots.
  std::vector<T> within(const EdgeLists<T>& lists, const std::vector<int>& pivots) const {
    std::vector<T> distance(asSize(n()), kInfinity<T>);
    std::vector<Found<T>> heap;
    const auto put = [&](int vertex, T length) {
      distance[asSize(vertex)] = length;
      heap.push_back({length, vertex});
      std::push_heap(heap.begin(), heap.end(), Later());
    };
    for (const int pivot : pivots) put(pivot, 0);
    while (!heap.empty()) {
      const Found<T> next = heap.front();
      std::pop_heap(heap.begin(), heap.end(), Later());
      heap.pop_back();
      const auto u = asSize(next.vertex);
      if (next.distance != distance[u]) continue;
      for (std::size_t e = lists.starts[u]; e < lists.starts[u + 1]; ++e)
        if (const auto head = asSize(lists.heads[e]);
            component_[head] == component_[u] && next.distance + lists.weights[e] < distance[head])
          put(lists.heads[e], next.distance + lists.weights[e]);
    }
    return distance;
  }

  void boundBetweenComponents() {
    const std::vector<int> pivot = pivots();
    const std::vector<T> from = within(lists_, pivot), to = within(back_, pivot);
    searches_ += 2;
    struct Out {  // a way from the pivot of a component to that of another
      int component, other;
      T length;
    };
    std::vector<Out> ways;
    std::vector<T> bound(asSize(components_), T(0));
    for (std::size_t u = 0; u < asSize(n()); ++u) {
      T& own = bound[asSize(component_[u])];
      own = std::max(own, from[u]);
      for (std::size_t e = lists_.starts[u]; e < lists_.starts[u + 1]; ++e)
        if (const auto head = asSize(lists_.heads[e]); component_[head] != component_[u])
          ways.push_back(
              {component_[u], component_[head], plus(from[u], lists_.weights[e], to[head])});
    }
    std::sort(ways.begin(), ways.end(), [](const Out& a, const Out& b) {
      return std::tie(a.component, a.other, a.length) < std::tie(b.component, b.other, b.length);
    });
    std::size_t at = 0;
    for (int c = 0; c < components_; ++c) {
      T& own = bound[asSize(c)];
      for (int other = -1; at < ways.size() && ways[at].component == c; ++at)
        if (std::exchange(other, ways[at].other) != ways[at].other)
          own = std::max(own, plus(ways[at].length, bound[asSize(ways[at].other)], T(0)));
      own = std::min(own, upper_[asSize(pivot[asSize(c)])]);
    }
    for (std::size_t v = 0; v < asSize(n()); ++v)
      if (const T sum = plus(to[v], bound[asSize(component_[v])], T(0)); sum < kInfinity<T>)
        lower(static_cast<int>(v), sum);
  }

  /// The sum, or infinity if it is larger.
  static T plus(T a, T b, T c) {
    const T two = std::min(a + b, kInfinity<T>);
    return std::min(two + c, kInfinity<T>);
  }

  const EdgeLists<T> lists_, back_;
  const bool symmetric_;
  const std::vector<int> component_;
  int components_ = 0;
  int root_ = -1;  // the component whose vertices reach all others; −1: there is none
  std::vector<T> lower_, upper_;
  std::vector<int> far_;  // of each vertex that is settled: who is the farthest from it
  const double room_;     // of bounds, relative
  T largest_ = 0, least_ = kInfinity<T>;  // the extremes so far
  std::size_t searches_ = 0;
  std::atomic<bool> tooFar_{false};
  std::vector<std::unique_ptr<BoundedSearch<T>>> forwards_, backwards_;
};

template <class T>
Extremes extremesIn(int n, const Edges<T>& edges, const Execution& where, const Solver& whole) {
  Bounds<T> bounds(n, edges);
  // Only searches notice that a distance is too large for its type.
  const std::vector<int> left = bounds.search(mayBeTooFar(n, edges) ? n : kMostSearched);
  int solved = 0;
  if (!left.empty()) {
    Graph graph = emptyGraph(n, kDtype<T>);
    graph.edges<T>() = edges;
    const auto take = [&](int vertex, const Number& eccentricity, int far) {
      bounds.settle(vertex, std::get<T>(eccentricity), far);
    };
    solved = eccentricitiesOf(ProblemGraph(std::move(graph)), left, rowsTogether(n, kDtype<T>),
                              where, whole, {[&](int v) { return bounds.isOpen(v); }, take});
  }
  Extremes found = bounds.result();
  found.solved = solved;
  return found;
}

}  // namespace

Extremes extremesOf(const ProblemGraph& graph, const Execution& where, const Solver& whole) {
  const Graph& host = graph.onHost();
  Extremes found;
  const double milliseconds = millisecondsOf([&] {
    withType(host.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const Edges<T> edges = toEdges<T>(host);
      if constexpr (std::is_same_v<T, std::int32_t>)
        if (mayBeTooFar(host.n, edges)) {
          found = extremesIn(host.n, converted<std::int64_t>(edges), where, whole);
          return;
        }
      found = extremesIn(host.n, edges, where, whole);
    });
  });
  found.milliseconds = milliseconds;
  return found;
}
