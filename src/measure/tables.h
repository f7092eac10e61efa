// What the user sees on the terminal: the result of a run, and the table of a sweep.
#pragma once

#include <string>
#include <vector>

#include "core/quantity.h"
#include "measure/record.h"

/// Lines about a device of that kind.
std::string deviceLines(const std::string& kind, const DeviceInfo& device);

/// Lines about the graph and the device, before anything is solved.
std::string graphLines(const Record& record);

/// The head of the result table, and one row of it. baseline: the median of the kernel that
/// speedups refer to, 0 where there is none. colour: mark the verdict green or red.
std::string resultHead();
std::string resultRow(const Record& record, double baseline, bool colour);

/// A line to follow the row of a time that was taken while the GPU was throttled or shared, else
/// "".
std::string disturbanceLine(const Clocks& after);

/// What came of the verification, the last field of a row. colour: mark it green or red.
std::string verdictText(const Record& record, bool colour);

/// "kernel apsp: 3 of 100 entries differ from …; first at (i, j): expected 1, got 2"; kInf reads
/// inf.
std::string mismatchText(const Record& record);

/// The kernel of a record and what it was told: "ref", "apsp --precision 32".
std::string solverOf(const Row& row);

/// Its device, and on a CPU the threads.
std::string deviceOf(const Row& row);

/// Its graph without its n, and the type where that is not int32: "ring seed=1 range=9 f32".
std::string graphsOf(const Row& row);

/// The reports' table: a row for each n, the time of each kernel (told to do otherwise than by
/// default, it is another), the speedup of each over ref, and whether all of it was verified. One
/// table for each device and graph family, as plain text or Markdown.
std::string sweepTables(const std::vector<Row>& rows, bool markdown);

/// A line for each point of a sweep that has no record, under what they are.
std::string missingList(const std::vector<Row>& missing);
