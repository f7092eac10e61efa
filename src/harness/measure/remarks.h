// Remarks about results, which stand below their table: each kind once, with the rows it is about.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/record.h"

/// What the result of one row needs to be said about it. Remarks of one kind differ only in their
/// figures; the one with the largest amount is the worst.
struct Remark {
  std::string kind;
  double amount = 0;
  std::string text;
};

/// The remarks about a result: outliers, why its time does not count, what disturbed the
/// measurement, what a submission printed.
/// onlyAnswer: the only call was not made to measure it.
std::vector<Remark> remarksOf(const Record& record, bool onlyAnswer = false);

/// The remarks about all rows of a table.
class Remarks {
 public:
  /// Adds the next row, which has the result of a kernel at n.
  void add(const std::string& kernel, int n, std::vector<Remark> remarks);
  /// For each kind the worst remark and, if the table has several rows, those that it is about.
  /// `sizes`: the table has several n. Later calls return only what was added meanwhile.
  std::string take(bool sizes);

 private:
  struct Row {
    std::string kernel;
    int n;
    std::vector<Remark> remarks;
  };
  using Rows = std::vector<const Row*>;

  static std::string nameOf(const Rows& rows, bool sizes);
  std::string paragraph(const std::string& kind, bool sizes) const;

  std::vector<Row> rows_;
};
