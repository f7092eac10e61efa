// Recognises known mistakes of solvers by the graphs that they fail.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/graph.h"
#include "check/result.h"
#include "generate/families.h"

/// A check that failed, and functions to try further graphs.
struct Evidence {
  const Check& check;
  std::function<std::optional<Matrix>(const Spec&)> solve;  ///< the solver's distances; nothing
                                                            ///< after a fault
  std::function<Matrix(const Spec&)> oracle;                ///< the right distances
};

/// The first known pattern that fits; "unknown" if none does. Empty if nothing failed.
Diagnosis diagnose(const Evidence& evidence);
