// The optimised solver of a GPU with options.
#pragma once

#include "base/elements.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

/// The optimised solver with options (apsp.cu): the contract of apsp.h, for weights of each type.
/// The graph is in device memory. It returns what was done.
/// Throws Error: kUsage for another tile side, kMemory if GPU memory is short, kGpu if CUDA fails.
Outcome solve(int n, Elements graph, const Options& options);

}  // namespace engine
