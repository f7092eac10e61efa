// The ids of vertices: which of them occur, and the file that tells which vertex has which.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph.h"
#include "io/output.h"

/// The vertices, of n, at which edges begin or end, ascending, each once. Throws Error(kMemory).
std::vector<int> occurringIds(int n, const std::vector<Edge>& edges);

/// How many vertices of an edge list have no edge.
int unusedIds(const Graph& graph);

/// The file of ids beside an output file.
inline std::string idsFile(const std::string& output) {
  return output + ".ids";
}

/// Opens idsFile(path) and writes graph.names to it. When `path` is complete, call commitIds().
/// Null if graph.names is empty. Throws Error(kOutput) if it cannot be written, Error(kUsage) if
/// `path` is standard output.
std::unique_ptr<OutputFile> openIds(const std::string& path, const Graph& graph);

/// Commits the file of ids. Without one, removes what an earlier run left at idsFile(path), because
/// these ids are not those of the new file. Throws Error(kOutput).
void commitIds(OutputFile* ids, const std::string& path);
