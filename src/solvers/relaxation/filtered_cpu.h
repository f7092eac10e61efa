// The filtered solver on the CPU: leaves out the edges of a dense graph that are on no shortest
// path, and relaxes along the others.
#pragma once

#include <optional>
#include <string>

#include "core/dtype.h"

/// What the filtered solver did. Times are milliseconds.
struct Filtering {
  double kept = 0;    ///< edges that were kept, a vertex
  double passes = 0;  ///< how often a vertex' edges were looked at for a block of targets, average
  double survey = 0, filter = 0, relax = 0;
};

/// When the filtered solver tries.
struct Effort {
  int vertices = 256;       ///< at the least; below that the dense solver is faster
  double worthwhile = 0.5;  ///< of the dense solver's relaxations, so many at the most
};

/// Solves n×n weights of that type in place in host memory, as apsp.h says. Nothing if that would
/// take longer than the effort allows. The matrix then holds weights, or lengths of walks in their
/// place, and its distances are the same as before. simd: as findSettle() takes it. Throws
/// Error(kMemory).
std::optional<Filtering> solveFiltered(int n, int* words, Dtype dtype, const Effort& effort = {},
                                       const std::string& simd = "");
