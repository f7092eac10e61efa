// Wrong: pads the matrix to whole tiles with the largest int. Adding a weight to it gives a
// negative number, which then is the shortest path. The result is wrong unless n is a multiple
// of 32.
#include "padded.h"

void apsp(int n, int* graph) {
  solvePadded(n, graph, INT_MAX);
}
