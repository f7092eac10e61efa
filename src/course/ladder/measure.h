// Measures the ladder: every rung of the course reports (src/course/ladder/ladder.h) on this
// machine, beside the figures of its report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ladder/ladder.h"
#include "measure/record.h"

/// What a step takes, and how many times faster it is than the step before it and than the naive
/// solver; 0 if that is not known.
struct Speed {
  double milliseconds = 0, overBefore = 0, overNaive = 0;
};

/// A rung at one n; or `ref`, `apsp` or a solver beside them, which belong to no report.
struct Step {
  const Report* report = nullptr;
  const Rung* rung = nullptr;
  Record record;
  Speed here, there;  ///< measured, and as the report gives or implies it
};

/// The reports of these letters, in the table's order; all of them if no letter is given. Throws
/// Error(kUsage) naming those there are.
std::vector<const Report*> chooseReports(const std::vector<std::string>& letters);

/// Measures `ref`, `apsp`, the solvers `beside` them and the reports' rungs on the course's graph
/// of n vertices on a device, in that order. If a solver beside them is a submission, each call
/// gets a graph that nobody knows, the same ones for all steps. ref is verified by Dijkstra, every
/// call of the others in full by ref. Throws Error(kMemory) if n is too large. interrupted(the
/// steps so far): is called if SIGINT or SIGTERM ends this (io/interrupt.h); the last step may be
/// partial.
std::vector<Step> runLadder(
    const Device& device, const std::vector<const Report*>& reports, int n, MeasureOptions options,
    const std::vector<Solver>& beside = {},
    const std::function<void(const std::vector<Step>&)>& interrupted = nullptr);

/// Fills in `here` and `there` of the steps of one n. A wrong result has no speedup.
void compareSteps(std::vector<Step>& steps);

/// The reports' steps, one line each.
std::string ladderLegend(const std::vector<const Report*>& reports);

/// The steps of one n, a table a report, 80 columns wide, verdicts in green or red.
std::string ladderTables(const std::vector<Step>& steps);

/// The same as CSV, header apart, and as JSON; ref and apsp stand there with report "-".
std::string ladderCsvHeader();
std::string ladderCsvRows(const std::vector<Step>& steps);
std::string ladderJson(const std::vector<Step>& steps);
