// Distances that a solve has written, looked up without reading all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph.h"

class StoredMatrix {
 public:
  /// Opens a file that -o wrote for this graph. Throws Error(kInput) if it is none, or if n or the
  /// type of the weights differs.
  StoredMatrix(const std::string& path, const Graph& graph);
  ~StoredMatrix();
  StoredMatrix(const StoredMatrix&) = delete;
  StoredMatrix& operator=(const StoredMatrix&) = delete;

  /// The distances of all vertices to one: (n), infinite where there is no path. Throws
  /// Error(kInput).
  std::vector<double> column(int target) const;

 private:
  std::string path_;
  int fd_ = -1;
  int n_;
  Dtype dtype_;
  std::uint64_t from_;
};
