// Potentials of a graph in host memory, in 64 bits: exact for every graph. shift.h explains them.
#pragma once

#include <vector>

#include "core/graph.h"
#include "solvers/distances.h"

/// The potentials of the vertices (n), all above −kInf. passes: how many lowered one. Throws
/// NegativeCycle, or Error(kInput) if a distance is −kInf or less. names: Graph::names for
/// messages.
struct Potentials {
  std::vector<int> of;
  int passes = 0;
};
Potentials potentialsOf(const Graph& graph);

/// Bytes of host memory that it takes beside the graph, and the potentials.
std::size_t potentialBytes(int n);

/// The same graph with the weights w(u,v) + h(u) − h(v); an edge whose weight reaches kInf is left
/// out.
Graph reweighted(const Graph& graph, const std::vector<int>& potentials);

/// The vertices of a cycle of parents, each of them the parent of the next, and the last one that
/// of the first; empty if there is none. parents: (n), −1 for none.
std::vector<int> parentCycle(const std::vector<int>& parents);

/// Distances of a reweighted graph, shifted back row by row. asked: which ones they are; null: all.
/// Keeps references.
class ShiftedDistances : public Distances {
 public:
  ShiftedDistances(const Distances& reweighted, const std::vector<int>& potentials,
                   const Selection* asked)
      : Distances(reweighted.n(), reweighted.dtype(), asked),
        reweighted_(reweighted),
        potentials_(potentials) {}
  void rows(int begin, int end, const RowVisitor& visit) const override;

 private:
  const Distances& reweighted_;
  const std::vector<int>& potentials_;
};
