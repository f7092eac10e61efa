// Distances from few vertices, by a search from each of them along the edges.
#pragma once

#include "solver/solver.h"

/// The same solver, but if distances from some sources are asked for, it may search from each of
/// them. It does so on a CPU for a graph that is held as edges, if that is expected to take less
/// time than any method that finds all distances.
Solver orBySearch(Solver one);
