// Rows of a matrix in a file, read where they are needed: several processes each read their own,
// and none holds the whole matrix. matrix_file.cpp says which files can be read so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/graph.h"
#include "io/formats/formats.h"
#include "io/formats/matrices.h"
#include "io/formats/zeros.h"

/// A file as it was when somebody looked at it.
struct FileMark {
  std::uint64_t size = 0, inode = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< when it was changed last
  bool operator==(const FileMark& other) const;
};

/// An n×n matrix in a file, in row-major order, of little-endian elements of one of the types.
/// Ranks send it to each other as bytes.
struct MatrixLayout {
  int n = 0;
  Dtype element = Dtype::kInt32;    ///< the type of the elements
  std::uint64_t from = 0;           ///< the byte where they begin
  FileMark mark = {};               ///< of the file
  Zero zero = Zero::kEdge;          ///< what 0 off the diagonal means, as far as it is known
  std::optional<Dtype> dtype = {};  ///< of the weights; none: formats.h says it
};

/// The matrix in a file, if its rows can be read one by one with these options. Nothing if the file
/// is another one, or a broken one: then readGraph() reads it, or says what is wrong.
std::optional<MatrixLayout> findMatrix(const std::string& path, const ReadOptions& options);

/// What rows of a matrix were found to be. The sums of all rows describe the graph.
struct MatrixCount {
  /// Whether the type holds all weights, and what they are as such; in the order of Dtype.
  bool holds[4] = {};
  GraphStats stats[4];
  Marks marks;
  Zeros zeros{Zero::kEdge};
  std::size_t selfLoops = 0, minusOnes = 0;

  /// Adds what was counted in other rows.
  MatrixCount& operator+=(const MatrixCount& other);
};

/// The file of a MatrixLayout, open for reading.
class MatrixFile {
 public:
  /// If the file cannot be opened, or is not the one that the mark describes, this converts to
  /// false. So it is on a machine that does not share the file's disk.
  MatrixFile(const std::string& path, const MatrixLayout& matrix);
  ~MatrixFile();
  MatrixFile(const MatrixFile&) = delete;
  MatrixFile& operator=(const MatrixFile&) = delete;
  explicit operator bool() const { return fd_ >= 0; }

  /// Checks and counts `rows` rows from `first` on. Throws Error(kInput) with the position of the
  /// first element that is no weight, as readGraph() does, or if the file was changed.
  MatrixCount count(int first, int rows) const;
  /// Reads a block of the graph's matrix, 0 on its diagonal: `rows` rows from row `first` on, and
  /// `columns` columns from `column` on. weights: (rows, columns). The matrix must have their
  /// dtype. Throws Error(kInput).
  void read(int first, int rows, int column, int columns, Elements weights) const;

 private:
  template <class Stored>
  void readRow(int row, int column, std::vector<Stored>& elements) const;
  template <class Stored>
  [[noreturn]] void failAtRow(int row, int column, const std::vector<Stored>& elements,
                              Dtype dtype) const;
  template <class Stored>
  MatrixCount countRows(int first, int rows) const;
  template <class Stored, class T>
  void readRows(int first, int rows, int column, int columns, T* weights) const;
  [[noreturn]] void fail(const std::string& message) const;
  void requireUnchanged() const;

  std::string path_;
  MatrixLayout matrix_;
  int fd_ = -1;
};
