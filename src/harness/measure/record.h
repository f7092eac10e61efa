// The record of one measurement: one solver on one graph. The table on the terminal, --json, --csv
// and --record all show it, and record.cpp has the one list of its columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "io/csv.h"
#include "measure/load.h"
#include "measure/submitted.h"
#include "measure/timing.h"
#include "verify/verify.h"

/// Milliseconds that the host spent around the solver.
struct HostTimes {
  double load = 0;  ///< reading the file, or generating the graph
  double copyIn = 0;
  double place = 0;  ///< taking the memory of the first call, with its graph where it needs that
  double write = 0;  ///< the distances, copied from the device meanwhile
};

struct Record {
  std::string input;                       ///< the file's name, or describe() of a generated graph
  std::optional<std::uint64_t> seed = {};  ///< nothing if the graph is a file
  int n = 0;
  int sources = 0, targets = 0;  ///< rows and columns of the distances: n, or what is asked for
  GraphStats graph;              ///< edges and hash of the input
  std::string kernel;            ///< copied from the Solver
  std::string version = "", sandbox = "";  ///< see Submitted
  std::string point = "";        ///< pointId() (result_store.h), "" without --record
  Dtype dtype = Dtype::kInt32;   ///< of weights and distances; outcome.tier: what computed them
  MeasureOptions measuring;
  Work work = Work::kRelaxations;  ///< what the solver's work is counted in
  Outcome outcome;                 ///< of the last call
  Sharing sharing;                 ///< of the last call
  Timing timing;
  Verdict verdict;
  std::string fault, faultText;   ///< "crashed" and the whole message, if a submission failed
  std::size_t printed = 0;        ///< bytes that a submission wrote to its output
  std::string warning = "";       ///< the first that a call gave, see SubmittedCall
  std::uint64_t unreachable = 0;  ///< ordered pairs without a path
  Number farthest = 0;            ///< the largest distance
  WorkerTimes worker;             ///< of a submission, medians
  double apart = 0;               ///< the least of its calls: how far our time is from its own
  std::string doubt = "";         ///< why the time does not count, see doubtOf(); "" if it does
  HostTimes host;
  std::string deviceKind;
  DeviceInfo device;
  Clocks before, after;    ///< the measurement
  MachineLoad load;        ///< during the measurement
  bool oneThread = false;  ///< the solver computes with one CPU thread, whatever --threads says

  bool partial = false;  ///< a signal ended the measurement; such a record is printed, not written

  double peak = 0;       ///< relaxations per second of this device in this tier; 0: unknown
  double bandwidth = 0;  ///< bytes per second of its memory; 0: unknown

  /// 0 if the solver does less than n³ relaxations.
  double relaxationsPerSecond() const;
  double distancesPerSecond() const;
  /// Of breadth-first searches: arcs that leave what a source reaches, of all sources. Else 0.
  double arcsPerSecond() const;
  /// The speed as a percentage of the peak. 0 if the peak is unknown, or if symmetry or skipped
  /// products saved work: then the speed says nothing about the device.
  double percentOfPeak() const;
  /// Of breadth-first searches on a GPU that find all distances: the time in which its memory takes
  /// so many bytes, as a percentage of the time they took. Else 0, or if its bandwidth is unknown.
  double percentOfWriteBound() const;
  std::string deviceShort() const;  ///< its folder in results/: "h100", "cpu"
  /// What graphs the calls got: "drawn" or "varied", another one in each call, with a seed that was
  /// drawn or given; else "public" if it was a submission, which can know the one graph, or "same".
  std::string graphs() const;
  /// Whether distances are wrong, or there are none.
  bool failed() const { return verdict.failed() || !fault.empty(); }
  /// The oracle ("ref", "dijkstra:16", of real distances also the tolerance), "no" without one,
  /// "WRONG" if distances differ, or the fault.
  std::string verified() const;
};

/// The CSV header with the columns of a record, newline included.
std::string csvHeader();

/// The record as one line of CSV, newline included.
std::string csvRow(const Record& record);

/// Whether a record has a column of that name.
bool isColumn(const std::string& name);

/// The same line, of a record that was read from a file.
std::string csvRow(const Row& row);

/// The records as a JSON array of objects (jsonText() in io/json.h), whose keys are the columns of
/// the CSV. "times_ms" is an array here: the milliseconds of every call that counts.
std::string toJson(const std::vector<Record>& records);

/// Whether a row has no valid result: distances are wrong, or a submission did not return.
bool failed(const Row& row);

/// Whether each call got a generated graph of its own. The hash is then that of the last one.
bool isVaried(const Row& row);

/// Whether a submission solved one graph, which it can know.
bool isPublic(const Row& row);

/// The records in a CSV file. Throws Error(kInput) if it cannot be read or a column is missing.
/// Columns that older versions did not write may be missing. Then they are empty.
std::vector<Row> readRecords(const std::string& path);
