// The GPU's solvers and the ladder's reports in a build without CUDA: there are none.
#include "ladder/ladder.h"
#include "ladder/reduction.h"
#include "solvers/relaxation/filtered_gpu.h"
#include "solvers/solver.h"

std::vector<Solver> gpuSolvers() {
  return {};
}

const std::vector<Report>& reports() {
  static const std::vector<Report> none;
  return none;
}

ReductionReport reportE() {
  return {};
}

std::optional<Outcome> solveFilteredOnGpu(int, int*, Dtype, const Effort&, CUstream_st*) {
  return std::nullopt;
}
