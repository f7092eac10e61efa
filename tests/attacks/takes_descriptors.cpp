// Opens descriptors until it cannot, then solves.
#include "attack.h"

void apsp(int n, int* graph) {
  while (dup(STDOUT_FILENO) >= 0) continue;
  solve(n, graph);
}
