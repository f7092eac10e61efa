// How far right distances may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/dtype.h"

namespace engine {

/// How far right distances may be off for each edge of a path, relative to themselves: 0 of whole
/// numbers, which add up exactly. Of reals that of `solvers` results: 2 for one from another, 1 for
/// one from the true distances.
inline double errorOfEdge(Dtype dtype, int solvers) {
  if (isWhole(dtype)) return 0;
  // Of float64, the "true" distances are doubles that Dijkstra's algorithm has rounded.
  const double results = dtype == Dtype::kFloat64 ? std::max(2, solvers) : solvers;
  return results * roundingOf(dtype);
}

/// The largest relative difference that right distances of a graph with n vertices can have, which
/// is that of sums along paths of n − 1 edges. solvers: as errorOfEdge() takes it.
///
/// Every value that a solver writes is a rounded sum, in some order, of the weights along a walk.
/// Rounded addition is monotone: the sum without the walk's cycles is no larger, so the value is at
/// least such a sum over a simple path; and, being the minimum, at most one over the shortest path.
/// A sum of m ≤ n − 1 non-negative floats has m − 1 roundings. Each multiplies or divides by 1 + u
/// at most, where u is 2⁻²⁴ (float64: 2⁻⁵³); subnormal sums are exact. So the results lie within a
/// factor of (1 + u)ⁿ⁻² of the true sum, and within the square of it, which is below e²⁽ⁿ⁻²⁾ᵘ, of
/// each other. That holds for every n, also where 2(n−2)u is above 1. One rounding is added for
/// what Dijkstra's doubles lose when they are compared as floats.
inline double tolerance(int n, Dtype dtype, int solvers) {
  return std::expm1(errorOfEdge(dtype, solvers) * std::max(0, n - 1));
}

/// How far right distances may be off, each by its length.
///
/// Let w be the least weight above 0. Adding 0 rounds nothing, so only the k edges above 0 of the
/// simple path count. They are at least k·w long, and no longer than the distance D apart from
/// rounding: with ε = tolerance(n, dtype, 2), k ≤ D(1 + ε)/w, and D ≤ (1 + ε) times any right
/// result. So k is at most that result times (1 + ε)²/w, and k takes the place of n − 1.
class Tolerance {
 public:
  /// The same for all lengths. Not explicit: a number is such a tolerance.
  constexpr Tolerance(double relative) : most_(relative) {}
  /// n, dtype, solvers: as for tolerance(). leastPositive: the least weight above 0, infinity if
  /// there is none; 0: not known, so that every distance may be off as far as those of n − 1 edges.
  Tolerance(int n, Dtype dtype, int solvers, double leastPositive)
      : most_(tolerance(n, dtype, solvers)), edge_(errorOfEdge(dtype, solvers)) {
    const double grown = 1 + tolerance(n, dtype, 2);
    slope_ = edge_ * grown * grown / leastPositive;
  }

  /// Relative to a distance of this length. constexpr, because device code calls it, too.
  constexpr double of(double distance) const { return least(slope_ * distance); }
  /// The same if a shortest path has so many edges, and the other result is larger than this
  /// distance. It is at most the rounded sum along that path.
  double above(double distance, int edges) const {
    return std::min(of(distance), least(edge_ * edges));
  }

  /// of() is never below the lesser of most() and slope() times the distance.
  double most() const { return most_; }
  double slope() const { return slope_; }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  /// What sums with such an error differ by, if that is less than most_. error: also NaN.
  constexpr double least(double error) const {
    const double allowed = error / (1 - error);
    return error < 1 && allowed < most_ ? allowed : most_;
  }

  double most_, edge_ = kNone, slope_ = kNone;
};

/// Whether two distances agree: as with a number, which depends on `expected` here.
template <class T>
constexpr bool agree(T got, T expected, const Tolerance& allowed) {
  return got == expected || agree(got, expected, allowed.of(static_cast<double>(expected)));
}

}  // namespace engine
