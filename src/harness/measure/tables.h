// What the terminal shows: the result of a run, and the table of a sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "measure/record.h"

/// "0.0512 ms", "11.3 ms", "68.2 s", "1250 s": a time of three digits that need not line up with
/// others.
std::string roundedTime(double ms);

/// The lines that describe a device. kind: "gpu" or "cpu".
std::string deviceLines(const std::string& kind, const DeviceInfo& device);

/// The lines that describe the graph and the device before anything is solved.
std::string graphLines(const Record& record);

/// A line that says that each call gets another generated graph, and how to get the same ones
/// again; "" if they do not. seed: "" of a file.
std::string variedLine(const MeasureOptions& measuring, std::optional<std::uint64_t> seed);

/// The widths of the columns of a table of results that depend on what the table holds.
struct Widths {
  std::size_t n = 0;  ///< of the numbers of vertices; 0: the table has no such column
  std::size_t name = 0;
};

/// The widths for these kernels and sizes. There is a column for n if there are several sizes. On a
/// terminal, names get so few columns that the table fits.
Widths widthsOf(const std::vector<std::string>& names, const std::vector<int>& sizes = {});

/// The heading of the result table, two lines, and one row. baseline: the median in milliseconds
/// that speedups refer to, 0 if there is none. The verdict is green, red or yellow.
std::string resultHead(const Widths& widths);
std::string resultRow(const Record& record, double baseline, const Widths& widths);

/// The row of a result that an earlier run measured, marked as kept. The second function makes the
/// row of a result that is not there, with the reason.
std::string keptRow(const Row& row, double baseline, const Widths& widths);
std::string skippedRow(const std::string& kernel, int n, const std::string& why,
                       const Widths& widths);

/// A row of a table of results, whose last field is its verdict. If the row is wider than the
/// terminal, the verdict stands in a line of its own, at the right.
std::string withVerdict(const std::string& row, const std::string& verdict);

/// The lines below a row: of a solver that does less than n³ relaxations, its distances per second.
std::string notesBelow(const Record& record);

/// The lines below a row that is kept: where it is, and when it was measured.
std::string notesBelow(const Row& kept, const std::string& whyKept);

/// The result of the verification, whether the time is disturbed, and whether nothing confined the
/// solver: the last field of a row, in green, red and yellow.
std::string verdictText(const Record& record);

/// "kernel apsp: 3 of 100 entries differ from …; first at (i, j): expected 1, got 2".
/// Infinity is shown as inf.
std::string mismatchText(const Record& record);

/// The kernel of a record and its options: "ref", "apsp --precision 32". Of a file, the beginning
/// of the SHA-256 of its content follows: "./mine.so 0a1b2c3d".
std::string solverOf(const Row& row);

/// The device of a record. With a CPU, the number of threads is part of it.
std::string deviceOf(const Row& row);

/// The graph of a record without its n, and without a seed that was drawn. The type is part of it
/// unless it is int32: "ring seed=1 range=9 f64".
std::string graphsOf(const Row& row);

/// The tables of a sweep, one for each device and graph family, as plain text or Markdown. A row
/// for each n has the time of each solver (a kernel with other options is another solver), its
/// speedup over ref, and whether all results were verified.
std::string sweepTables(const std::vector<Row>& rows, bool markdown);

/// A heading, and a line for each planned result that is missing.
std::string missingList(const std::vector<Row>& missing);

/// A heading, and for each wrong result a line and the command that shows it.
std::string wrongList(const std::vector<Row>& wrong);

/// A heading, and a line for each disturbed result with its causes; "" if there is none.
std::string disturbedList(const std::vector<Row>& rows);
