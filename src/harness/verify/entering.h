// A graph as Bellman's equation along its arcs sees it: cycles of length 0 are contracted. See
// verify/bellman_arcs.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/graph.h"

using namespace engine;

/// The arcs that enter each component, and its vertices, as flat arrays. A component is a
/// largest set of vertices that all reach each other along arcs of weight 0. graph: edges. T: the
/// type of its weights.
template <class T>
struct Entering {
  struct Arc {
    int from;
    T weight;
  };
  std::vector<int> component;               // of each vertex
  std::vector<std::size_t> first, members;  // where the arcs and the vertices of each begin
  std::vector<Arc> arcs;
  std::vector<int> vertices;

  explicit Entering(const Graph& graph);
};

extern template struct Entering<std::int32_t>;
extern template struct Entering<float>;
extern template struct Entering<std::int64_t>;
extern template struct Entering<double>;
