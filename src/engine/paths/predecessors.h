// Shortest-path trees: for each source and each vertex, the vertex before it on a shortest path.
// This is the matrix that SciPy's csgraph calls predecessors.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/graph.h"

/// The entry of a vertex that no path leads to, and of the source itself. SciPy uses this number.
inline constexpr int kNoPredecessor = -9999;

/// Finds predecessors from distances that are known, on all cores: O(m) for each source.
/// predecessors.cpp proves that no row has a cycle.
class Predecessors {
 public:
  /// distances: (n, n) in host memory, all of the graph, or null if they are not there as a whole.
  /// With them, edges that are longer than the distance between their ends are left out at once:
  /// most edges of a dense graph are. potentials: (n), those of negative/shift.h; empty if
  /// no weight is negative. Throws Error(kMemory).
  explicit Predecessors(const Graph& graph, const int* distances = nullptr,
                        std::vector<int> potentials = {});
  Predecessors(const Predecessors&) = delete;
  Predecessors& operator=(const Predecessors&) = delete;

  /// Writes the predecessors of the sources from `first` on. distances, predecessors: (count, n).
  /// Throws Error(kMismatch) if a distance is not that of any path, so that there is no tree.
  void rows(int first, int count, const int* distances, int* predecessors) const;

  /// About the bytes of host memory that it takes for so many edges. Of a matrix, each pair may
  /// be an edge.
  static std::size_t bytes(int n, std::size_t edges);

 private:
  /// An edge to the vertex in whose list it stands. weight: after reweighting.
  struct Arc {
    int from, weight;
  };
  /// Sixteen rows that are looked at together, transposed, and room for one tree.
  struct Group;

  void takeEdges(const Graph& graph, const int* distances);
  void takeMatrix(const Graph& graph, const int* distances);
  void takeRow(const int* weights, const int* known, int k, std::size_t* next,
               std::vector<std::pair<int, int>>* zeros);
  void takeZeros(std::vector<std::pair<int, int>> zeros);
  bool mayBeLast(int weight, int distance) const;
  int weightOf(int from, int to, int weight) const;
  int shiftOf(int vertex) const;
  void reweight(int source, int count, std::vector<int>& columns) const;

  template <class T>
  bool someRows(int first, int count, const int* distances, int* predecessors) const;
  template <class T>
  bool oneGroup(int source, int count, const int* distances, int* predecessors, Group& group) const;
  bool passOnAlongZeros(int source, const int* distances, int* predecessors, Group& group) const;
  bool growFromSource(int source, const int* distances, int* predecessors, Group& group) const;
  bool fits(const Arc& arc, const float* distances, float distance) const;

  int n_;
  Dtype dtype_;
  double allowed_;                          // how far floats may be off, relative to themselves
  std::vector<int> potentials_;             // (n), empty if no weight is negative
  std::vector<std::size_t> first_;          // (n + 1): where each head's arcs begin
  std::vector<Arc> arcs_;                   // of int32 without those of weight 0
  std::vector<std::size_t> zerosFirst_;     // (n + 1), empty if there are none
  std::vector<int> zeroHeads_, zeroTails_;  // of the arcs of weight 0; each tail once
};
