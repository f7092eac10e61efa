// The file of predecessors, written while rows of distances go by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/size.h"
#include "io/output.h"
#include "solver/distances.h"
#include "solver/problem.h"
#include "solver/solver.h"

/// Throws Error(kUsage) unless the name ends in .npy.
void checkPredecessorsPath(const std::string& path);

/// Bytes that finding the predecessors of all sources takes beside the graph and the distances, at
/// the most. device: 0 if they are found in host memory. freeOnDevice: bytes that a solver leaves.
/// negative: weights may be below 0.
Memory predecessorMemory(const ProblemGraph& graph, const Device& device, std::size_t freeOnDevice,
                         bool negative);

/// The matrix of predecessors as a .npy file of int32, (rows, n).
class PredecessorFile {
 public:
  /// Opens the file. negative: weights may be below 0; then potentials are found once more. rows:
  /// of a table that has all targets. Throws Error(kOutput), also if the disk has no room.
  PredecessorFile(const std::string& path, int n, bool negative = false,
                  std::optional<int> rows = {});
  ~PredecessorFile();
  PredecessorFile(const PredecessorFile&) = delete;
  PredecessorFile& operator=(const PredecessorFile&) = delete;

  /// Finds all predecessors and writes them. verify: check each row, see TreeCheck. Throws
  /// Error(kOutput), and Error(kMismatch) if some are wrong.
  void write(const ProblemGraph& graph, const Distances& distances, bool verify);
  /// Distances whose rows are these. Whoever takes all of them once, in ascending order, writes the
  /// predecessors, too. So distances that are computed for each visit are computed only once. The
  /// arguments must outlive the result.
  std::unique_ptr<Distances> passedOn(const ProblemGraph& graph, const Distances& distances,
                                      bool verify);
  /// Notes in the file which graph it belongs to: GraphStats::hash. To be called before the rows
  /// are written.
  void setGraph(std::uint64_t hash) { hash_ = hash; }
  /// Gives the file its name. Throws Error(kOutput).
  void commit() { file_.commit(); }
  /// What finding took, without checking and writing.
  double milliseconds() const { return milliseconds_; }

 private:
  friend class PassedOn;
  class Check;
  std::size_t bytes() const { return sizeof(int) * asSize(rows_) * asSize(n_); }
  void begin(const ProblemGraph& graph, const Distances& distances, bool verify);
  void take(const Distances& table, int first, int count, ConstElements distances,
            const int* predecessors);
  bool writeFromGpu(const ProblemGraph& graph, const Distances& distances);

  OutputFile file_;
  int rows_, n_;
  bool negative_;
  std::optional<std::uint64_t> hash_;  // of the graph
  double milliseconds_ = 0;
  std::unique_ptr<Check> check_;  // null: not verified
};
