// Distances that a solve has written, looked up without reading all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/graph.h"
#include "io/formats/formats.h"

class StoredMatrix {
 public:
  /// Opens a file that -o wrote for this graph. Throws Error(kInput) if it is none, if it says that
  /// it belongs to another graph, or if n or the type of the weights differs.
  StoredMatrix(const std::string& path, const Graph& graph);
  ~StoredMatrix();
  StoredMatrix(const StoredMatrix&) = delete;
  StoredMatrix& operator=(const StoredMatrix&) = delete;

  /// The distances of all vertices to one: (n), infinite where there is no path. Throws
  /// Error(kInput).
  std::vector<double> column(int target) const;

  /// Whether the file says that it belongs to this graph. Otherwise its distances may be those of
  /// another one.
  bool saysGraph() const { return found_.graph.has_value(); }

 private:
  template <class Stored>
  std::vector<double> columnOf(int target) const;

  std::string path_;
  int fd_ = -1;
  Dtype dtype_;
  StoredDistances found_;
  bool positive_;  // no distance of the graph is below 0
};
