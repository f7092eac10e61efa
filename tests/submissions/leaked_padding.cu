// Wrong: the matrix is padded with zeros to whole tiles, as if there were vertices that all others
// reach for nothing: wrong wherever n is no multiple of 32.
#include "padded.h"

void apsp(int n, int* graph) {
  solvePadded(n, graph, 0);
}
