// A graph as a file has it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/graph.h"

using namespace engine;

/// What the entry 0 off the diagonal of a matrix means: an edge of weight 0, or no edge. kUnclear:
/// neither the file nor the user says it, and it is read as an edge.
enum class Zero { kUnclear, kEdge, kNoEdge };

/// What a file says of its graph beside the edges, and what reading it left out or changed.
struct ReadReport {
  std::string names;           ///< a line for each vertex, its id or label; empty: its number
  Dropped dropped;             ///< of a matrix: nonzero diagonal entries are self-loops
  std::size_t zeros = 0;       ///< entries 0 off the diagonal of the matrix in the file
  Zero zero = Zero::kEdge;     ///< what these were read as
  std::size_t minusOnes = 0;   ///< entries −1 off the diagonal of that matrix, read as "no edge"
  bool unweighted = false;     ///< the file has no weights, and each edge counts 1
  bool countsFromOne = false;  ///< the file numbers vertices from 1, by its format or --base
  bool idsFromOne = false;     ///< the ids in the file begin at 1 and were read as beginning at 0
  Reversed reversed;           ///< by --undirected
  bool namesUnshown = false;   ///< vertices have names beside ids, but not all, or some the same
  std::string weightName;      ///< the column of the weights, if its name does not say that it is
};

/// A graph, and what its file says of it.
struct FileGraph : Graph {
  FileGraph(Graph graph = {}, ReadReport its = {})  // NOLINT: a graph of which no file says more
      : Graph(std::move(graph)), report(std::move(its)) {}

  ReadReport report;
};
