// The optimised CPU solver.
#pragma once

#include <string>

#include "base/elements.h"

namespace engine {

/// Solves n×n weights in place in host memory, as apsp.h says, with as many threads as OpenMP would
/// use now. Throws Error(kMemory).
void apspCpu(int n, Elements graph);

/// apspCpu() with a given instruction set: "avx512", "avx2", "portable", or "" for the widest of
/// this machine. For the tests. Throws Error(kUsage) if this machine lacks it, and Error(kMemory).
void apspCpuWith(const std::string& simd, int n, Elements graph);

}  // namespace engine
