// The eccentricities of many vertices, from their rows of distances. Only a few rows are held at a
// time.
#pragma once

#include <functional>
#include <vector>

#include "solver/solver.h"

namespace engine {

/// Who asks for eccentricities.
struct EccentricityAsker {
  /// Whether the eccentricity of a vertex is still wanted.
  std::function<bool(int vertex)> isOpen;
  /// Takes it, and the first of the vertices that are so far; 0 and −1 if it reaches no other.
  std::function<void(int vertex, Number eccentricity, int far)> take;
};

/// So many rows of n distances are held at a time.
int rowsTogether(int n, Dtype dtype);

/// Finds the eccentricities of vertices, as far as they are still wanted. `whole` solves their rows
/// on where's device, and on a CPU does not keep them if it can. If it would search breadth first
/// there, that is done here, for so many vertices together and in an order that suits it. So many
/// rows together are relaxed, too. What is solved as a matrix has all rows. graph: held as edges,
/// with weights from 0 on, whose distances fit into their type. Returns how many rows were solved.
/// Throws Error(kMemory), Cancelled.
int eccentricitiesOf(const ProblemGraph& graph, std::vector<int> vertices, int together,
                     const Execution& where, const Solver& whole, const EccentricityAsker& asker);

}  // namespace engine
