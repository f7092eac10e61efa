// Wrong: pads the matrix to whole tiles with zeros. These look like vertices that are at distance 0
// from all others, so the result is wrong unless n is a multiple of 32.
#include "padded.h"

void apsp(int n, int* graph) {
  solvePadded(n, graph, 0);
}
