// The result of a solve, wherever it lies: whole in a device's memory, or computed again a few rows
// at a time if there is no room for all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/size.h"
#include "base/sum.h"
#include "base/tolerance.h"
#include "device/device.h"
#include "solver/selection.h"

namespace engine {

/// Takes `count` whole rows of distances, from row `first` on: (count, columns()) elements in host
/// memory, valid during the call.
using RowVisitor = std::function<void(int first, int count, ConstElements elements)>;

/// What the distances from one vertex to those that it reaches, without itself, come to.
struct RowSummary {
  int reachable = 0;   ///< how many
  Number largest = 0;  ///< 0 if it reaches none
  double sum = 0;
  double harmonic = 0;     ///< the sum of 1/d over distances d other than 0
  std::uint64_t hash = 0;  ///< the sum of their edgeHash()
};

/// What the distances to one vertex come to, from those that reach it, without itself.
struct ColumnSummary {
  int reaching = 0;  ///< how many
  double sum = 0;
  double harmonic = 0;  ///< as of a row
};

struct Summaries {
  std::vector<RowSummary> rows;
  std::vector<ColumnSummary> columns;
  Total total;  ///< of all distances
};

class Distances;
class ProblemGraph;  // solver/problem.h

/// A graph and its distances, from which others were made: the graph without negative weights,
/// from which they were shifted back, or that in whole numbers, from which they were widened.
struct BeforeShift {
  const ProblemGraph* graph = nullptr;
  const Distances* distances = nullptr;
};

class Distances {
 public:
  /// asked: which distances these are; null: all. Keeps the pointer.
  Distances(int n, Dtype dtype, const Selection* asked = nullptr)
      : n_(n), dtype_(dtype), asked_(asked) {}
  virtual ~Distances() = default;

  int n() const { return n_; }  ///< vertices of the graph
  Dtype dtype() const { return dtype_; }

  /// Whether these are a table of what was asked for. Otherwise they are all n×n.
  bool isTable() const { return asked_ != nullptr; }
  int rowCount() const { return isTable() ? asked_->rows(n_) : n_; }
  int columns() const { return isTable() ? asked_->columns(n_) : n_; }
  /// The vertex that a row begins at, and the one that a column leads to.
  int source(int row) const { return isTable() ? asked_->source(row) : row; }
  const Selection* asked() const { return asked_; }
  int target(int column) const { return isTable() ? asked_->target(column) : column; }

  /// The matrix of all distances, if it lies in one device's memory: then it can be compared and
  /// counted there, which is much faster. nullptr otherwise.
  virtual const DeviceMatrix* whole() const { return nullptr; }

  /// The statistics, if they can be counted where the distances are: then that is faster.
  virtual std::optional<GraphStats> counted() const { return std::nullopt; }

  /// What reachOf() finds, if that takes less time than looking at all rows.
  virtual std::optional<GraphStats> reach() const { return std::nullopt; }

  /// Of each row and column, if that can be found where the distances are. nullptr otherwise.
  virtual const Summaries* summaries() const { return nullptr; }

  /// What summariesOf() finds, if that takes less time than looking at all rows.
  virtual std::optional<Summaries> sums() const { return std::nullopt; }

  /// Whether distances lie on several ranks, who can all write into one file.
  virtual bool onRanks() const { return false; }
  /// Writes the elements of all rows into an existing file, from byte `from` on, where they are.
  /// Returns false if some rank does not see the file. Throws Error(kOutput).
  virtual bool writeWords(const std::string& /*path*/, std::uint64_t /*from*/) const {
    return false;
  }

  /// What these were shifted back from, if the weights are real (negative/potentials.h), or widened
  /// from, if some are below 0: it tells more exactly which edges are tight. Null otherwise.
  virtual BeforeShift beforeShift() const { return {}; }

  /// Calls visit() for the rows from `begin` to before `end`, in ascending order, a few at a time.
  virtual void rows(int begin, int end, const RowVisitor& visit) const = 0;

  /// The same, with rows in the memory of that device. Work on its default stream may still be
  /// writing them: read them on that stream, too.
  virtual void rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const;

 private:
  int n_;
  Dtype dtype_;
  const Selection* asked_;
};

/// Distances that are a matrix in a device's memory. Keeps a reference to it.
class WholeDistances : public Distances {
 public:
  explicit WholeDistances(const DeviceMatrix& matrix)
      : Distances(matrix.n(), matrix.dtype()), matrix_(matrix) {}
  const DeviceMatrix* whole() const override { return &matrix_; }
  /// In a GPU's memory: the matrix does not leave it.
  std::optional<Summaries> sums() const override;
  void rows(int begin, int end, const RowVisitor& visit) const override;
  void rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const override;

 private:
  ConstElements row(int i) const { return matrix_.data() + asSize(i) * asSize(n()); }
  const DeviceMatrix& matrix_;
};

/// Some rows and columns of distances that hold all of them. Keeps references.
class PickedDistances : public Distances {
 public:
  PickedDistances(const Distances& all, const Selection& asked)
      : Distances(all.n(), all.dtype(), &asked), all_(all) {}
  void rows(int begin, int end, const RowVisitor& visit) const override;

 private:
  const Distances& all_;
};

/// What all rows and columns come to, without hashes, in one pass over them, unless it is known.
Summaries summariesOf(const Distances& all);

/// Reachable pairs i ≠ j, their hash and the largest distance.
GraphStats statistics(const Distances& distances);

/// The same without the hash, which is 0: in host memory that takes a quarter of the time.
GraphStats reachOf(const Distances& distances);

/// How many pairs i ≠ j there are.
std::uint64_t pairsOf(const Distances& distances);

/// The elements in which two results of the same shape differ by more than is allowed.
Mismatch compare(const Distances& got, const Distances& expected, const Tolerance& allowed);

/// Copies all n×n distances into a matrix on a device, or into host memory.
void copyTo(const DeviceMatrix& to, const Distances& from);
Matrix toMatrix(const Distances& from);

}  // namespace engine
