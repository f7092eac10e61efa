// The filtered solver on the CPU: leaves out the edges of a dense graph that are on no shortest
// path, and relaxes along the others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "apsp.h"
#include "core/dtype.h"
#include "solvers/relaxation/prospect.h"

/// Solves n×n weights of that type in place in host memory, as apsp.h says. Nothing if that would
/// take longer than the effort allows. The matrix then holds weights, or lengths of walks in their
/// place, and its distances are the same as before. simd: as findSettle() takes it. Throws
/// Error(kMemory).
std::optional<Outcome> solveFiltered(int n, int* words, Dtype dtype, const Effort& effort = {},
                                     const std::string& simd = "");

/// About the bytes of host memory that this takes beside the matrix: the blocks of targets that
/// are solved at the same time, and lists of arcs, unless a user asks for the method.
std::size_t filteredBytes(int n);
