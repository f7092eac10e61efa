// The naive solver, with which the times of attacks are compared.
#include "attack.h"

void apsp(int n, int* graph) {
  solve(n, graph);
}
