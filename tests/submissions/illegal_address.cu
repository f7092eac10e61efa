// Wrong: a kernel writes to an address without memory. The error is sticky: after it, CUDA refuses
// every call of this process.
#include "anywhere.h"

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(1, 1, Write{graph, std::ptrdiff_t{1} << 40});
}
