// Wrong: the distances are right, but it writes an element before the matrix.
#include "anywhere.h"

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(1, 1, Write{graph, -1});
}
