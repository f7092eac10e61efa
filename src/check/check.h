// `apsp check`: solves graphs that wrong solvers get wrong, at the sizes at which they do, compares
// each result with the right distances, and says what is wrong with the solver.
#pragma once

#include <functional>

#include "check/cases.h"
#include "check/result.h"
#include "check/summary.h"
#include "device/device.h"
#include "solvers/solver.h"

/// Checks a solver as the plan says. `fresh` gives the solver as newly loaded: for a submission
/// that is a new process, for a row of the solver table the same row. If a submission fails to
/// return, that is a result, and the check goes on. Throws Error(kMismatch) if the expected
/// distances themselves are wrong (oracle.h), Error(kMemory), Error(kOutput) if the witness cannot
/// be written, and what `fresh` throws.
Check check(const std::function<Solver()>& fresh, const Device& device, const CheckPlan& plan);
