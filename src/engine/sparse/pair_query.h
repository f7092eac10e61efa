// The distance between two vertices, by climbing the hierarchy from both.
#pragma once

#include <cstddef>
#include <vector>

#include "sparse/sweep.h"

namespace engine::sparse {

/// Answers one question at a time, and keeps its memory for the next one. Vertices are those of the
/// graph.
template <class T>
class PairQuery {
 public:
  /// Keeps a reference. The graph must have all vertices as rows and columns.
  explicit PairQuery(const Swept<T>& graph);

  /// Infinity if there is no path. The time is that of going through the ancestors of both vertices
  /// in the elimination tree, and in the core through the pairs of vertices that are reached.
  T distance(int from, int to);

 private:
  /// What climbing from one end has reached: of each position on the way up the distance, and the
  /// vertices of the core.
  struct Climb {
    explicit Climb(int n) : distance(asSize(n), kInfinity<T>) {}
    std::vector<T> distance;
    std::vector<int> way, gates;
  };
  void climb(const SweepArcs<T>& arcs, int position, Climb& climb) const;
  void clear(Climb& climb) const;

  const Swept<T>& graph_;
  Climb from_, to_;
};

}  // namespace engine::sparse
