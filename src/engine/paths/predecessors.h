// Shortest-path trees: for each source and each vertex, the vertex before it on a shortest path.
// This is the matrix that SciPy's csgraph calls predecessors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/graph.h"

namespace engine {

/// The entry of a vertex that no path leads to, and of the source itself. SciPy uses this number.
inline constexpr int kNoPredecessor = -9999;

/// Finds predecessors from distances that are known, on all cores: O(m) for each source.
/// predecessors.cpp proves that no row has a cycle.
class Predecessors {
 public:
  /// distances: (n, n) in host memory, all of the graph, or null if they are not there as a whole.
  /// With them, edges that are longer than the distance between their ends are left out at once:
  /// most edges of a dense graph are. potentials: (n), those of negative/shift.h; empty if no
  /// weight is negative. Throws Error(kMemory).
  explicit Predecessors(const Graph& graph, ConstElements distances = {},
                        const std::vector<std::int64_t>& potentials = {});
  ~Predecessors();
  Predecessors(const Predecessors&) = delete;
  Predecessors& operator=(const Predecessors&) = delete;

  /// Writes the predecessors of the sources from `first` on. distances, predecessors: (count, n).
  /// Throws Error(kMismatch) if a distance is not that of any path, so that there is no tree.
  void rows(int first, int count, ConstElements distances, int* predecessors) const;

  /// About the bytes of host memory that it takes for so many edges. Of a matrix, each pair may
  /// be an edge.
  static std::size_t bytes(int n, std::size_t edges, Dtype dtype);

 private:
  class Finder;
  template <class T>
  class FinderOf;

  std::unique_ptr<const Finder> finder_;
};

}  // namespace engine
