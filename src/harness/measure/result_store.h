// The result store: a folder of results, one file each, which several processes may fill together.
//
// The name of a file contains a hash of everything that determines its time: input, kernel, device,
// program, options. The file (a CSV header and one row) appears whole or not at all. While a
// process measures a result it holds a lock (flock), which the operating system releases when the
// process ends, even after a crash. A sweep first notes all results that it is to measure. Results
// that no process measured are therefore known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/lock.h"
#include "measure/record.h"

/// The last part of a path, with only the characters that are safe in a file name.
std::string safeName(const std::string& path);

/// A hash of what is asked for: graph, kernel, options, and how it is measured and verified. It
/// does not depend on the device or the program. A graph file counts by its content (`planned.seed`
/// is empty), and so does a submission. `verify` is the value of --verify: a result that was not
/// verified cannot replace one that is to be verified.
std::string pointId(Record planned, const std::string& verify);

/// The place of one result in the store, from before its measurement until its record is written.
class PendingResult {
 public:
  /// Makes the folder if needed and locks the result, unless it is there already or another process
  /// holds it. again: a result that is there is to be replaced. Throws Error(kOutput) if the folder
  /// cannot be made or written.
  PendingResult(const std::string& directory, const Record& planned, bool again = false);

  /// "" if this process is to measure the result, else why not: "already in FILE", "held by …".
  const std::string& skipReason() const { return skip_; }
  /// The result that is there already; nullptr if there is none, or it is to be replaced.
  const Row* kept() const { return kept_ ? &*kept_ : nullptr; }

  void write(const Record& record) const;

 private:
  FileLock lock_;
  std::string path_, skip_;
  std::optional<Row> kept_;
};

/// Notes in the store that a sweep is to measure this result. It replaces a note with the same
/// names and options from another build, or for another graph with that name. Throws Error(kOutput)
/// if it cannot be written.
void planResult(const std::string& directory, const Record& planned);

/// The results noted in the folders among `paths`, in the order of readResults().
std::vector<Row> readPlan(const std::vector<std::string>& paths);

/// The planned results that are not among `rows`. A row counts as a planned result if it has the
/// same `point` and the same build measured it; any device will do.
std::vector<Row> missingResults(const std::vector<Row>& plan, const std::vector<Row>& rows);

/// The rows that count as planned results and are wrong, if no right one does.
std::vector<Row> wrongResults(const std::vector<Row>& plan, const std::vector<Row>& rows);

/// All results in the folders and CSV files among `paths`, each once, sorted by n, graphs, type,
/// kernel and time. Throws Error(kInput) if one cannot be read.
std::vector<Row> readResults(const std::vector<std::string>& paths);
