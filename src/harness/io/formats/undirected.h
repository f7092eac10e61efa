// What the graphs of some formats must be: undirected, which means that every edge is there in both
// directions, with one weight; or without weights.
#pragma once

#include <optional>
#include <string>

#include "base/graph.h"

using namespace engine;

/// An edge that lacks its reverse, or whose reverse has another weight.
struct OneWay {
  AnyEdge edge;
  std::optional<Number> reverse;  ///< the weight of the reverse; none: there is no reverse
};

/// The first edge that lacks its reverse. edges: of n vertices, sorted by (from, to, weight).
/// Parallel edges must have as many reverses, with the same weights. Throws Error(kMemory).
template <class T>
std::optional<OneWay> findOneWay(int n, const Edges<T>& edges);

/// Whether every edge has a reverse of the same weight. Throws Error(kMemory).
bool isUndirected(const Graph& graph);

/// Throws Error(kUsage) unless the graph is undirected. path: where it is to be written. format:
/// the name of the format that needs it.
void requireUndirected(const std::string& path, const char* format, const Graph& graph);

/// The same unless every edge weighs 1.
void requireUnweighted(const std::string& path, const char* format, const Graph& graph);
