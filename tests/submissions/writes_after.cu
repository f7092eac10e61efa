// Wrong: the distances are right, but it writes an element after the matrix.
#include "anywhere.h"

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(1, 1, Write{graph, static_cast<std::ptrdiff_t>(n) * n});
}
