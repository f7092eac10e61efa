// Recognises known mistakes of solvers by the graphs that they fail.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/graph.h"
#include "check/result.h"
#include "generate/families.h"

/// A check that failed, and functions to try further graphs.
struct Evidence {
  const Check& check;
  std::function<std::optional<Matrix>(const Spec&)> solve;  ///< the solver's distances; nothing
                                                            ///< after a fault
  std::function<Matrix(const Spec&)> oracle;                ///< the right distances
  /// The distances of these graphs by the solver newly loaded, with this byte in memory that it has
  /// not set; fewer after a fault. Null if that cannot be done.
  std::function<std::vector<Matrix>(const std::vector<Spec>&, unsigned char byte)> solveFilled = {};
};

/// The first known pattern that fits; "unknown" if none does. Empty if nothing failed. A pattern
/// that predicts results says how many of its predictions hold; if few do, it is "perhaps" the
/// mistake.
Diagnosis diagnose(const Evidence& evidence);
