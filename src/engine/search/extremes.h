// The largest and the least eccentricity of a graph and who has them, without all distances.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solver/solver.h"

namespace engine {

/// A vertex, and one that is as far from it as any that it reaches.
using FarPair = std::pair<int, int>;

/// The eccentricity of a vertex is the largest distance to a vertex that it reaches.
struct Extremes {
  Number diameter = 0;             ///< the largest eccentricity; 0 if no vertex reaches another
  std::vector<FarPair> periphery;  ///< whose eccentricity it is, in ascending order
  std::optional<Number> radius;    ///< the least of the vertices that reach all others
  std::vector<FarPair> center;     ///< whose eccentricity it is, in ascending order
  std::size_t searches = 0;        ///< from one vertex, forwards or backwards
  int solved = 0;                  ///< vertices whose rows of distances had to be solved
  double milliseconds = 0;
};

/// Exact. The time depends on how well the distances to and from a few vertices bound all others:
/// on roads, some tens of searches are enough, and on webs some hundreds, which are made together
/// if all weights are equal. What they leave open is solved as eccentricitiesOf() says, with
/// `whole` on where's device, and a few rows are held at a time. No weight is below 0. Throws
/// Error(kMemory), and RangeError if a distance reaches the infinity of its type; int32 distances
/// do not.
Extremes extremesOf(const ProblemGraph& graph, const Execution& where, const Solver& whole);

}  // namespace engine
