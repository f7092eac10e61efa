// The eccentricities of many vertices, from their rows of distances. Only a few rows are held at a
// time.
#pragma once

#include <functional>
#include <vector>

#include "solver/solver.h"

/// Who asks for eccentricities.
struct EccentricityAsker {
  /// Whether the eccentricity of a vertex is still wanted.
  std::function<bool(int vertex)> isOpen;
  /// Takes it, and the first of the vertices that are so far; 0 and −1 if it reaches no other.
  std::function<void(int vertex, Number eccentricity, int far)> take;
};

/// So many rows of n distances are held at a time.
int rowsTogether(int n, Dtype dtype);

/// Finds the eccentricities of vertices, as far as they are still wanted. `whole` solves rows of so
/// many vertices together, on where's device, unless it would search breadth first on the CPU: that
/// is done here, in an order that suits it. What is solved as a matrix is solved at once. graph:
/// held as edges, with weights from 0 on. Returns how many rows were solved. Throws Error(kMemory),
/// Cancelled, and RangeError as `whole` does.
int eccentricitiesOf(const ProblemGraph& graph, std::vector<int> vertices, int together,
                     const Execution& where, const Solver& whole, const EccentricityAsker& asker);
