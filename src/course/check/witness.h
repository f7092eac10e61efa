// The smallest graph that a solver fails.
#pragma once

#include <optional>
#include <string>

#include "check/result.h"
#include "check/solver_under_test.h"
#include "generate/families.h"

/// The smallest graph of the families that failed. If none of them fails below n = 16, it is of the
/// family that failed at the smallest n. Nothing if the failures depend on earlier calls, because
/// no single graph shows those.
std::optional<Spec> smallestWitness(const Check& check, SolverUnderTest& solver);

/// The witness, its distances and those that the solver finds, by matricesText(). "" if the solver
/// returns none, or only right ones. check.witness must be there.
std::string witnessMatrices(const Check& check, SolverUnderTest& solver);

/// Makes the directory of --witness if it does not exist. Throws Error(kOutput) if files cannot be
/// written there.
void makeWitnessFolder(const std::string& directory);

/// How the names of files begin that say why there is no witness.
constexpr char kNoWitness[] = "no-witness-";

/// The file that says why there is no witness of this kernel.
std::string noWitnessFile(const std::string& kernel, const std::string& directory);

/// Writes the graph into a directory and returns the path. format: a name for writeGraph(), which
/// is also the extension. Throws Error(kOutput).
std::string writeWitness(const Spec& spec, const std::string& directory, const std::string& format);
