// Wrong: the distances are right, but each call keeps some memory of the device.
#include "anywhere.h"

constexpr std::size_t kWords = 4 << 20;  // more than CUDA takes from the GPU at once

void apsp(int n, int* graph) {
  allocate(kWords);
  solveNaively(n, graph);
}
