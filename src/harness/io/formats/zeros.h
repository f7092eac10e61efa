// What the entry 0 of a matrix in a file means.
#pragma once

#include <cstddef>

#include "io/formats/file_graph.h"

/// Counts the zeros off the diagonal of a matrix while it is read, and makes infinity of them if
/// they mean "no edge".
class Zeros {
 public:
  /// meaning: as the format or the user says.
  explicit Zeros(Zero meaning) : meaning_(meaning) {}

  /// Takes the n weights of row i or of column i.
  template <class T>
  void take(int i, int n, T* line);

  /// Adds what was counted in other lines.
  Zeros& operator+=(const Zeros& other) {
    zeros_ += other.zeros_;
    infinities_ += other.infinities_;
    return *this;
  }

  std::size_t count() const { return zeros_; }
  /// What the zeros were read as, once all lines were taken. A matrix with −1 or infinity marks "no
  /// edge" with them, therefore its zeros are edges.
  Zero meaning() const {
    return meaning_ == Zero::kUnclear && infinities_ > 0 ? Zero::kEdge : meaning_;
  }

 private:
  Zero meaning_;
  std::size_t zeros_ = 0, infinities_ = 0;  // off the diagonal
};
