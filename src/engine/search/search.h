// Distances from few vertices, by a search from each of them along the edges.
#pragma once

#include "solver/solver.h"

/// The same solver, but if distances from some sources are asked for, it may search from each of
/// them, for a graph that is held as edges. It does so if this is expected to take less time than
/// any method that finds all distances. Searches run on the CPU, also where others run on a GPU.
Solver orBySearch(Solver one);
