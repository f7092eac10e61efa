// What a solve did.
#pragma once

#include "solver/options.h"

/// The arithmetic that was used. kNone: 16 bits were asked for but cannot be proved exact for this
/// graph, which is unchanged.
enum class Tier { kNone, kInt32, kUint16, kFloat32 };

/// What the filtered solver did. Times are milliseconds.
struct Filtering {
  double kept = 0;    ///< edges that were kept, a vertex
  double passes = 0;  ///< looks at the edges of a vertex for a block of distances, on the average
  double survey = 0, filter = 0, relax = 0;
};

/// What the sparse solver did. Times are milliseconds.
struct Sweeping {
  double arcs = 0;        ///< that lead down the hierarchy, a vertex
  int core = 0;           ///< vertices that were not eliminated
  bool streamed = false;  ///< there was no room for the matrix: rows were swept and discarded
  double expected = 0, dense = 0;  ///< that this and the dense solver were expected to take
  double order = 0, eliminate = 0, customise = 0, solveCore = 0, prune = 0, sweep = 0;
};

/// What was done for negative weights, before and after solving.
struct Reweighting {
  int passes = 0;           ///< over the graph that lowered a potential; 0: no weight is negative
  double least = 0;         ///< the least potential
  double milliseconds = 0;  ///< potentials and shifts, a part of the call's time
};

struct Outcome {
  Tier tier = Tier::kInt32;
  bool symmetric = false;  ///< the matrix was symmetric, and only half of it was solved
  bool skipped = false;    ///< products may have been left out: n³ over the time is no throughput
  Method method = Method::kDense;  ///< any but kAuto
  Filtering filtering = {};        ///< if the method is kFiltered
  Sweeping sweeping = {};          ///< if the method is kSparse
  Reweighting reweighting = {};
};
