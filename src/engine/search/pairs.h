// Distances and paths between pairs of vertices that come one after the other.
#pragma once

#include <memory>
#include <vector>

#include "base/graph.h"
#include "solver/plan.h"

namespace engine {

/// A graph that is prepared once for many questions. If it has small separators, a question climbs
/// the sparse method's hierarchy from both ends, and a path is made of the arcs that it climbs;
/// otherwise a search runs from one end until it reaches the other.
class Pairs {
 public:
  /// No weight is below 0. order: that of elimination, which is used if it leaves a small core,
  /// also where it would not be looked for; null: it is found where there may be small separators.
  /// paths: these are asked for; otherwise each path is searched for. Throws Error(kMemory).
  explicit Pairs(const Graph& graph, const EliminationOrder* order = nullptr, bool paths = false);
  ~Pairs();
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  /// Infinity if there is no path. Of int32 weights it is an int64, if a distance may be too far
  /// for int32. Throws RangeError if it reaches the infinity of the other types.
  Number distance(int from, int to);

  /// The vertices of a shortest path, both ends included; none if there is no path. length: takes
  /// the sum of its weights, or infinity. Throws RangeError as distance() does.
  std::vector<int> path(int from, int to, Number& length);

  /// Whether there is a hierarchy.
  bool climbs() const;
  /// Whether paths are taken from it.
  bool climbsPaths() const;

  /// What does the work for one type of weights.
  class Way;

 private:
  std::unique_ptr<Way> way_;
};

}  // namespace engine
