// Right: blocked; the pivot tile and the panels are solved step by step.
#include "tiles.h"

void apsp(int n, int* graph) {
  solveInTiles(n, graph, [](int count, int* matrix, int first, int last) {
    takeSteps(count, first, last, 2, matrix);
  });
}
