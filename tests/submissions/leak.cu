// Wrong: the distances are right, but each call keeps some memory of the device.
#include "anywhere.h"

void apsp(int n, int* graph) {
  allocate(static_cast<std::size_t>(n) * n);
  solveNaively(n, graph);
}
