// Wrong: the distances are right, but something is written before the first of them.
#include "anywhere.h"

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(1, 1, Write{graph, -1});
}
