// The GPU's solvers in a build without CUDA: there are none.
#include "base/error.h"
#include "bfs/levels_gpu.h"
#include "filtered/filtered_gpu.h"
#include "negative/shift.h"
#include "several/part_gpu.h"
#include "solver/reach_gpu.h"
#include "solver/solver.h"
#include "solver/summarise_gpu.h"
#include "sparse/elimination_gpu.h"
#include "sparse/sweep_gpu.h"

namespace engine {

std::vector<Solver> gpuSolvers() {
  return {};
}

Outcome solveOnGpu(const Device&, int, Elements, const Options&) {
  throw Error(ErrorCode::kGpu, "built without CUDA");
}

std::optional<Outcome> solveFilteredOnGpu(int, Elements, const Effort&, CUstream_st*) {
  return std::nullopt;
}

namespace sparse {

template <class T>
std::unique_ptr<RowSource> sweepsOnGpu(const Swept<T>&) {
  return nullptr;
}
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<int>&);
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<float>&);
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<std::int64_t>&);
template std::unique_ptr<RowSource> sweepsOnGpu(const Swept<double>&);

std::size_t gpuSweepBytes(int, std::size_t, int, Dtype) {
  return 0;
}

std::shared_ptr<GpuElimination> eliminateOnGpu(const Graph&) {
  return nullptr;
}

double gpuEliminationMilliseconds(int, std::size_t) {
  return 0;
}

}  // namespace sparse

std::unique_ptr<bfs::GpuLevels> bfs::levelsOnGpu(const Graph&, int) {
  return nullptr;
}

std::size_t bfs::gpuLevelBytes(int, std::size_t) {
  return 0;
}

double bfs::gpuLevelMilliseconds(int, std::size_t, Dtype, double) {
  return 0;
}

std::unique_ptr<Summing> summingOnGpu(const Distances&, bool) {
  return nullptr;
}

std::size_t shrinkOnGpu(ConstElements, std::size_t count, RowWidth, void*) {
  return count;
}

void widenOnGpu(const void*, std::size_t, RowWidth, Elements) {}

GraphStats reachOnGpu(std::size_t, std::size_t, ConstElements, CUstream_st*) {
  return {};
}

std::optional<std::pair<int, int>> firstOpenPair(int, ConstElements, CUstream_st*) {
  return std::nullopt;
}

std::unique_ptr<Shift> shiftOnGpu(const Device&, int, Elements) {
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

std::size_t bytesOnGpu(int, Dtype, Grid, int) {
  return 0;
}

ChosenGpu chooseGpu(int) {
  throw Error(ErrorCode::kGpu, "it was built without CUDA: solve on the CPU");
}

}  // namespace engine
