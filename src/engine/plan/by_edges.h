// Solves a graph that is held as edges in the way that is expected to be the fastest.
#pragma once

#include "solver/solver.h"

namespace engine {

/// The same solver, but a graph that is held as edges is solved along them, if that is asked for or
/// expected to be faster, or if there is no room for the matrix. `one` works in place; it also
/// solves cores. Where neither a matrix nor a table has room, the distances are rows that are swept
/// when they are asked for. Numbers that a GPU does not sweep are left to `one` there.
Solver orByEdges(Solver one);

}  // namespace engine
