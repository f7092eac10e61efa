// The ladder measured: every rung of the course reports (ladder/ladder.h) on this machine, beside
// what its report says.
#pragma once

#include <string>
#include <vector>

#include "ladder/ladder.h"
#include "measure/record.h"

/// What a step takes, and how many times faster it is than the step before it and than the naive
/// solver; 0 where that is not known.
struct Speed {
  double milliseconds = 0, overBefore = 0, overNaive = 0;
};

/// A rung at one n; or `ref`, `apsp` or a kernel beside them, which are of no report.
struct Step {
  const Report* report = nullptr;
  const Rung* rung = nullptr;
  Record record;
  Speed here, there;  ///< measured, and as the report gives or implies it
};

/// The reports of these letters, all where there are none, in the table's order. Throws
/// Error(kUsage) naming those there are.
std::vector<const Report*> chooseReports(const std::vector<std::string>& letters);

/// Measures `ref`, `apsp`, the kernels `beside` them and the reports' rungs on the course's graph
/// of n vertices in memory of the device, in that order. ref is verified by Dijkstra, every call of
/// the others in full by ref. Throws Error(kMemory) where n is too large.
std::vector<Step> climb(const Device& device, const std::vector<const Report*>& reports, int n,
                        const MeasurePlan& plan, const std::vector<Kernel>& beside = {});

/// Fills in `here` and `there` of the steps of one n. A wrong result has no speedup.
void compareSteps(std::vector<Step>& steps);

/// The reports' steps, an idea a line.
std::string ladderLegend(const std::vector<const Report*>& reports);

/// The steps of one n, a table a report, 80 columns wide. colour: mark verdicts green or red.
std::string ladderTables(const std::vector<Step>& steps, bool colour);

/// The same as CSV, header apart, and as JSON; ref and apsp stand there with report "-".
std::string ladderCsvHeader();
std::string ladderCsvRows(const std::vector<Step>& steps);
std::string ladderJson(const std::vector<Step>& steps);
