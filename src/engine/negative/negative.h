// Solvers on graphs with negative weights.
#pragma once

#include "solver/solver.h"

/// The same solver for whole weights above −kInf, and for real weights of any sign: it solves the
/// reweighted graph (shift.h, potentials.h), and the distances are shifted back. The time of a call
/// contains both. Where the solver works on a matrix in a device's memory, potentials and shifts of
/// whole weights happen there. Otherwise the graph is reweighted in host memory, and rows of
/// distances are shifted when they are asked for. A call throws NegativeCycle, or Error(kInput) if
/// a distance is below what the type holds. The function of a row that works in place takes whole
/// weights only; floats need prepare().
Solver withNegativeWeights(const Solver& one);
