// Right: blocked; the pivot tile and the panels are solved step by step.
#include "tiles.h"

void apsp(int n, int* graph) {
  solveInTiles(n, graph, [](int count, int* matrix, int first, int last) {
    for (int k = first; k < last; ++k)
      forAll(count, count, BlockSteps{count, first, last, 2, k, k + 1, matrix});
  });
}
