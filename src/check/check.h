// `apsp check`: one kernel on graphs meant to break it, at the sizes where kernels break, each
// result held against an oracle that shares no code with the kernel; and what is wrong with it.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/graph.h"
#include "device/device.h"
#include "solvers/solver.h"
#include "submission/submission.h"

struct CheckPlan {
  enum Depth { kQuick, kNormal, kFull } depth = kNormal;
  bool general = false;  ///< apsp.h's whole contract; else the course's: a complete graph, weights
                         ///< of 0…100000
  bool vary = true;      ///< another graph of the same size goes before each one
  int most = 2500;       ///< larger graphs are left out
  double seconds = INFINITY;  ///< the kernel's calls may take, then the rest is left out
  std::string witnessDir;     ///< where the witness is written; "" nowhere
};

/// What a kernel made of one graph.
struct CheckCell {
  Spec spec;
  bool again = false;          ///< a small graph right after a large one
  bool decoy = false;          ///< goes before each of the others of its size
  bool skipped = false;        ///< not run: the kernel had failed in one way too often, or is slow
  Mismatch mismatch;           ///< of the first of two calls on this graph that was wrong
  std::uint64_t unsteady = 0;  ///< entries in which the two differ
  bool settled = false;        ///< the second one is right
  bool stale = false;          ///< the result is that of the call before, on another graph
  bool unchanged = false;      ///< the result is the graph as it was given
  bool freshPasses = false;    ///< the same kernel newly loaded does solve it
  std::optional<SubmissionFault::Kind> fault;
  std::string faultText;  ///< one line, "" without a fault

  bool failed() const { return mismatch.count != 0 || unsteady != 0 || fault.has_value(); }
};

/// What is wrong with a kernel; empty where nothing is, or no known pattern fits.
struct Diagnosis {
  std::string pattern;   ///< its name, "squared"
  std::string sentence;  ///< one line
};

struct Check {
  std::string kernel;
  std::string deviceKind, deviceName;
  CheckPlan plan;
  std::vector<CheckCell> cells;
  Diagnosis diagnosis;
  std::optional<Spec> witness;  ///< the smallest graph found that fails by itself
  std::string witnessFile;      ///< where it was written, "" where it was not
  std::size_t printed = 0;      ///< bytes that a submission wrote to its output
  double seconds = 0;

  std::size_t failed() const;  ///< cells
};

/// Runs the checks of a plan. `fresh` gives the kernel as newly loaded: a child process of its own
/// for a submission, the same row for a kernel of the table. A fault of a submission
/// becomes a cell, and the check goes on. Throws Error(kMismatch) where the oracle
/// itself disagrees with Dijkstra's algorithm, Error(kMemory), Error(kOutput) where the witness
/// cannot be written, and what `fresh` throws.
Check check(const std::function<Kernel()>& fresh, const Device& device, const CheckPlan& plan);

/// The distances of a directed graph in host memory, by an oracle that shares no code with
/// `kernel`: the closed form where the family has one, else a solver, of whose result rows are
/// checked by Dijkstra's algorithm. Throws Error(kMismatch) where these differ, Error(kMemory).
Matrix oracleDistances(const Spec& spec, const Kernel& kernel);

/// The contract's families and the wrong kernels that each one catches.
std::string checkFamilies(bool general);

/// The table of families and sizes, the first failure of each family, the diagnosis and the
/// witness. 80 columns wide, names apart.
std::string checkText(const Check& check);

/// What failed, in one line.
std::string checkSummary(const Check& check);

/// A line a check as CSV, header apart; and JSON with every cell.
std::string checkCsvHeader();
std::string checkCsvRow(const Check& check);
std::string checkJson(const std::vector<Check>& checks);
