// Distances by Dijkstra's algorithm, for tests that must not see apsp.h: the C++ interface has a
// namespace of that name.
#pragma once

#include <cstdint>
#include <vector>

/// (n, n), row after row; the infinity of T where there is no path, or one that T does not hold. Of
/// parallel edges the lightest counts. T: int32_t, float, int64_t or double. Real numbers are added
/// as long doubles, and rounded once.
template <class T>
std::vector<T> rightDistances(int n, const std::vector<std::int32_t>& tails,
                              const std::vector<std::int32_t>& heads,
                              const std::vector<T>& weights);
