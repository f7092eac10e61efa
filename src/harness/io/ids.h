// The ids of vertices: which of them occur, and the file that tells which vertex has which.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/graph.h"
#include "io/output.h"

/// The vertices, of n, at which edges begin or end, ascending, each once. Throws Error(kMemory).
std::vector<int> occurringIds(int n, const EndsOf& edges);

/// How many vertices of an edge list have no edge.
int unusedIds(const Graph& graph);

/// The file of ids beside an output file.
inline std::string idsFile(const std::string& output) {
  return output + ".ids";
}

/// The file of ids beside an output. Only a file that this program wrote there is replaced or
/// removed. It is recognised by its time of last change: ids.cpp.
class IdsBeside {
 public:
  /// Opens idsFile(output) and writes the names to it: ReadReport::names, "" if there are none. To
  /// be called before the output is changed. force: the file may be replaced, whoever wrote it.
  /// Throws Error(kOutput) if it may not, or cannot be written, Error(kUsage) if there are names
  /// and the output is standard output.
  IdsBeside(const std::string& output, const std::string& names, bool force = false);

  /// To be called when the output is complete. Gives the file its name. Without names, removes what
  /// an earlier run left there, because these ids are not those of the new output. Throws
  /// Error(kOutput).
  void commit();

  /// What to know about a file that was left as it was; "" if there is none.
  std::string note() const;

 private:
  std::string output_;
  std::unique_ptr<OutputFile> file_;  // null: there are no names
  bool stale_ = false;                // a file of ours is there, and its ids will be wrong
  bool foreign_ = false;              // a file of somebody else is there
};
