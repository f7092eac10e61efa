// Breadth-first searches from up to 64 vertices at once: each has a bit, and an edge passes all
// bits that meet there at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/size.h"
#include "search/edge_lists.h"

namespace engine {

/// Searches that have reached a vertex by so many edges, and not by fewer.
struct Met {
  int vertex;
  int level;
  std::uint64_t sources;  ///< bit k is that of source k
};

/// Searches again and again, with the same memory.
class BitSearch {
 public:
  static constexpr int kMost = 64;  ///< sources

  explicit BitSearch(int vertices) : seen_(asSize(vertices)), next_(asSize(vertices)) {}

  /// All that is met from the sources along the edges, by ascending level; those of level 0 are the
  /// sources. sources: kMost at the most, each once. Valid until the next call.
  template <class T>
  const std::vector<Met>& from(const EdgeLists<T>& lists, const int* sources, int count) {
    met_.clear();
    for (int k = 0; k < count; ++k) meet(sources[k], 0, std::uint64_t{1} << k);
    int level = 0;
    for (std::size_t begin = 0, end = met_.size(); begin < end; begin = end, end = met_.size()) {
      for (std::size_t i = begin; i < end; ++i) pass(lists, met_[i]);
      ++level;
      for (const int v : reached_) {
        meet(v, level, next_[asSize(v)]);
        next_[asSize(v)] = 0;
      }
      reached_.clear();
    }
    for (const Met& met : met_) seen_[asSize(met.vertex)] = 0;
    return met_;
  }

 private:
  void meet(int vertex, int level, std::uint64_t sources) {
    seen_[asSize(vertex)] |= sources;
    met_.push_back({vertex, level, sources});
  }

  template <class T>
  void pass(const EdgeLists<T>& lists, const Met& met) {
    const auto v = asSize(met.vertex);
    for (std::size_t e = lists.starts[v]; e < lists.starts[v + 1]; ++e) {
      const auto head = asSize(lists.heads[e]);
      const std::uint64_t more = met.sources & ~seen_[head];
      if (more == 0) continue;
      if (next_[head] == 0) reached_.push_back(lists.heads[e]);
      next_[head] |= more;
    }
  }

  std::vector<std::uint64_t> seen_,
      next_;  // the searches that have met each vertex, or are about to
  std::vector<int> reached_;
  std::vector<Met> met_;
};

}  // namespace engine
