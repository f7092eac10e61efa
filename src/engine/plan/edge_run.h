// The run of a graph that is held as edges.
#pragma once

#include <memory>

#include "plan/decision.h"

namespace engine::plan {

/// `one` works in place; it solves cores, and the matrix if no other way is better. Throws
/// Error(kMemory), Error(kGpu).
std::unique_ptr<Run> runOfEdges(const Problem& problem, const Execution& where, const Solver& one,
                                const Decision& decision);

}  // namespace engine::plan
