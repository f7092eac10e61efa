// What a solve did.
#pragma once

#include "base/dtype.h"
#include "solver/options.h"

namespace engine {

/// The arithmetic that was used. kNone: 16 bits were asked for but cannot be proved exact for this
/// graph, which is unchanged.
enum class Tier { kNone, kInt32, kUint16, kFloat32, kInt64, kFloat64 };

/// That of a type.
constexpr Tier tierOf(Dtype dtype) {
  constexpr Tier kTiers[] = {Tier::kInt32, Tier::kFloat32, Tier::kInt64, Tier::kFloat64};
  return kTiers[static_cast<int>(dtype)];
}

/// What the filtered solver did. Times are milliseconds.
struct Filtering {
  double kept = 0;    ///< edges that were kept, a vertex
  double passes = 0;  ///< looks at the edges of a vertex for a block of distances, on the average
  double survey = 0, filter = 0, relax = 0;
};

/// What the sparse solver did. Times are milliseconds.
struct Sweeping {
  double arcs = 0;  ///< that lead down the hierarchy, a vertex
  int coreSize = 0;  ///< vertices that were not eliminated
  double order = 0, eliminate = 0, customise = 0, solveCore = 0, prune = 0, sweep = 0;
};

/// What breadth-first searches did.
struct Levelling {
  int levels = 0;     ///< edges of the longest of all shortest paths, or one or two fewer
  double passed = 0;  ///< arcs that leave the vertices that a source reaches, of all sources
};

/// What was done for negative weights, before and after solving.
struct Reweighting {
  int passes = 0;           ///< over the graph that lowered a potential; 0: no weight is negative
  double least = 0;         ///< the least potential
  double milliseconds = 0;  ///< potentials and shifts, a part of the call's time
};

/// How a graph of 64-bit weights was solved in int32.
struct Narrowing {
  bool used = false;
  int exponent = 0;         ///< its weights are those of int32 times 2^exponent
  double milliseconds = 0;  ///< that it took to look at the weights, no part of the call's time
};

struct Outcome {
  Tier tier = Tier::kInt32;
  bool symmetric = false;  ///< the matrix was symmetric, and only half of it was solved
  bool skipped = false;    ///< products may have been left out: n³ over the time is no throughput
  bool streamed = false;   ///< there was no room for the distances: rows were found and discarded
  Method method = Method::kDense;  ///< any but kAuto
  /// Milliseconds that the call was expected to take when its method had been chosen, and that the
  /// dense method was; 0: not known.
  double expected = 0, expectedDense = 0;
  double choosing = 0;       ///< milliseconds that choosing took, a part of the call's time
  double chosen = 0;         ///< the same if Run::reset() chose: no part of the call's time
  Filtering filtering = {};  ///< if the method is kFiltered
  Sweeping sweeping = {};    ///< if the method is kSparse
  Levelling levelling = {};  ///< if the method is kBfs
  Reweighting reweighting = {};
  Narrowing narrowing = {};
};

}  // namespace engine
