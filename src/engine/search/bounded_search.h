// Dijkstra's algorithm (1959) from one source at a time, which ends early: at a limit, or when
// enough targets are found. Its time depends on what it finds, not on the graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "search/edge_lists.h"
#include "solver/range.h"

namespace engine {

/// The largest distance of a type.
template <class T>
inline constexpr T kFarthest = std::is_integral_v<T> ? kInfinity<T> - 1
                                                     : std::numeric_limits<T>::max();

/// Whether a path of n vertices may be as long as the infinity of its type.
template <class T>
bool mayBeTooFar(int n, const Edges<T>& edges) {
  T heaviest = 0;
  for (const Edge<T>& edge : edges) heaviest = std::max(heaviest, edge.weight);
  return static_cast<double>(heaviest) * n >= static_cast<double>(kFarthest<T>) / 2;
}

/// Throws RangeError: a distance reaches the infinity of its type.
template <class T>
[[noreturn]] void failTooFar() {
  throw RangeError("a distance is " + limitText(kDtype<T>) + " or more, which " + nameOf(kDtype<T>) +
                   " does not hold: " + widerThan(kDtype<T>) + "scale the weights down");
}

/// A vertex, and how far it is.
template <class T>
struct Found {
  T distance;
  int vertex;
  bool operator<(const Found& other) const {
    return distance != other.distance ? distance < other.distance : vertex < other.vertex;
  }
};

/// The order of a heap whose front is the nearest.
struct Later {
  template <class T>
  bool operator()(const Found<T>& a, const Found<T>& b) const {
    return a.distance > b.distance;
  }
};

template <class T>
class BoundedSearch {
 public:
  /// Keeps a reference.
  explicit BoundedSearch(const EdgeLists<T>& lists)
      : lists_(lists),
        distance_(asSize(lists.vertices()), kInfinity<T>),
        before_(distance_.size(), -1) {}

  /// The vertices up to `limit` from a source, nearest first, without the source. most: it ends
  /// when so many wanted vertices are found; those as far as the last one are found, too. wanted:
  /// of each vertex; empty: all. Only wanted vertices are given. Valid until the next call.
  const std::vector<Found<T>>& from(int source, T limit, const std::vector<char>& wanted = {},
                                    std::size_t most = std::numeric_limits<std::size_t>::max()) {
    for (const int v : touched_) distance_[asSize(v)] = kInfinity<T>, before_[asSize(v)] = -1;
    touched_.clear();
    found_.clear();
    heap_.clear();
    beyond_.clear();
    looked_ = 0;
    if (most == 0) return found_;
    put(source, source, 0);
    while (!heap_.empty()) {
      const Found<T> next = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), Later());
      heap_.pop_back();
      const auto u = asSize(next.vertex);
      if (next.distance > limit) break;
      if (next.distance != distance_[u]) continue;  // it was nearer, and is settled
      if (next.vertex != source && (wanted.empty() || wanted[u] != 0)) {
        found_.push_back(next);
        // From here on only those that are as near.
        if (found_.size() == most) limit = next.distance;
      }
      looked_ += lists_.starts[u + 1] - lists_.starts[u] + 1;
      for (std::size_t e = lists_.starts[u]; e < lists_.starts[u + 1]; ++e) {
        const T length = next.distance + lists_.weights[e];
        if (length < distance_[asSize(lists_.heads[e])] && length <= limit)
          put(lists_.heads[e], next.vertex, length);
        else if (length >= kInfinity<T>)
          beyond_.push_back(lists_.heads[e]);
      }
    }
    return found_;
  }

  /// Whether the last search, which did not end early, left out a vertex because the distance to it
  /// reaches the infinity of its type.
  bool tooFar() const {
    return std::any_of(beyond_.begin(), beyond_.end(),
                       [&](int v) { return distance_[asSize(v)] == kInfinity<T>; });
  }

  /// Vertices and edges that the last search looked at.
  std::size_t looked() const { return looked_; }

  /// The vertices of a shortest path from the last source to a vertex that was found.
  std::vector<int> pathTo(int vertex) const {
    std::vector<int> path = {vertex};
    while (before_[asSize(path.back())] != path.back())
      path.push_back(before_[asSize(path.back())]);
    return {path.rbegin(), path.rend()};
  }

 private:
  void put(int vertex, int before, T length) {
    const auto v = asSize(vertex);
    if (distance_[v] == kInfinity<T>) touched_.push_back(vertex);
    distance_[v] = length;
    before_[v] = before;
    heap_.push_back({length, vertex});
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }

  const EdgeLists<T>& lists_;
  std::vector<T> distance_;
  std::vector<int> before_, touched_, beyond_;
  std::vector<Found<T>> found_, heap_;
  std::size_t looked_ = 0;
};

}  // namespace engine
