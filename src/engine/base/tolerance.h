// How far right distances may be off.
#pragma once

#include <algorithm>

#include "base/dtype.h"

/// The largest relative difference that right distances of a graph with n vertices can have: 0 of
/// whole numbers, which add up exactly. Of reals that of `solvers` results: 2 for one from another,
/// 1 for one from the true distances.
///
/// Every value that a solver writes is a rounded sum, in some order, of the weights along a walk.
/// Rounded addition is monotone: the sum without the walk's cycles is no larger, so the value is at
/// least such a sum over a simple path; and, being the minimum, at most one over the shortest path.
/// A sum of m ≤ n − 1 non-negative floats has m − 1 roundings, each off by at most u = 2⁻²⁴
/// (float64: 2⁻⁵³) of its value (subnormal sums are exact): in any order a relative error of (n−2)u
/// / (1 − (n−2)u) at most. Two such results differ by 2(n−2)u / (1 − 2(n−2)u) of either at most.
/// One rounding is added for what Dijkstra's doubles lose when they are compared as floats.
inline double tolerance(int n, Dtype dtype, int solvers) {
  if (isWhole(dtype)) return 0;
  // Of float64, the "true" distances are doubles that Dijkstra's algorithm has rounded.
  const double results = dtype == Dtype::kFloat64 ? std::max(2, solvers) : solvers;
  const double error = results * roundingOf(dtype) * std::max(0, n - 1);
  return error / (1 - error);
}
