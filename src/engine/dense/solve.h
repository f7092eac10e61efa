// The optimised solver of a GPU with options.
#pragma once

#include "solver/options.h"
#include "solver/outcome.h"

/// The optimised solver with options (apsp.cu): the contract of apsp.h. It returns what was done.
/// Throws Error: kUsage for another tile side, kMemory if GPU memory is short, kGpu if CUDA fails.
Outcome solve(int n, int* graph, const Options& options);
Outcome solve(int n, float* graph, const Options& options);
