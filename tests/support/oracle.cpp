#include "oracle.h"

#include <cmath>

#include "base/graph.h"
#include "verify/dijkstra.h"

std::vector<std::int32_t> rightDistances(int n, const std::vector<std::int32_t>& tails,
                                         const std::vector<std::int32_t>& heads,
                                         const std::vector<std::int32_t>& weights) {
  std::vector<Edge> edges;
  for (std::size_t e = 0; e < tails.size(); ++e) edges.push_back({tails[e], heads[e], weights[e]});
  const Graph graph = fromEdges(n, std::move(edges));
  const Dijkstra oracle(graph);
  std::vector<std::int32_t> all;
  for (int i = 0; i < n; ++i)
    for (const double d : oracle.from(i)) all.push_back(std::isinf(d) ? kInf : static_cast<int>(d));
  return all;
}
