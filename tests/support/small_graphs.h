// Random graphs for tests of eliminations, and their distances by the plain triple loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "apsp.h"
#include "base/graph.h"
#include "base/size.h"
#include "dense/plain_cpu.h"
#include "sample.h"

using namespace engine;

using Rng = std::mt19937;
inline int uniform(Rng& rng, int low, int high) {
  return std::uniform_int_distribution(low, high)(rng);
}

/// APSP_GRAPHS if it is set, a million with APSP_FULL=1, else a few; at least one.
inline int graphsToTry(int few) {
  const char* const wish = std::getenv("APSP_GRAPHS");
  return std::max(1, wish != nullptr ? std::atoi(wish) : wantsAll() ? 1'000'000 : few);
}

using IntEdges = Edges<std::int32_t>;

inline void join(IntEdges& edges, int a, int b, std::int32_t weight) {
  edges.push_back({a, b, weight});
  edges.push_back({b, a, weight});
}

/// Whole weights as a type: those of int64 take 64 bits, and those of float64 all their digits.
template <class T>
Graph as(int n, const IntEdges& edges) {
  Edges<T> all;
  for (const auto& edge : edges) {
    T weight = static_cast<T>(edge.weight);
    if constexpr (std::is_same_v<T, std::int64_t>) weight *= (std::int64_t{1} << 32) + 1;
    if constexpr (std::is_same_v<T, double>) weight /= 7;
    all.push_back({edge.from, edge.to, weight});
  }
  return fromEdges(n, std::move(all));
}

template <class T>
std::vector<T> byPlainLoopOf(const Graph& graph) {
  std::vector<T> matrix(asSize(graph.n) * asSize(graph.n));
  writeMatrix(graph.n, graph.edges<T>(), matrix.data());
  apspScalar(graph.n, matrix.data());
  return matrix;
}
