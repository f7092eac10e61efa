// Where the results of the main job go: the table on the terminal, the file of distances, and the
// files of records.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/solve.h"
#include "io/formats/formats.h"
#include "io/ids.h"
#include "io/output.h"
#include "measure/record.h"
#include "measure/remarks.h"
#include "measure/result_store.h"
#include "measure/tables.h"
#include "results/predecessor_file.h"
#include "solver/distances.h"

/// The table of results on the terminal: a row for each graph and solver.
class ResultTable {
 public:
  explicit ResultTable(const SolveFlags& flags);

  /// Several sizes share a table: describes all graphs, the device and the ranks above it.
  void beginSweep(const std::vector<Source>& sources, const Device& device) const;
  /// The rows that follow belong to this graph, and their speedups refer to its ref. Unless several
  /// sizes share the table, it begins here, with the graph above it. base: what the records of the
  /// graph have in common.
  void beginGraph(const Source& source, const Record& base);
  void say(const Record& record);
  /// The row of a solver that was interrupted. `record` has the calls so far.
  void sayPartial(const Record& record);
  /// The row of a record that --record's directory holds already, or who measures it now.
  void sayKept(const std::string& name, const PendingResult& pending);
  /// The remarks about the rows so far. To be called when the table is complete, or interrupted.
  void sayRemarks();

 private:
  void describe(const Source& source, const Record& base) const;

  const SolveFlags& o_;
  const Widths widths_;
  Remarks remarks_;
  int n_ = 0;
  double baseline_ = 0;  // the median of ref in milliseconds; 0: not measured
};

/// The files that -o, --summary, --histogram and --predecessors name, if there are any, and the
/// files of ids beside those of -o and --predecessors.
class ResultFiles {
 public:
  explicit ResultFiles(const SolveFlags& flags) : o_(flags) {}

  /// Throws Error(kUsage) if such distances cannot be written in the format that was asked for.
  void checkFormat(Dtype dtype) const;
  /// Opens the files. Throws Error(kOutput), also if the disk has no room, or if a file of ids
  /// would replace one that this program did not write. names: as ReadReport::names.
  void open(const ProblemGraph& graph, const std::string& names);
  /// Writes the distances, the summary, the histogram and the predecessors. record: what is known
  /// of the distances. Returns the milliseconds that the distances took. Throws Error(kMismatch) if
  /// predecessors were to be verified and are wrong.
  double write(const ProblemGraph& graph, const Distances& distances, const Record& record);
  /// Whether take() writes rows of that type, because the format stores them unchanged.
  bool takesRows(Dtype dtype) const;
  /// Takes whole rows that a solver cannot keep, in their order, before the distances are verified.
  /// If takesRows(), they go to the file now, and write() need not ask for them again. record: has
  /// the size, the type and the hash of the graph. Throws Error(kOutput).
  void take(int first, int count, ConstElements elements, const Record& record);
  /// What to say about pairs without a path, and what the file has there; "" if there are none.
  std::string unreachableText(const Record& record) const;
  /// "" without these files, else the end of a message that tells why the distances are not
  /// written.
  std::string keptText() const;

 private:
  /// How distances of this shape and type are written, as far as the flags say it.
  DistancesForm formOf(TableShape shape, Dtype dtype) const;
  double writeDistancesOf(const Distances& distances, const Record& record);
  void finishPredecessors();

  const SolveFlags& o_;
  std::unique_ptr<OutputFile> file_, summary_, histogram_;
  std::unique_ptr<PredecessorFile> predecessors_;
  std::optional<IdsBeside> ids_, predecessorIds_;
  std::string names_;  // of the vertices
  int taken_ = 0;      // rows that the file has already
  double takenMs_ = 0;
};

/// The records of all graphs and solvers, and the files of --csv and --json.
class RecordFiles {
 public:
  explicit RecordFiles(const OutputFlags& flags) : o_(flags) {}

  /// Throws Error(kOutput).
  void open();
  void add(Record record) { records_.push_back(std::move(record)); }
  /// Appends the records that the CSV file does not hold yet.
  void append();
  /// Appends the rest, and writes the JSON file unless there is no record: if every solver was
  /// skipped, the file of the earlier run stays. Later calls do nothing.
  void finish();

  const std::vector<Record>& all() const { return records_; }
  Record& last() { return records_.back(); }

 private:
  const OutputFlags& o_;
  std::unique_ptr<OutputFile> json_;
  std::vector<Record> records_;
  std::size_t appended_ = 0;  // how many of them are in the CSV file
  bool finished_ = false;
};
