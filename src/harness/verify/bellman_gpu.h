// Bellman's equation on a GPU: which rows of distances are right for sure.
#pragma once

#include <cstddef>
#include <vector>

#include "solver/distances.h"
#include "solver/problem.h"

using namespace engine;

/// Those of these rows that the GPU does not show to be right, in their order. The CPU judges them
/// (bellman_arcs.cpp), so it alone says what is wrong. All rows are returned if `device` is no GPU,
/// or has too little memory. Throws Error(kGpu).
std::vector<int> doubtfulByArcs(const Graph& graph, const Distances& distances,
                                const std::vector<int>& rows, const Device& device);

/// The same along the matrix of a graph (bellman.cpp).
std::vector<int> doubtfulByMatrix(const ProblemGraph& graph, const Distances& distances,
                                  const std::vector<int>& rows, const Device& device);

/// So many edges of weight 0 times n are kept: by the GPU of the graph, by the CPU of each row. If
/// there are more, the GPU leaves all rows to the CPU, where edges that are not kept may ground
/// vertices, too.
inline constexpr std::size_t kMostZeros = 8;
