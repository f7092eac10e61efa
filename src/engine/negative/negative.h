// Solvers on graphs with negative weights.
#pragma once

#include "solver/solver.h"

namespace engine {

/// The same solver for whole weights above −infinity, and for real weights of any sign: it solves
/// the reweighted graph (shift.h, potentials.h), and the distances are shifted back. The time of a
/// call contains both. Where the solver works on a matrix in a device's memory, potentials and
/// shifts of whole weights happen there. Otherwise the graph is reweighted in host memory, and rows
/// of distances are shifted when they are asked for. A call throws NegativeCycle, unless a table is
/// asked for and its sources do not reach the cycle, or Error(kInput) if a distance is below what
/// the type holds. The function of a row that works in place takes
/// whole weights only; real ones need prepare(). 64-bit weights that int32 holds are narrowed
/// first, if the solver narrows any.
Solver withNegativeWeights(const Solver& one);

}  // namespace engine
