// A solver whose matrix is divided over several ranks.
#pragma once

#include "solver/solver.h"

namespace engine {

/// The same row, which solves on all ranks if Execution::crew has several.
Solver onRanks(Solver one);

}  // namespace engine
