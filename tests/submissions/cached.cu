// Wrong: keeps its result and returns it again for every later graph with the same number of
// vertices. The first result is right, and all later calls are very fast.
#include <map>
#include <vector>

#include "anywhere.h"

void apsp(int n, int* graph) {
  static std::map<int, std::vector<int>> known;
  std::vector<int>& distances = known[n];
  const std::size_t count = static_cast<std::size_t>(n) * n;
  if (!distances.empty()) return fromHost(graph, distances.data(), count);
  solveNaively(n, graph);
  distances.resize(count);
  toHost(distances.data(), graph, count);
}
