// Wrong: a kernel writes where no memory is, after which CUDA refuses all that this process asks.
#include "anywhere.h"

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(1, 1, Write{graph, std::ptrdiff_t{1} << 40});
}
