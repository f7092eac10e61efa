// A shortest path between two vertices, by climbing the hierarchy from both and taking the arcs of
// the way apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sparse/hierarchy.h"

namespace engine::sparse {

/// The elimination without a core, in the order of its positions. Nothing if the hierarchy would
/// have so many triangles that searches are expected to take less. edges: of the graph, how many.
std::optional<Elimination> withoutCore(const Pattern& pattern, const Elimination& elimination,
                                       std::size_t edges);

/// Answers one question at a time, and keeps its memory for the next one. Vertices are those of the
/// graph. No path is as long as the infinity of the type.
template <class T>
class PairPaths {
 public:
  /// elimination: without a core. edges: of the pattern, none below 0. Throws Error(kMemory).
  PairPaths(const Pattern& pattern, const Elimination& elimination, const Edges<T>& edges,
            int threads);

  /// Infinity if there is no path. The time is that of going through the ancestors of both vertices
  /// in the elimination tree.
  T distance(int from, int to);

  /// The vertices of a shortest path, both ends included, none twice; none if there is no path.
  /// length: takes the sum of its weights, from the first one on, or infinity. The time is that of
  /// the distance, and of the path's edges.
  std::vector<int> path(int from, int to, T& length);

 private:
  /// An arc that a climb takes. place: among the arcs of the hierarchy.
  struct Arc {
    int head;
    std::uint32_t place;
    T weight;
  };
  struct Arcs {
    std::vector<std::uint32_t> first;
    std::vector<Arc> arcs;
  };
  /// What an arc stands for: an edge of that weight if middle is −1. Else it is the arc `down` to
  /// the position `middle`, and the arc `up` from there.
  struct Way {
    int middle = -1;
    std::uint32_t down = 0, up = 0;
    T weight = 0;
  };
  /// How a climb has reached a position: from the lower position `before`, along an arc.
  struct Reached {
    T distance = kInfinity<T>;
    int before = -1;
    std::uint32_t place = 0;
  };
  struct Climb {
    std::vector<Reached> reached;  // of each position
    std::vector<int> way;          // the positions that may be reached, ascending
  };
  /// An arc that is to be taken apart. end: the position where it ends.
  struct Step {
    std::uint32_t place;
    bool down;
    int end;
  };

  void findWays(const Hierarchy<T>& all, const std::vector<T>& up, const std::vector<T>& down);
  static Arcs climbed(const Hierarchy<T>& all, const SweepArcs<T>& kept);
  void climb(const Arcs& arcs, int position, Climb& climb) const;
  int meet(int from, int to, T& distance);
  void clear();
  void append(int vertex, T weight);
  void takeApart(Step step);

  std::vector<int> position_, vertex_, parent_;
  std::vector<Way> ups_, downs_;  // of each arc of the hierarchy
  Arcs up_, down_;                // those that climbs need
  Climb from_, to_;
  std::vector<Step> steps_;
  std::vector<char> isOnPath_;
  std::vector<int> path_;
  std::vector<T> lengths_;  // from the first vertex of the path to each
};

}  // namespace engine::sparse
