// The smallest graph that a solver fails.
#pragma once

#include <optional>
#include <string>

#include "check/result.h"
#include "check/solver_under_test.h"

/// A small graph of the family that failed at the smallest n. Nothing if the failures depend on
/// earlier calls, because no single graph shows those.
std::optional<Spec> smallestWitness(const Check& check, SolverUnderTest& solver);

/// Writes the graph into a directory, which is made if it does not exist, and returns the path.
/// format: a name for writeGraph(), which is also the extension. Throws Error(kOutput).
std::string writeWitness(const Spec& spec, const std::string& directory, const std::string& format);
