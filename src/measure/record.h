// What one measurement of one kernel on one graph tells: the record behind the table, --json, --csv
// and
// --record. One list of columns formats it everywhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/device.h"
#include "measure/timing.h"
#include "verify/verify.h"

/// Milliseconds of the work around the solver, on the host's clock.
struct HostTimes {
  double load = 0;  ///< reading the file, or generating the graph
  double copyIn = 0, copyOut = 0, write = 0;
};

struct Record {
  std::string input;  ///< the file's name, or what describe() says of a generated graph
  std::string seed;   ///< "" for files
  int n = 0;
  Tally graph;                  ///< edges and hash of the input
  std::string kernel, version;  ///< as the Kernel says
  std::string point = "";       ///< of a --record directory, see points.h
  Dtype dtype = Dtype::kInt32;  ///< of the weights
  MeasurePlan plan;
  Outcome outcome;  ///< of the last call
  Timing timing;
  Verdict verdict;
  std::string fault, faultText;   ///< "crashed" and all of it, where a submission did not return
  std::size_t printed = 0;        ///< bytes that a submission wrote to its output
  std::string warning;            ///< the last Call::warning that is not empty
  std::uint64_t unreachable = 0;  ///< ordered pairs
  HostTimes host;
  std::string deviceKind;
  DeviceInfo device;
  Clocks before, after;

  double wall = 0;  ///< relaxations per second that this device can do in that tier; 0: not known

  double relaxationsPerSecond() const;
  /// The speed as a percentage of the wall; 0 where that is not known or the work was not all done.
  double percentOfWall() const;
  std::string deviceShort() const;  ///< its folder in results/: "h100", "cpu"
  /// Whether entries differ, or there are none.
  bool failed() const { return verdict.failed() || !fault.empty(); }
  /// "ref", "dijkstra:16", of floats with the tolerance, "no", "WRONG" where entries differ, or the
  /// fault.
  std::string verified() const;
};

/// A row of a CSV file: column name → field.
using Row = std::map<std::string, std::string>;

/// The CSV header, newline included: the columns' names.
std::string csvHeader();

/// One line of CSV, newline included; fields quoted where they need it (RFC 4180).
std::string csvRow(const Record& record);

/// The same line of a record that was read back.
std::string csvRow(const Row& row);

/// A JSON array of one object a record. Bytes that are not UTF-8 become \udcXX, as Python reads
/// them back.
std::string toJson(const std::vector<Record>& records);

/// The rows of CSV text with a header. Throws Error(kInput) naming `path` and the line.
std::vector<Row> parseCsv(const std::string& path, const std::string& text);

/// Whether a row holds no result: entries differ, or a submission did not return.
bool failed(const Row& row);

/// The records in a file. Throws Error(kInput) where it cannot be read or lacks one of our columns
/// other than `point`, which older records have not got.
std::vector<Row> readRecords(const std::string& path);
