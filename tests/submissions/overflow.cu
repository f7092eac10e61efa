// Wrong: the matrix is padded with the largest int to whole tiles; anything added to that is
// negative, and so the shortest path: wrong wherever n is no multiple of 32.
#include "padded.h"

void apsp(int n, int* graph) {
  solvePadded(n, graph, INT_MAX);
}
