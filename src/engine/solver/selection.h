// Which distances are asked for: all of them, or a table from some vertices to some.
#pragma once

#include <cstddef>
#include <vector>

/// The vertices of the rows and of the columns of a table, in their order. One may come up several
/// times. Empty: all vertices, in the order of their numbers.
struct Selection {
  std::vector<int> sources = {}, targets = {};

  bool all() const { return sources.empty() && targets.empty(); }
  /// Of a graph of n vertices.
  int rows(int n) const { return sources.empty() ? n : static_cast<int>(sources.size()); }
  int columns(int n) const { return targets.empty() ? n : static_cast<int>(targets.size()); }
  int source(int row) const {
    return sources.empty() ? row : sources[static_cast<std::size_t>(row)];
  }
  int target(int column) const {
    return targets.empty() ? column : targets[static_cast<std::size_t>(column)];
  }
};
