// The result of a check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/cases.h"
#include "check/warnings.h"
#include "device/device.h"
#include "generate/families.h"
#include "measure/submitted.h"
#include "submission/submission.h"

/// The result on one graph, which is solved twice; a cell of the table of families and sizes.
struct CheckCell : CheckCase {
  bool skipped = false;        ///< not solved, because the solver is slow or failed too often
  Mismatch mismatch;           ///< of the first call whose distances are wrong
  std::uint64_t unsteady = 0;  ///< entries in which the two calls differ
  bool settled = false;        ///< the second call is right
  bool stale = false;          ///< the distances are those of the decoy, which was solved before
  bool unchanged = false;      ///< the distances are the graph itself
  bool freshPasses = false;    ///< the same solver, newly loaded, solves this graph
  std::optional<SolveFault::Kind> fault;
  std::string faultText;  ///< one line; "" without a fault
  std::string warning;    ///< SubmittedCall::warning of the first call with one; it is no failure

  bool failed() const { return mismatch.count != 0 || unsteady != 0 || fault.has_value(); }
  /// Whether it failed because of the calls before it.
  bool needsEarlierCalls() const { return stale || freshPasses || fault == SolveFault::kLeak; }
};

/// What is wrong with a solver. Empty if nothing is.
struct Diagnosis {
  std::string pattern;   ///< its name, for example "squared"
  std::string sentence;  ///< what the solver does, and where to look; one line
};

struct Check {
  std::string kernel;        ///< the name of the solver
  std::string sandbox = "";  ///< Submitted::sandbox
  std::string deviceKind, deviceName;
  CheckOptions options;
  std::vector<CheckCell> cells;
  Diagnosis diagnosis;
  std::optional<Spec> witness;  ///< the smallest graph found that fails by itself
  std::string matrices;         ///< input, expected and got of the witness, by matricesText()
  std::string witnessFile;      ///< where it, or why there is none, was written; "": nowhere
  std::string witnessError;     ///< why it could not be written; "" if it could
  std::size_t printed = 0;      ///< bytes that a submission wrote to its output
  double seconds = 0;
  bool partial = false;  ///< a signal ended it; cells that it did not come to are skipped

  /// The cell with the smallest n that failed; nullptr if none did by more than being slow.
  const CheckCell* smallestFailure() const;
  /// The number of cells that failed.
  std::size_t failed() const;
  /// The warnings of the cells that were solved.
  Warnings warnings() const;
};
