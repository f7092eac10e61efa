// Bounds on eccentricities (Takes and Kosters 2011; of directed graphs Borassi and others, 2015).
//
// Let e(v) be the eccentricity of v. A search from w finds e(w), and a search backwards finds
// d(v, w). For every v that reaches w, e(v) >= d(v, w). If v and w are in one strong component,
// they reach the same vertices. Then e(v) <= d(v, w) + e(w), because each of these is at most so
// far, and e(v) >= e(w) - d(w, v), because w reaches its farthest vertex through v.
//
// Between components. A pivot is chosen in each component. Its eccentricity is at most the largest
// of two kinds of lengths: the distances within the component; and for each component into which
// edges lead, the length of some way along one of these edges, plus the bound of the vertex where
// the edge ends. One edge is enough, because its end reaches all that is behind the others. The
// components are done in an order in which all edges lead back. A vertex is at most as eccentric as
// its way to its pivot is long, plus the bound of the pivot.
//
// The vertex whose upper bound is the largest is searched from next, and the one whose lower bound
// is the least, because these may be the extremes. Third comes the one whose upper bound is the
// least, of the component with the most vertices that may be in the periphery: it bounds these
// best. It ends when each vertex that may be in the periphery or the center has been searched from.
// If that takes too many searches, the rows of what is left are solved, and looked at a few at a
// time. Sums of reals are rounded, so their bounds have some room.
//
// If all weights are equal, many vertices are searched from at once (bit_search.h), unless the graph
// is deep: then each search would meet a vertex at another level, and they would share nothing.
// First they are few, because bounds that are learned choose better ones.
#include "search/extremes.h"

#include <omp.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/clock.h"
#include "base/progress.h"
#include "base/structure.h"
#include "base/thread_team.h"
#include "search/bit_search.h"
#include "search/bounded_search.h"
#include "search/eccentricities.h"

namespace engine {

namespace {

/// So many vertices are searched from before rows of what is left are solved.
constexpr int kMostSearched = 256;
/// The bounds between components are found anew after so many rounds of searches by distance.
constexpr int kRounds = 4;
/// At first so many vertices are searched from together, if all weights are equal; each time, it is
/// so many times more.
constexpr int kFirstTogether = 3, kMoreTogether = 4;
/// The most levels of a search from a graph along which many vertices are searched from at once.
constexpr int kDeepest = 64;
/// Bytes of what searches along equal weights have met, in both directions, at the most, unless
/// kFirstTogether searches take more.
constexpr std::size_t kMetBytes = std::size_t{256} << 20;

/// The weight of all edges, if it is a whole one and no distance is too far: then a distance is
/// that many times the number of edges.
template <class T>
std::optional<T> levelOf(int n, const Edges<T>& edges) {
  if (!std::is_integral_v<T> || mayBeTooFar(n, edges)) return std::nullopt;
  const T weight = edges.empty() ? T(1) : edges.front().weight;
  const bool equal = std::all_of(edges.begin(), edges.end(),
                                 [&](const Edge<T>& edge) { return edge.weight == weight; });
  return equal ? std::optional(weight) : std::nullopt;
}

template <class T>
class Bounds {
 public:
  Bounds(int n, const Edges<T>& edges)
      : lists_(n, edges),
        back_(lists_.reversed()),
        symmetric_(back_ == lists_),
        level_(levelOf(n, edges)),
        component_(strongComponentsOf(n, edges)),
        lower_(asSize(n), T(0)),
        upper_(asSize(n), kInfinity<T>),
        far_(asSize(n), -1),
        room_(std::is_integral_v<T> ? 0 : 8.0 * n * roundingOf(kDtype<T>)) {
    for (const int c : component_) components_ = std::max(components_, c + 1);
    firstMember_.assign(asSize(components_) + 1, 0);
    for (const int c : component_) ++firstMember_[asSize(c) + 1];
    std::partial_sum(firstMember_.begin(), firstMember_.end(), firstMember_.begin());
    members_.resize(asSize(n));
    std::vector<int> at(firstMember_.begin(), firstMember_.end() - 1);
    for (int v = 0; v < n; ++v) members_[asSize(at[asSize(component_[asSize(v)])]++)] = v;
  }

  int n() const { return lists_.vertices(); }
  std::size_t searches() const { return searches_; }

  /// Searches from vertices that may be extreme, until none is left or so many were searched from.
  /// Those that are left.
  std::vector<int> search(int most) {
    // By turns a vertex of each kind: fewer would never be of the third one.
    const int threads = std::max(1, omp_get_max_threads()), each = std::max(3, threads);
    if (n() == 0) return {};
    if (level_) bits_.assign(symmetric_ ? 1 : 2, BitSearch(n()));
    if (level_ && isDeep()) level_.reset();
    for (int i = 0; i < each && !level_; ++i) {
      forwards_.push_back(std::make_unique<BoundedSearch<T>>(lists_));
      backwards_.push_back(std::make_unique<BoundedSearch<T>>(back_));
    }
    findRoots();
    const auto room = static_cast<int>(std::clamp<std::size_t>(
        kMetBytes / (2 * sizeof(Met) * asSize(n())), kFirstTogether, asSize(BitSearch::kMost)));
    Progress progress("searching");
    int searched = 0, together = level_ ? kFirstTogether : each;
    for (int round = 0; searched < most; ++round) {
      if (components_ > 1 && (level_ || round % kRounds == 0)) boundBetweenComponents();
      const std::vector<int> next = candidates(together);
      if (next.empty()) return {};
      level_ ? searchLevels(next, threads) : searchFrom(next, threads);
      searched += static_cast<int>(next.size());
      if (level_) together = std::min(kMoreTogether * together, room);
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

  /// A vertex of the component from which no edge leads back.
  int firstOfLast() const {
    const auto found = std::find(component_.begin(), component_.end(), components_ - 1);
    return static_cast<int>(found - component_.begin());
  }

  bool isDeep() {
    const int vertex = firstOfLast();
    ++searches_;
    return bits_[0].from(lists_, &vertex, 1).back().level > kDeepest;
  }

  /// If there are vertices that reach all others, they are the last component.
  void findRoots() {
    const int vertex = firstOfLast();
    ++searches_;
    const std::size_t reached =
        level_ ? bits_[0].from(lists_, &vertex, 1).size() - 1 : searchOne(0, vertex, false).size();
    if (reached == asSize(n() - 1)) root_ = components_ - 1;
  }

  const std::vector<Found<T>>& searchOne(int thread, int vertex, bool back) {
    BoundedSearch<T>& search = *(back ? backwards_ : forwards_)[asSize(thread)];
    const auto& found = search.from(vertex, kFarthest<T>);
    if (search.tooFar()) tooFar_ = true;
    return found;
  }

  /// The vertices that were not searched from, of the component that has the most of these.
  std::vector<int> around(const std::vector<int>& vertices) const {
    std::vector<int> counts(asSize(components_), 0), around;
    for (const int v : vertices) ++counts[asSize(component_[asSize(v)])];
    const auto most = std::max_element(counts.begin(), counts.end());
    if (most == counts.end() || *most == 0) return {};
    const auto c = asSize(most - counts.begin());
    for (int i = firstMember_[c]; i < firstMember_[c + 1]; ++i)
      if (!isSettled(members_[asSize(i)])) around.push_back(members_[asSize(i)]);
    return around;
  }

  /// Vertices to search from next: by turns one whose upper bound is the largest, one whose lower
  /// bound is the least, and one whose upper bound is the least. Of equal bounds, those come first
  /// whose other bound is nearer.
  std::vector<int> candidates(int most) const {
    std::vector<int> far, near;
    for (int v = 0; v < n(); ++v) {
      if (isSettled(v)) continue;
      if (mayBeFar(v)) far.push_back(v);
      if (mayBeCentral(v)) near.push_back(v);
    }
    // Distances from the middle of a component bound its vertices best.
    std::vector<int> middle = around(far);
    if (near.empty()) near = middle;
    const auto take = [&](std::vector<int>& from, const auto& key) {
      const auto some = std::min(from.size(), asSize(most));
      std::partial_sort(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(some), from.end(),
                        [&](int a, int b) { return key(a) < key(b); });
      from.resize(some);
    };
    take(far, [&](int v) { return std::tuple(-upper_[asSize(v)], -lower_[asSize(v)], v); });
    take(near, [&](int v) { return std::tuple(lower_[asSize(v)], upper_[asSize(v)], v); });
    take(middle, [&](int v) { return std::tuple(upper_[asSize(v)], lower_[asSize(v)], v); });
    std::vector<int> all;
    for (std::size_t i = 0; i < std::max({far.size(), near.size(), middle.size()}); ++i)
      for (const std::vector<int>* from : {&far, &near, &middle})
        if (i < from->size() && all.size() < asSize(most) &&
            std::find(all.begin(), all.end(), from->at(i)) == all.end())
          all.push_back(from->at(i));
    return all;
  }

  void searchFrom(const std::vector<int>& vertices, int threads) {
    const int count = static_cast<int>(vertices.size()), ways = symmetric_ ? 1 : 2;
    std::vector<const std::vector<Found<T>>*> found(asSize(count * ways));
    runPhases({{count * ways,
                [&](int task) {
                  found[asSize(task)] =
                      &searchOne(task / ways, vertices[asSize(task / ways)], task % ways == 1);
                }}},
              threads);
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

  /// The same if all weights are equal: from all these vertices at once.
  void searchLevels(const std::vector<int>& vertices, int threads) {
    const int count = static_cast<int>(vertices.size()), ways = static_cast<int>(bits_.size());
    const std::vector<Met>* met[2] = {};
    runPhases({{ways,
                [&](int way) {
                  met[way] =
                      &bits_[asSize(way)].from(way == 0 ? lists_ : back_, vertices.data(), count);
                }}},
              threads);
    searches_ += asSize(count * ways);
    const std::vector<Met>&out = *met[0], &in = *met[ways - 1];
    settleAll(vertices, out);
    learnLevels(vertices, out, in);
  }

  /// The last time that a search meets a vertex, it is the farthest.
  void settleAll(const std::vector<int>& vertices, const std::vector<Met>& out) {
    std::vector<std::pair<int, int>> last(vertices.size(), {0, -1});  // level and vertex
    std::uint64_t left = ~std::uint64_t{0};
    for (auto met = out.rbegin(); met != out.rend() && met->level > 0; ++met) {
      for (std::uint64_t bits = met->sources & left; bits != 0; bits &= bits - 1)
        last[asSize(__builtin_ctzll(bits))] = {met->level, met->vertex};
      left &= ~met->sources;
    }
    for (std::size_t k = 0; k < vertices.size(); ++k)
      settle(vertices[k], static_cast<T>(last[k].first) * *level_, last[k].second);
  }

  /// What learn() says, for all searches. Of those that meet a vertex at the same time, only the
  /// least and the largest eccentricity matter.
  void learnLevels(const std::vector<int>& vertices, const std::vector<Met>& out,
                   const std::vector<Met>& in) {
    std::vector<std::uint64_t> begun(asSize(components_), 0);  // the searches from each component
    std::map<T, std::uint64_t> searches;                       // from vertices so eccentric
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const auto w = asSize(vertices[k]);
      begun[asSize(component_[w])] |= std::uint64_t{1} << k;
      searches[lower_[w]] |= std::uint64_t{1} << k;
    }
    const std::vector<std::pair<T, std::uint64_t>> owns(searches.begin(), searches.end());
    const auto same = [&](const Met& met) {
      return met.sources & begun[asSize(component_[asSize(met.vertex)])];
    };
    const auto meets = [](std::uint64_t sources) {
      return [sources](const auto& own) { return (own.second & sources) != 0; };
    };
    for (const Met& met : out) {
      const auto own = std::find_if(owns.rbegin(), owns.rend(), meets(same(met)));
      const T distance = static_cast<T>(met.level) * *level_;
      if (own != owns.rend() && own->first > distance) raise(met.vertex, own->first - distance);
    }
    for (const Met& met : in) {
      const auto own = std::find_if(owns.begin(), owns.end(), meets(same(met)));
      const T distance = static_cast<T>(met.level) * *level_;
      raise(met.vertex, distance);
      if (own != owns.end()) lower(met.vertex, distance + own->first);
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

  /// The distances within components from their pivots, unless these were searched from.
  std::vector<T> within(const EdgeLists<T>& lists, const std::vector<int>& pivots) const {
    std::vector<T> distance(asSize(n()), kInfinity<T>);
    std::vector<Found<T>> heap;
    const auto put = [&](int vertex, T length) {
      distance[asSize(vertex)] = length;
      heap.push_back({length, vertex});
      std::push_heap(heap.begin(), heap.end(), Later());
    };
    for (const int pivot : pivots) {
      if (isSettled(pivot)) continue;
      isAlone(pivot) ? void(distance[asSize(pivot)] = 0) : put(pivot, 0);
    }
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

  /// Whether the vertex is a component of its own.
  bool isAlone(int v) const {
    const auto c = asSize(component_[asSize(v)]);
    return firstMember_[c + 1] - firstMember_[c] == 1;
  }

  /// If a pivot was searched from, its component has learned as much from that.
  void boundBetweenComponents() {
    const std::vector<int> pivot = pivots();
    const std::vector<T> from = within(lists_, pivot), to = within(back_, pivot);
    if (std::any_of(pivot.begin(), pivot.end(),
                    [&](int v) { return !isSettled(v) && !isAlone(v); }))
      searches_ += 2;
    // Of each component into which edges lead: from which one, and the least of the ways.
    std::vector<int> entered(asSize(components_), -1), others;
    std::vector<T> least(asSize(components_));
    for (int c = 0; c < components_; ++c) {
      if (isSettled(pivot[asSize(c)])) continue;
      T bound = 0;
      others.clear();
      const auto members = [&](const auto& visit) {
        for (int i = firstMember_[asSize(c)]; i < firstMember_[asSize(c) + 1]; ++i)
          visit(asSize(members_[asSize(i)]));
      };
      members([&](std::size_t u) {
        bound = std::max(bound, from[u]);
        for (std::size_t e = lists_.starts[u]; e < lists_.starts[u + 1]; ++e) {
          const auto head = asSize(lists_.heads[e]), other = asSize(component_[head]);
          if (component_[head] == c) continue;
          const T length = plus(from[u], lists_.weights[e], upper_[head]);
          if (std::exchange(entered[other], c) != c) {
            others.push_back(component_[head]);
            least[other] = length;
          }
          least[other] = std::min(least[other], length);
        }
      });
      for (const int other : others) bound = std::max(bound, least[asSize(other)]);
      bound = std::min(bound, upper_[asSize(pivot[asSize(c)])]);
      members([&](std::size_t v) {
        if (const T sum = plus(to[v], bound, T(0)); sum < kInfinity<T>)
          lower(static_cast<int>(v), sum);
      });
    }
  }

  /// The sum, or infinity if it is larger.
  static T plus(T a, T b, T c) {
    const T two = std::min(a + b, kInfinity<T>);
    return std::min(two + c, kInfinity<T>);
  }

  const EdgeLists<T> lists_, back_;
  const bool symmetric_;
  std::optional<T> level_;  // the weight of all edges, if they are searched along by levels
  const std::vector<int> component_;
  int components_ = 0;
  std::vector<int> members_, firstMember_;  // of each component
  int root_ = -1;  // the component whose vertices reach all others; −1: there is none
  std::vector<T> lower_, upper_;
  std::vector<int> far_;  // of each vertex that is settled: who is the farthest from it
  const double room_;     // of bounds, relative
  T largest_ = 0, least_ = kInfinity<T>;  // the extremes so far
  std::size_t searches_ = 0;
  std::atomic<bool> tooFar_{false};
  std::vector<std::unique_ptr<BoundedSearch<T>>> forwards_, backwards_;
  std::vector<BitSearch> bits_;
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

}  // namespace engine
