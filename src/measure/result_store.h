// A directory of measured points, one file each, that several processes fill together.
//
// A point's name holds a hash of all that decides its time: input, kernel, device, program,
// options. Its file, a CSV header and one row, appears whole or not at all. While a process
// measures a point it holds a lock (flock) that the kernel frees however the process ends. A sweep
// first notes which points it is made of, so that those that nobody came to are known.
#pragma once

#include <string>
#include <vector>

#include "measure/record.h"

/// A hash of what a point is told to be: graph, kernel, options, and how it is measured and
/// verified, whatever runs it. Of a file (without a seed) the graph's content counts, of a
/// submission its own. `verify` is what --verify asks for: a point that was not verified does not
/// stand for one that is to be.
std::string pointOf(Record planned, const std::string& verify);

/// One point of a directory, from before it is measured until its record is there.
class Point {
 public:
  /// Takes the point, unless it is measured already or someone else holds it; makes the directory.
  /// Throws Error(kOutput) where the directory cannot be made or written.
  Point(const std::string& directory, const Record& planned);
  ~Point();
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  /// "" where this process is to measure the point, else why not: "already in FILE", "held by …".
  const std::string& skipReason() const { return skip_; }

  void write(const Record& record) const;

 private:
  std::string path_, skip_;
  int lock_ = -1;
};

/// Notes in `directory` that a sweep is to have this point. A note of the same names and options,
/// by another build or for another graph of that name, gives way to this one. Throws Error(kOutput)
/// where it cannot.
void planPoint(const std::string& directory, const Record& planned);

/// The points noted in the directories among `paths`, in the order of readPoints().
std::vector<Row> readPlan(const std::vector<std::string>& paths);

/// Those of `plan` that none of `rows` stands for: the same point, measured by the build that noted
/// it, on whatever device, and not wrong.
std::vector<Row> missingPoints(const std::vector<Row>& plan, const std::vector<Row>& rows);

/// The rows of all points in directories and of all CSV files among `paths`, each once, sorted by
/// n, input, type and kernel. Throws Error(kInput) where one cannot be read.
std::vector<Row> readPoints(const std::vector<std::string>& paths);
