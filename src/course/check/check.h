// `apsp check`: solves graphs that wrong solvers get wrong, at the sizes at which they do, compares
// each result with the right distances, and says what is wrong with the solver.
#pragma once

#include <functional>

#include "check/cases.h"
#include "check/result.h"
#include "check/summary.h"
#include "device/device.h"
#include "solver/solver.h"
#include "submission/submission.h"

/// The limits of a submission that is checked: nothing is timed, and on one core OpenMP has several
/// threads. They take turns, so a race between them shows less often than on two, but it shows.
SubmissionLimits checkingLimits(SubmissionLimits limits);

/// Checks a solver as the options say. `fresh` gives the solver as newly loaded: for a submission
/// that is a new process, for a row of the solver table the same row. If a submission fails to
/// return, that is a result, and the check goes on. If the witness cannot be written,
/// Check::witnessError says why. Throws Error(kMismatch) if the expected distances themselves are
/// wrong (oracle.h), Error(kOutput) before anything is solved if options.witnessDir cannot be made
/// or written, Error(kMemory), and what `fresh` throws.
///
/// filled(byte): gives a submission newly loaded, with that byte in memory that it has not set
/// (SubmissionLimits::fill); null if that cannot be done. If it throws Error, nothing is known.
///
/// interrupted(the partial check): is called if SIGINT or SIGTERM ends the check (io/interrupt.h).
Check check(const std::function<Solver()>& fresh, const Device& device, const CheckOptions& options,
            const std::function<void(const Check& partial)>& interrupted = nullptr,
            const std::function<Solver(unsigned char byte)>& filled = nullptr);
