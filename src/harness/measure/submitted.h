// What is known of a solver that somebody else wrote, beside its distances: the engine passes it
// on, and does not look.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "solver/solver.h"

using namespace engine;

/// Submitted::sandbox if nothing confines it.
inline constexpr char kUnsandboxed[] = "unsandboxed";

/// Of the solver. All of it is empty if the solver is this program's own.
struct engine::Submitted {
  std::string version = "";  ///< a hash of its file's content
  std::string sandbox = "";  ///< what confines it: "landlock", "bubblewrap" or kUnsandboxed
  /// Ends the worker that runs between its calls; so one of ours has that a worker runs, too.
  std::function<void()> rest = nullptr;
};

/// Milliseconds around a call that a worker did, see src/course/submission; 0 of other calls.
struct WorkerTimes {
  double cost = 0;   ///< of the exchange with the worker, subtracted from the call's already
  double own = 0;    ///< of the call, by the worker's clock, which a submission can forge
  double floor = 0;  ///< the least that any solver takes: to read and write every element
};

/// Of one call.
struct engine::SubmittedCall {
  WorkerTimes times = {};
  std::string printed = "";  ///< what it wrote to its output
  std::string warning = "";  ///< one line: what it did that no solver should do, though it returned
};

const Submitted& submitted(const Solver& solver);
const SubmittedCall& submitted(const Call& call);

/// Ends the workers of all but one of these, before that one is timed.
void restOthers(const std::vector<Solver>& solvers, const Solver& timed);

/// What a solver did instead of returning. what() is one line: which solver, what happened and
/// when.
struct SolveFault : Error {
  enum Kind {
    kCrash,
    kCudaError,
    kHang,
    kExit,
    kLeak,
    kOutOfBounds,
    kNoMemory,
    kSlow,
    kNotBuilt,   ///< it does not compile
    kNotLoaded,  ///< it cannot be read or loaded
  } kind;
  std::string printed;  ///< what it wrote to its output in that call
  SolveFault(Kind what, const std::string& message, std::string output = "")
      : Error(ErrorCode::kMismatch, message), kind(what), printed(std::move(output)) {}
};

/// A word or two for a table: "crashed".
const char* nameOf(SolveFault::Kind kind);
