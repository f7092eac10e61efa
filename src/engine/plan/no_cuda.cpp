// The GPU's solvers in a build without CUDA: there are none.
#include "base/error.h"
#include "filtered/filtered_gpu.h"
#include "negative/shift.h"
#include "several/part_gpu.h"
#include "solver/solver.h"
#include "sparse/sweep_gpu.h"

std::vector<Solver> gpuSolvers() {
  return {};
}

Outcome solveOnGpu(const Device&, int, int*, Dtype, const Options&) {
  throw Error(Exit::kGpu, "built without CUDA");
}

std::optional<Outcome> solveFilteredOnGpu(int, int*, Dtype, const Effort&, CUstream_st*) {
  return std::nullopt;
}

namespace sparse {

template <class T>
std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<T>&) {
  return nullptr;
}
template std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<int>&);
template std::unique_ptr<GpuSweeps> sweepsOnGpu(const Swept<float>&);

std::size_t gpuSweepBytes(int, std::size_t, int) {
  return 0;
}

}  // namespace sparse
std::unique_ptr<Shift> shiftOnGpu(const Device&, int, int*) {
  return nullptr;
}

std::unique_ptr<Part> partOnGpu(int, Dtype, Precision, GridRanks&, int) {
  return nullptr;
}

std::size_t roomOnGpu() {
  return 0;
}

Memory streamedMemory(int, Dtype, Precision, Grid, int) {
  return {};
}

std::size_t bytesOnGpu(int, Grid, int) {
  return 0;
}

ChosenGpu chooseGpu(int) {
  throw Error(Exit::kGpu, "it was built without CUDA: solve on the CPU");
}
