// Files of some distances: a sparse matrix, or a line for each pair.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/output.h"
#include "solver/selection.h"
#include "solver/sparse_rows.h"

/// What is written beside the distances.
struct NearForm {
  int n = 0;                                ///< vertices of the graph
  const Selection* asked = nullptr;         ///< null: all of them
  std::string names = "";                   ///< as ReadReport::names
  std::optional<std::uint64_t> graph = {};  ///< GraphStats::hash
  /// Gives the vertices of the paths of a row, in the order of its distances; null: none are
  /// written. It is called once for each row, by any thread.
  std::function<std::vector<std::vector<int>>(int row)> paths = nullptr;
};

/// The endings that writeNear() takes: ".npz", ".mtx", ".tsv", ".csv".
std::vector<std::string> nearExtensions();

/// Throws Error(kUsage) unless writeNear() writes to such a path. paths: with paths.
void checkNearFormat(const std::string& path, bool paths);

/// Writes the rows as the path's ending says, and commits. .npz is a CSR matrix as
/// scipy.sparse.load_npz() reads it, .mtx a coordinate matrix; .tsv and .csv have the lines
/// from,to,distance and perhaps path. Standard output gets .tsv. Throws Error(kOutput),
/// Error(kMemory).
void writeNear(OutputFile& out, const SparseRows& rows, const NearForm& form);
