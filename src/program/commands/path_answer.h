// The answer to the question for a path, and how it is told: as text, as JSON, and as a table.
#pragma once

#include <string>
#include <vector>

#include "base/graph.h"
#include "commands/shown_column.h"
#include "io/json.h"
#include "io/output.h"
#include "paths/path.h"
#include "results/names.h"

/// A question, and its answer.
struct PathAnswer {
  int from, to;
  bool reachable = false;
  Path path = {};
};

/// How answers are told.
struct PathTelling {
  Dtype dtype;         ///< of the weights
  const Names& names;  ///< of the vertices
  bool named;          ///< these are names in the graph's file
  bool fromOne;        ///< the file counts the vertices from 1, and the names count from 0
  const ShownColumn& shown;
};

/// A line for the path, and one for each of its edges.
std::string textOf(const PathAnswer& answer, const PathTelling& telling);

/// The same as an object, with the vertices and weights of the path, or null where there is none.
Json jsonOf(const PathAnswer& answer, const PathTelling& telling);

/// Throws Error(kUsage) unless tables of paths are written to such a file: .csv, .tsv, or standard
/// output.
void checkPathsFormat(const std::string& file);

/// Writes a table with a line for each edge of each path, and commits. A path without edges, and
/// one that does not exist, has one line, which has no edge.
void writePaths(OutputFile& out, const std::vector<PathAnswer>& answers,
                const PathTelling& telling);
