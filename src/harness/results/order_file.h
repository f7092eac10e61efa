// A file with the order in which the sparse solver eliminates the vertices of a graph (--order).
//
//   apsp order of elimination, version 1
//   76595 vertices, edges 5f0c…            the SHA-256 digest of which vertices are joined
//   1204                                   the vertex that is eliminated first, from 0 on
//   …
//
// The order depends only on which vertices are joined by an edge. Directions and weights may
// change, and the file remains.
#pragma once

#include <memory>
#include <string>

#include "base/graph.h"
#include "solver/plan.h"

using namespace engine;

/// An order, and where it is from.
struct KeptOrder {
  std::shared_ptr<const EliminationOrder> order;
  bool found = false;       ///< now; else it was read
  double milliseconds = 0;  ///< that finding or reading it took
};

/// The order in that file. If there is no such file, an order is found and written there. graph:
/// held as edges. Throws Error(kInput) if the file is no order, or one for another graph;
/// Error(kOutput), Error(kMemory).
KeptOrder keptOrder(const std::string& path, const Graph& graph);
