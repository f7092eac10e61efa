// The result of a solve, wherever it lies: whole in a device's memory, or computed again a few rows
// at a time if there is no room for all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "device/device.h"
#include "io/output.h"

/// Takes `count` whole rows of distances, from row `first` on: (count, n) elements in host memory,
/// valid during the call.
using RowVisitor = std::function<void(int first, int count, const int* elements)>;

class Distances {
 public:
  Distances(int n, Dtype dtype) : n_(n), dtype_(dtype) {}
  virtual ~Distances() = default;

  int n() const { return n_; }
  Dtype dtype() const { return dtype_; }

  /// The matrix of all distances, if it lies in one device's memory: then it can be compared and
  /// counted there, which is much faster. nullptr otherwise.
  virtual const DeviceMatrix* whole() const { return nullptr; }

  /// The statistics, if they can be counted where the distances are: then that is faster.
  virtual std::optional<GraphStats> counted() const { return std::nullopt; }

  /// Whether distances lie on several ranks, who can all write into one file.
  virtual bool onRanks() const { return false; }
  /// Writes all rows as words into an existing file, from byte `from` on, where they are. Returns
  /// false if some rank does not see the file. Throws Error(kOutput).
  virtual bool writeWords(const std::string& /*path*/, std::uint64_t /*from*/) const {
    return false;
  }

  /// Calls visit() for the rows from `begin` to before `end`, in ascending order, a few at a time.
  virtual void rows(int begin, int end, const RowVisitor& visit) const = 0;

 private:
  int n_;
  Dtype dtype_;
};

/// Distances that are a matrix in a device's memory. Keeps a reference to it.
class WholeDistances : public Distances {
 public:
  explicit WholeDistances(const DeviceMatrix& matrix)
      : Distances(matrix.n(), matrix.dtype()), matrix_(matrix) {}
  const DeviceMatrix* whole() const override { return &matrix_; }
  void rows(int begin, int end, const RowVisitor& visit) const override;

 private:
  const DeviceMatrix& matrix_;
};

/// Reachable pairs i ≠ j, their hash and the largest distance.
GraphStats statistics(const Distances& distances);

/// The elements in which two results differ. tolerance: as agree() takes it.
Mismatch compare(const Distances& got, const Distances& expected, double tolerance);

/// Copies the distances into a matrix on a device, or into host memory.
void copyTo(const DeviceMatrix& to, const Distances& from);
Matrix toMatrix(const Distances& from);

/// Writes the distances as `format`, or by the extension of out.path() if that is empty, a few rows
/// at a time, and commits. Ranks write their own rows if the format allows it.
void writeDistances(OutputFile& out, const Distances& distances, const std::string& format = "");
