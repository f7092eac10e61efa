// The shortest-path trees of distances that a solver found, whatever its weights and its table are.
#pragma once

#include <memory>

#include "base/size.h"
#include "solver/distances.h"
#include "solver/problem.h"

namespace engine {

/// Calls visit(source, count, offset) for `count` rows from row `first` on: row by row if they are
/// a table, because its sources may be any vertices, and otherwise once. offset: where the elements
/// of these rows begin among those of all rows from `first` on.
template <class Visit>
void bySources(const Distances& table, int first, int count, const Visit& visit) {
  if (!table.isTable()) return visit(first, count, std::size_t{0});
  for (int i = 0; i < count; ++i) visit(table.source(first + i), 1, asSize(i) * asSize(table.n()));
}

/// Finds predecessors (paths/predecessors.h) of rows whose distances to all vertices are known. If
/// the solver shifted or widened these from others (Distances::beforeShift()), it looks at the
/// others, which tell exactly which edges are tight.
class Trees {
 public:
  /// negative: weights may be below 0; then potentials are found once more. Keeps references.
  /// Throws Error(kMemory).
  Trees(const ProblemGraph& graph, const Distances& distances, bool negative);
  ~Trees();
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;

  /// Writes the predecessors of `count` rows from row `first` on. known: their distances.
  /// known, predecessors: (count, n). Throws Error(kMismatch), as Predecessors does.
  void rows(int first, int count, ConstElements known, int* predecessors) const;

 private:
  const Distances& distances_;
  const Distances* const plain_;  // what distances_ was shifted back from; null: nothing
  std::unique_ptr<const class Predecessors> finder_;
};

/// Whether a matrix of distances in host memory is worth its memory, because it tells of so many
/// edges that they are on no shortest path.
bool hasManyEdges(const ProblemGraph& graph);

}  // namespace engine
