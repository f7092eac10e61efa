// A graph's edges by the vertex that they leave, as flat arrays.
#pragma once

#include <cstddef>
#include <vector>

#include "base/graph.h"
#include "base/size.h"

namespace engine {

template <class T>
struct EdgeLists {
  std::vector<std::size_t> starts;  ///< (n + 1)
  std::vector<int> heads;           ///< of each edge
  std::vector<T> weights;

  /// edges: sorted by the vertex that they leave.
  EdgeLists(int n, const Edges<T>& edges)
      : starts(edgeStarts(n, edges)), heads(edges.size()), weights(edges.size()) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      heads[e] = edges[e].to;
      weights[e] = edges[e].weight;
    }
  }

  int vertices() const { return static_cast<int>(starts.size()) - 1; }

  bool operator==(const EdgeLists& other) const {
    return starts == other.starts && heads == other.heads && weights == other.weights;
  }

  /// The same edges, each from its head to its tail.
  EdgeLists reversed() const {
    EdgeLists back;
    back.starts.assign(starts.size(), 0);
    back.heads.resize(heads.size());
    back.weights.resize(weights.size());
    for (const int head : heads) ++back.starts[asSize(head) + 1];
    for (std::size_t v = 1; v < back.starts.size(); ++v) back.starts[v] += back.starts[v - 1];
    std::vector<std::size_t> next(back.starts.begin(), back.starts.end() - 1);
    for (int tail = 0; tail < vertices(); ++tail)
      for (std::size_t e = starts[asSize(tail)]; e < starts[asSize(tail) + 1]; ++e) {
        const std::size_t at = next[asSize(heads[e])]++;
        back.heads[at] = tail;
        back.weights[at] = weights[e];
      }
    return back;
  }

 private:
  EdgeLists() = default;
};

}  // namespace engine
