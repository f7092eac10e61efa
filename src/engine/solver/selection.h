// Which distances are asked for: all of them, or a table from some vertices to some.
#pragma once

#include <cstddef>
#include <vector>

#include "base/size.h"

namespace engine {

/// The vertices of the rows and of the columns of a table, in their order. One may come up several
/// times. Empty: all vertices, in the order of their numbers.
struct Selection {
  std::vector<int> sources = {}, targets = {};

  bool all() const { return sources.empty() && targets.empty(); }
  /// Of a graph of n vertices.
  int rows(int n) const { return sources.empty() ? n : static_cast<int>(sources.size()); }
  int columns(int n) const { return targets.empty() ? n : static_cast<int>(targets.size()); }
  int source(int row) const { return sources.empty() ? row : sources[asSize(row)]; }
  int target(int column) const { return targets.empty() ? column : targets[asSize(column)]; }
  /// Whether these are whole rows that follow each other, or whole columns.
  bool isBand() const { return targets.empty() && follow(sources); }
  bool isColumns() const { return sources.empty() && follow(targets); }

 private:
  static bool follow(const std::vector<int>& vertices) {
    for (std::size_t i = 1; i < vertices.size(); ++i)
      if (vertices[i] != vertices[i - 1] + 1) return false;
    return true;
  }
};

}  // namespace engine
