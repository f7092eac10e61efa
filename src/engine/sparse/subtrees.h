// The elimination tree in parts that threads work on at the same time.
#pragma once

#include <utility>
#include <vector>

#include "sparse/hierarchy.h"

namespace engine::sparse {

/// Every position below the core is in one of these. Arcs lead from a part to itself, to the top
/// and to the core, never to another part.
struct Parts {
  std::vector<std::pair<int, int>> parts;  ///< positions from `first` to before `second`
  std::vector<int> top;                    ///< the other positions, ascending: above all parts
};

/// Divides the tree so that every part has about as many triangles, several parts for each thread,
/// or is whole if one thread is to work or the work is not worth more of them.
template <class T>
Parts partsOf(const Hierarchy<T>& hierarchy, int threads);

}  // namespace engine::sparse
