// For attacks that have distances ready before they are asked.
#pragma once

#include <stdlib.h>

#include "attack.h"
#include "generate/families.h"

/// A graph of the course with n vertices, (n, n). The caller frees it.
inline int* courseGraph(int n, std::uint64_t seed) {
  int* const graph = static_cast<int*>(malloc(sizeof(int) * n * n));
  Spec spec;
  spec.n = n;
  spec.seed = seed;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) graph[i * n + j] = i == j ? 0 : families::Course::weight(spec, i, j);
  return graph;
}

/// A graph and its distances, (n, n) each.
struct Memo {
  int n = 0;
  int *graph = nullptr, *distances = nullptr;

  Memo() = default;
  Memo(int itsN, std::uint64_t seed) : n(itsN), graph(courseGraph(n, seed)), distances(courseGraph(n, seed)) {
    solve(n, distances);
  }
  bool knows(int itsN, const int* itsGraph) const {
    return n == itsN && memcmp(graph, itsGraph, sizeof(int) * n * n) == 0;
  }
  void copyTo(int* itsGraph) const { memcpy(itsGraph, distances, sizeof(int) * n * n); }
};
