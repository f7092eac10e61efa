// The right distances of a graph, with which results are compared.
#pragma once

#include "base/graph.h"
#include "generate/families.h"
#include "solver/solver.h"

/// The distances of a graph in host memory, found by an oracle that shares no code with
/// `kernel`. The oracle is the closed form if the family has one and the graph is directed. If
/// potentials are planted in a family, it is the oracle of the family below, shifted by them. Else
/// it is another solver, and Dijkstra's algorithm then verifies some rows of its result. Throws
/// Error(kMismatch) if that fails, Error(kMemory).
Matrix oracleDistances(const Spec& spec, const Solver& kernel);
