// Potentials of a graph in host memory: exact for every graph. shift.h explains them.
//
// Real weights become whole numbers, too. Let W be the absolute value of the least weight. No
// potential is below −(n − 1)·W. So there is a unit, a power of two, in which 61 bits hold every
// potential, and which is at most n·W·2⁻⁵⁹. Weights are rounded up to multiples of it. Most float32
// weights are multiples already, because they have 24 bits; a float64 weight is one if its last bit
// is worth a unit or more. Then potentials are sums of whole numbers: they are exact, and do not
// depend on the order of the edges. What is said of cycles in shift.h holds, too:
//
//   - A cycle that is found is negative, because its weights are no larger than the rounded ones.
//   - A cycle whose sum is 0 or more is not found.
//   - Only a cycle whose sum lies between −n²·W·2⁻⁵⁹ and 0 may be missed: it counts as one of 0.
//
// A weight is reweighted as it is, not rounded up. w + h(u) − h(v) may then be below 0, by less
// than a unit, and becomes 0. It is computed in a long double, which holds h(u) − h(v) exactly, and
// is rounded to the type once. docs/negative.md says what this does to distances.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/graph.h"
#include "solver/distances.h"

namespace engine {

/// The potentials of the vertices (n). passes: how many lowered one.
template <class Potential>
struct PotentialsAs {
  std::vector<Potential> of;
  int passes = 0;
};
using Potentials = PotentialsAs<std::int64_t>;  // of whole weights, above −infinity of their type
using RealPotentials = PotentialsAs<long double>;  // of reals, none below the least of their type

/// Of whole weights, and of real ones. Each throws NegativeCycle, or Error(kInput) if a distance is
/// below what the type holds.
Potentials potentialsOf(const Graph& graph);
RealPotentials realPotentialsOf(const Graph& graph);

/// Bytes of host memory that finding potentials takes beside the graph, the potentials included.
std::size_t potentialBytes(int n, Dtype dtype);

/// One real weight with potentials h(u) and h(v).
template <class T>
std::enable_if_t<std::is_floating_point_v<T>, T> reweighted(T weight, long double from,
                                                            long double to) {
  const long double shifted = weight + (from - to);
  return static_cast<T>(shifted > 0 ? shifted : 0);
}
/// And one distance of the reweighted graph. 0 is never −0.
template <class T>
std::enable_if_t<std::is_floating_point_v<T>, T> shiftedBack(T distance, long double from,
                                                             long double to) {
  return static_cast<T>(distance - (from - to)) + T{0};
}

/// The same graph with the weights w(u,v) + h(u) − h(v); an edge whose weight reaches infinity is
/// left out. Potential: as the weights need it, int64 or long double.
template <class Potential>
Graph reweighted(const Graph& graph, const std::vector<Potential>& potentials);

/// The vertices of a cycle of parents, each of them the parent of the next, and the last one that
/// of the first; empty if there is none. parents: (n), −1 for none.
std::vector<int> parentCycle(const std::vector<int>& parents);

/// Distances of a reweighted graph, shifted back row by row. Potential: int64 or long double.
/// asked: which ones they are; null: all. graph: the reweighted one, for beforeShift(). Keeps
/// references.
template <class Potential>
class ShiftedDistances : public Distances {
 public:
  ShiftedDistances(const Distances& reweighted, const std::vector<Potential>& potentials,
                   const Selection* asked, const ProblemGraph* graph = nullptr)
      : Distances(reweighted.n(), reweighted.dtype(), asked),
        reweighted_(reweighted),
        potentials_(potentials),
        graph_(graph) {}
  void rows(int begin, int end, const RowVisitor& visit) const override;
  BeforeShift beforeShift() const override { return {graph_, &reweighted_}; }

 private:
  const Distances& reweighted_;
  const std::vector<Potential>& potentials_;
  const ProblemGraph* const graph_;
};

extern template class ShiftedDistances<std::int64_t>;
extern template class ShiftedDistances<long double>;

}  // namespace engine
