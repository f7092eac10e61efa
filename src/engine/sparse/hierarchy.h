// The hierarchy of a sparse graph: its vertices by position, each with arcs to higher ones only,
// whose weights are the lengths of paths through lower vertices. docs/sparse.md draws it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/graph.h"
#include "base/size.h"
#include "sparse/elimination.h"

namespace engine::sparse {

/// T: one of the four types of weights. All vertices are positions here.
template <class T>
struct Hierarchy {
  int n = 0, core = 0;             ///< core: the first position of the core
  std::vector<std::size_t> first;  ///< where the arcs of each position below core begin; core + 1
  std::vector<int> head;           ///< the higher end of each arc, ascending for each position
  std::vector<T> up, down;         ///< the weights of each arc towards its head, and back
  Matrix between;                  ///< (n − core)²: the core's weights, then its distances

  std::size_t begin(int position) const { return first[asSize(position)]; }
  std::size_t end(int position) const { return first[asSize(position) + 1]; }
  int coreSize() const { return n - core; }
  /// The row of a vertex of the core. It begins with the first of these.
  T* row(int from) { return between.row<T>(from - core); }
};

/// The arcs of all vertices in one direction, as flat arrays.
template <class T>
struct SweepArcs {
  struct Arc {
    std::uint32_t head;
    T weight;
  };
  std::vector<std::uint32_t> first;  ///< core + 1
  std::vector<Arc> arcs;
};

/// What a sweep needs: the arcs that are left of the hierarchy.
template <class T>
struct Pruned {
  SweepArcs<T> up;    ///< of each position below core, the arcs to higher positions
  SweepArcs<T> down;  ///< and the arcs from them: `head` is the higher end of these, too
};

/// The arcs that eliminating the vertices adds to those of the graph, with the weights of the
/// edges. Throws Error(kMemory).
template <class T>
Hierarchy<T> build(const Pattern& pattern, const Elimination& elimination, const Edges<T>& edges);

/// Lowers each weight to the length of the shortest path through lower vertices. Throws
/// Error(kMemory).
template <class T>
void customise(Hierarchy<T>& hierarchy, int threads = 1);

/// Lowers each weight to the distance, and leaves out the arcs that no sweep needs. The core's
/// matrix must hold distances. Throws Error(kMemory).
template <class T>
Pruned<T> prune(Hierarchy<T>& hierarchy, int threads = 1);

/// The matrix of a core of that size without edges. Throws Error(kMemory).
template <class T>
Matrix emptyCore(int size);

/// Bytes that the Hierarchy of this elimination takes at the most, with its Pruned arcs and what
/// the dense solver takes for the core.
std::size_t hierarchyBytes(const Elimination& elimination, Dtype dtype);

}  // namespace engine::sparse
