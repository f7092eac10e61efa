// Bellman's equation on the GPU in a build without CUDA: every row is left to the CPU.
#include "verify/bellman_gpu.h"

std::vector<int> doubtfulByArcs(const Graph&, const Distances&, const std::vector<int>& rows,
                                const Device&) {
  return rows;
}

std::vector<int> doubtfulByMatrix(const ProblemGraph&, const Distances&,
                                  const std::vector<int>& rows, const Device&) {
  return rows;
}
