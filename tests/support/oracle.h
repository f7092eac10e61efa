// Distances by Dijkstra's algorithm, for tests that must not see apsp.h: the C++ interface has a
// namespace of that name.
#pragma once

#include <cstdint>
#include <vector>

/// (n, n), row after row; 2^30 - 1 where there is no path. Of parallel edges the lightest counts.
std::vector<std::int32_t> rightDistances(int n, const std::vector<std::int32_t>& tails,
                                         const std::vector<std::int32_t>& heads,
                                         const std::vector<std::int32_t>& weights);
