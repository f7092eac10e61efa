// A graph whose matrix stays in a file: each rank reads the rows that it needs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/graph_source.h"
#include "io/formats/file_graph.h"
#include "io/formats/matrix_file.h"

/// All elements were checked.
struct StoredGraph {
  std::string path;
  MatrixLayout matrix;  ///< with its type
  GraphStats stats;
  ReadReport report;  ///< what readGraph() says of it
};

/// SourceImage::kind of such a graph.
inline constexpr int kStoredGraph = 2;

std::shared_ptr<const GraphSource> sourceOf(StoredGraph stored);

/// What an image was made of.
std::shared_ptr<const GraphSource> storedSource(const SourceImage& image);

namespace engine {
class Crew;  // several/crew.h
}

/// Checks a matrix in a file, each rank some rows. Nothing if some rank does not see the file as
/// this one does. Throws Error(kInput), with the first error in the file.
std::optional<StoredGraph> examineOnRanks(Crew& crew, const std::string& path,
                                          const MatrixLayout& matrix);
