// Wrong: the distances are right, but each call keeps a copy of the graph.
#include "anywhere.h"

int* last = nullptr;  // the copies before are lost

void apsp(int n, int* graph) {
  last = new int[static_cast<std::size_t>(n) * n];
  std::copy_n(graph, n * n, last);
  solveNaively(n, graph);
}
