// The order in which the vertices of a sparse graph are eliminated.
#pragma once

#include <string>
#include <vector>

#include "sparse/pattern.h"

namespace engine::sparse {

/// All vertices in an order whose elimination adds few arcs: by approximate minimum degree
/// (SuiteSparse, with_amd.cpp), or by minimumDegree() if this program was built without it
/// (no_amd.cpp). Throws Error(kMemory).
std::vector<int> eliminationOrder(const Pattern& pattern);

/// What eliminationOrder() is: "AMD" or "minimum degree".
const char* orderName();

/// All vertices. Those at the front always have the least number of neighbours among the vertices
/// that are left. Where that passes `bound`, the others follow in the order of their numbers.
std::vector<int> minimumDegree(const Pattern& pattern, int bound);

}  // namespace engine::sparse
