// The paths to the near targets of each source. A path is found when it is written, because all
// paths together may be much larger than the distances.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solver/problem.h"
#include "solver/sparse_rows.h"

namespace engine {

/// Gives the vertices of a shortest path for each distance of a row, in the order of the row, both
/// ends included. From any thread, of which there are as many as OpenMP takes.
using NearPaths = std::function<std::vector<std::vector<int>>(int row)>;

/// Of vertices, those that come next on the way to targets.
class NextVertices {
 public:
  explicit NextVertices(int n) : ways_(asSize(n)) {}

  /// The way from a vertex to the target of a column begins with `next`, which may be the vertex
  /// itself if it is the target. Each (vertex, column) is added once.
  void add(int vertex, int column, int next) { ways_[asSize(vertex)].push_back({column, next}); }

  /// The vertices of the way from a vertex to the target of a column, which was added.
  std::vector<int> pathFrom(int vertex, int column) const;

 private:
  struct Way {
    int column, next;
  };
  int next(int vertex, int column) const;

  std::vector<std::vector<Way>> ways_;
};

/// Follows the vertices that come next. For each distance of the rows, `next` must have the way
/// from the source to the target. Keeps a reference to the rows.
NearPaths pathsAlong(std::shared_ptr<const NextVertices> next, const Problem& problem,
                     const SparseRows& rows);

/// The paths of other rows, by another search from each source, which ends at the last distance of
/// the row. Keeps a reference to the rows.
NearPaths pathsBySearch(const Problem& problem, const SparseRows& rows);

}  // namespace engine
