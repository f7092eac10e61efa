// The GPU's rows of the solver table. no_cuda.cpp stands in for this file in a build without CUDA.
#include "apsp.h"
#include "dense/solve.h"
#include "dense/workspace.h"
#include "filtered/filtered_gpu.h"
#include "several/distributed.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "solver/solver.h"
#include "sparse/run.h"

namespace {

/// Words of the GPU's memory as the floats that they are, for a kernel. Never read on the host.
float* asFloats(int* words) {
  return reinterpret_cast<float*>(words);
}

void naive(int n, int* words, Dtype dtype) {
  if (dtype == Dtype::kInt32) return apspRef(n, words);
  apspRef(n, asFloats(words));
}

Solver optimised() {
  Solver row =
      namedRow("apsp", DeviceKind::kGpu, "sparse, filtered, or blocked in 16 bits", "apsp.cu");
  row.can.float32 = true;
  row.can.options = true;
  row.can.methods = true;
  const InPlace either = [](const Device& gpu, int n, int* matrix, Dtype dtype,
                            const Options& options) {
    Call call;
    call.milliseconds =
        gpu.time([&] { call.outcome = solveOnGpu(gpu, n, matrix, dtype, options); });
    return call;
  };
  const OwnMemory own = [](int n, Dtype dtype, const Options& options) {
    const dense::Workspace blocked = dense::workspaceOf(n, dtype, options);
    if (options.method == Method::kSparse)
      return Memory{blocked.least + sparse::gpuSweepBytes(n, 0, n), 0, sparse::solveMatrixBytes(n)};
    const std::size_t filtered =
        options.method == Method::kDense ? 0 : dense::pooledBytes(filteredGpuBytes(n));
    return Memory{blocked.least, blocked.best + filtered, 0};
  };
  return onRanks(sparse::orSparsely(inPlace(row, either, own)));
}

}  // namespace

/// Filtered or blocked, or sparse if that is asked for.
Outcome solveOnGpu(const Device& gpu, int n, int* matrix, Dtype dtype, const Options& options) {
  if (options.method == Method::kSparse) {
    const auto solveCore = [&](int size, int* core, Dtype type) {
      sparse::onDevice(gpu, size, core, type,
                       [&](int* words) { solveOnGpu(gpu, size, words, type, {}); });
    };
    return sparse::solveMatrix(gpu, n, matrix, dtype, solveCore);
  }
  return dtype == Dtype::kInt32 ? solve(n, matrix, options) : solve(n, asFloats(matrix), options);
}

std::vector<Solver> gpuSolvers() {
  constexpr auto kGpu = DeviceKind::kGpu;
  return {optimised(), inPlace("ref", kGpu, "naive, one launch per k", "apsp_ref.cu", naive)};
}
