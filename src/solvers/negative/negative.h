// Solvers on graphs with negative weights.
#pragma once

#include "solvers/solver.h"

/// The same solver for whole weights above −kInf: it solves the reweighted graph (shift.h), and the
/// distances are shifted back. The time of a call contains both. Where the solver works on a matrix
/// in a device's memory, potentials and shifts happen there. Otherwise the graph is reweighted in
/// host memory, and rows of distances are shifted when they are asked for. A call throws
/// NegativeCycle, or Error(kInput) if a distance is −kInf or less.
Solver withNegativeWeights(const Solver& one);
