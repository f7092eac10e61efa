// Distances that a solve has written, looked up without reading all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/graph.h"
#include "io/formats/formats.h"

/// Weights of float64 become float32 if these are the distances in the file: they were solved so.
/// Throws Error(kInput) if the file has no distances.
void roundAsStored(Graph& graph, const std::string& path);

class StoredMatrix {
 public:
  /// Opens a file that -o wrote for this graph. Throws Error(kInput) if it is none, if it says that
  /// it belongs to another graph, or if n or the type of the weights differs.
  StoredMatrix(const std::string& path, const Graph& graph);
  ~StoredMatrix();
  StoredMatrix(const StoredMatrix&) = delete;
  StoredMatrix& operator=(const StoredMatrix&) = delete;

  /// The distances of all vertices to one: (n), infinity where there is no path. Distance: double,
  /// which is not exact for int64 from 2⁵³ on; or std::int64_t, if the weights are whole. Throws
  /// Error(kInput).
  template <class Distance = double>
  std::vector<Distance> column(int target) const;

  /// Whether the file says that it belongs to this graph. Otherwise its distances may be those of
  /// another one.
  bool saysGraph() const { return found_.graph.has_value(); }

 private:
  template <class Distance, class T>
  std::vector<Distance> columnOf(int target) const;

  std::string path_;
  int fd_ = -1;
  StoredDistances found_;
  bool positive_;  // no distance of the graph is below 0
};
