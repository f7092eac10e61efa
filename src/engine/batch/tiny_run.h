// A small graph on the GPU, solved by the kernel of many small ones.
#pragma once

#include "solver/solver.h"

namespace engine::batch {

/// So many vertices are a tile of the dense solver, and in one block of threads here.
inline constexpr int kTiny = 64;

/// The solver `one` of a GPU. If the plan is kept (Execution::keepsPlan), a graph of up to kTiny
/// vertices is solved by one launch, with the least that CUDA is asked for: beside the solver, each
/// call of CUDA costs as much as some of these vertices. Its distances are in host memory, unless
/// they are asked for in the GPU's.
Solver orTiny(Solver one);

}  // namespace engine::batch
