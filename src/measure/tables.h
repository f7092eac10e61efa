// What the terminal shows: the result of a run, and the table of a sweep.
#pragma once

#include <string>
#include <vector>

#include "core/quantity.h"
#include "measure/record.h"

/// The lines that describe a device. kind: "gpu" or "cpu".
std::string deviceLines(const std::string& kind, const DeviceInfo& device);

/// The lines that describe the graph and the device before anything is solved.
std::string graphLines(const Record& record);

/// The width of the first column of the result table, which holds these names of kernels.
std::size_t nameWidth(const std::vector<std::string>& names);

/// The heading of the result table, two lines, and one row. baseline: the median in milliseconds
/// that speedups refer to, 0 if there is none. The verdict is green, red or yellow. width:
/// nameWidth(). If the table has several `sizes`, sizeField() stands before each row.
std::string resultHead(std::size_t width = nameWidth({}), bool sizes = false);
std::string sizeField(int n);
std::string resultRow(const Record& record, double baseline, std::size_t width = nameWidth({}));

/// The row of a result that an earlier run measured, marked as kept.
std::string keptRow(const Row& row, double baseline, std::size_t width = nameWidth({}));

/// The lines below a row: outliers, what disturbed the measurement, what a submission printed.
/// onlyAnswer: the only call was not made to measure it.
std::string notesBelow(const Record& record, bool onlyAnswer = false);

/// The lines below a row that is kept: where it is, and when it was measured.
std::string notesBelow(const Row& kept, const std::string& whyKept);

/// The result of the verification, whether the time is disturbed, and whether nothing confined the
/// solver: the last field of a row, in green, red and yellow.
std::string verdictText(const Record& record);

/// "kernel apsp: 3 of 100 entries differ from …; first at (i, j): expected 1, got 2". kInf is
/// shown as inf.
std::string mismatchText(const Record& record);

/// The kernel of a record and its options: "ref", "apsp --precision 32".
std::string solverOf(const Row& row);

/// The device of a record. With a CPU, the number of threads is part of it.
std::string deviceOf(const Row& row);

/// The graph of a record without its n. The type is part of it unless it is int32: "ring seed=1
/// range=9 f32".
std::string graphsOf(const Row& row);

/// The tables of a sweep, one for each device and graph family, as plain text or Markdown. A row
/// for each n has the time of each solver (a kernel with other options is another solver), its
/// speedup over ref, and whether all results were verified.
std::string sweepTables(const std::vector<Row>& rows, bool markdown);

/// A heading, and a line for each planned result that is missing.
std::string missingList(const std::vector<Row>& missing);

/// A heading, and a line for each disturbed result with its causes; "" if there is none.
std::string disturbedList(const std::vector<Row>& rows);
