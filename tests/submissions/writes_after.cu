// Wrong: the distances are right, but something is written behind the last of them.
#include "anywhere.h"

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(1, 1, Write{graph, static_cast<std::ptrdiff_t>(n) * n});
}
