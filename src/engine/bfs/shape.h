// The part of a graph that breadth-first searches pass through.
#pragma once

#include <cstdint>
#include <vector>

#include "base/graph.h"
#include "base/size.h"

namespace engine::bfs {

/// Arcs that are looked at ahead, so that memory is asked for in time.
inline constexpr int kAhead = 8;

/// Of each vertex the other ends of some of its arcs.
struct ArcLists {
  std::vector<std::uint32_t> first = {0};  ///< (vertices + 1)
  std::vector<std::uint32_t> ends;         ///< and kAhead zeros, which may be looked at, too

  int vertices() const { return static_cast<int>(first.size()) - 1; }
  const std::uint32_t* begin(std::size_t v) const { return ends.data() + first[v]; }
  const std::uint32_t* end(std::size_t v) const { return ends.data() + first[v + 1]; }
  std::uint32_t arcs() const { return first.back(); }
  std::uint32_t degree(std::size_t v) const { return first[v + 1] - first[v]; }
};

/// Lists of `vertices` vertices: arcs(add) calls add(v, end) for each entry, twice in the same
/// order.
template <class Arcs>
ArcLists listsOf(int vertices, const Arcs& arcs) {
  ArcLists lists;
  lists.first.assign(asSize(vertices) + 1, 0);
  arcs([&](int v, int) { ++lists.first[asSize(v) + 1]; });
  for (std::size_t v = 0; v < asSize(vertices); ++v) lists.first[v + 1] += lists.first[v];
  lists.ends.resize(lists.first.back() + kAhead);
  std::vector<std::uint32_t> at(lists.first.begin(), lists.first.end() - 1);
  arcs([&](int v, int end) { lists.ends[at[asSize(v)]++] = static_cast<std::uint32_t>(end); });
  return lists;
}

/// Vertices that no shortest path passes through hang on the others, which are the interior. Two
/// kinds hang: vertices without arcs out, and leaves, whose arcs in both directions join them to
/// the same vertex of the interior.
struct Shape {
  ArcLists out, in;   ///< the arcs between vertices of the interior
  ArcLists entering;  ///< of each hanging vertex: those of the interior with an arc to it
  /// Of each vertex: its number in the interior, or −1 − its number among those that hang.
  std::vector<int> place;
  /// Of each vertex: that of the interior at which its search begins. Of a leaf this is the one
  /// that it hangs on. −1: the vertex has no arc out.
  std::vector<int> root;
  /// Of each vertex of the interior: the arcs that its searches pass when they reach it.
  std::vector<std::uint32_t> passed;

  int interior() const { return out.vertices(); }
};

/// edges: sorted, without self-loops. The interior is numbered in clusters of kCluster neighbours:
/// searches from a cluster meet nearly the same vertices at nearly the same time. Throws
/// std::bad_alloc.
inline constexpr int kCluster = 512;
Shape shapeOf(int n, const EndsOf& edges);

}  // namespace engine::bfs
