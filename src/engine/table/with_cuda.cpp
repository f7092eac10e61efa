// The GPU's rows of the solver table. no_cuda.cpp stands in for this file in a build without CUDA.
#include <iterator>

#include "apsp.h"
#include "batch/tiny_run.h"
#include "bfs/levels_gpu.h"
#include "dense/naive.h"
#include "dense/solve.h"
#include "dense/workspace.h"
#include "filtered/filtered_gpu.h"
#include "plan/by_edges.h"
#include "plan/edges_in_place.h"
#include "several/distributed.h"
#include "solver/narrowing.h"
#include "solver/options.h"
#include "solver/outcome.h"
#include "solver/solver.h"
#include "sparse/sweep_gpu.h"

namespace engine {

namespace {

static_assert(kInf == kInfinity<int>, "the contract and the engine mean the same by no path");

void naive(int n, Elements matrix) {
  withElements(matrix, [n](auto* graph) { apspRef(n, graph); });
}

Solver optimised() {
  Solver row =
      namedRow("apsp", DeviceKind::kGpu, "sparse, filtered, or blocked in 16 bits", "apsp.cu");
  row.can.dtypes = {std::begin(kDtypes), std::end(kDtypes)};
  row.can.options = true;
  row.can.precision32 = true;
  row.can.methods = true;
  const InPlace either = [](const Device& gpu, int n, Elements matrix, const Options& options) {
    Call call;
    call.milliseconds = gpu.time([&] { call.outcome = solveOnGpu(gpu, n, matrix, options); });
    return call;
  };
  const OwnMemory own = [](int n, Dtype dtype, const Options& options) {
    const dense::Workspace blocked = dense::workspaceOf(n, dtype, options);
    if (options.method == Method::kSparse)
      return Memory{blocked.least + sparse::gpuSweepBytes(n, 0, n, dtype), 0,
                    plan::solveMatrixBytes(n, dtype)};
    if (options.method == Method::kBfs)
      return Memory{bfs::gpuLevelBytes(n, asSize(n) * asSize(n)), 0,
                    plan::solveMatrixBytes(n, dtype)};
    const std::size_t filtered =
        options.method == Method::kDense ? 0 : dense::pooledBytes(filteredGpuBytes(n, dtype));
    return Memory{blocked.least, blocked.best + filtered, 0};
  };
  return orNarrowed(onRanks(orByEdges(batch::orTiny(inPlace(row, either, own)))));
}

}  // namespace

/// Filtered or blocked, or sparse if that is asked for.
Outcome solveOnGpu(const Device& gpu, int n, Elements matrix, const Options& options) {
  // These read the matrix on the default stream.
  if (options.stream != nullptr && solvesBySources(options.method)) gpu.synchronise();
  if (options.method == Method::kSparse) {
    const auto solveCore = [&](int size, Elements core) {
      plan::onDevice(gpu, size, core, [&](Elements there) { solveOnGpu(gpu, size, there, {}); });
    };
    return plan::solveMatrix(gpu, n, matrix, solveCore);
  }
  if (options.method == Method::kBfs) return plan::solveMatrixByLevels(gpu, n, matrix);
  return solve(n, matrix, options);
}

std::vector<Solver> gpuSolvers() {
  constexpr auto kGpu = DeviceKind::kGpu;
  return {optimised(), inPlace("ref", kGpu, "naive, one launch per k", "apsp_ref.cu",
                               {std::begin(kDtypes), std::end(kDtypes)}, naive)};
}

}  // namespace engine
