// The GPU's rows of the solver table, and the reports of the ladder. no_cuda.cpp stands in for this
// file in a build without CUDA.
#include "apsp.h"
#include "ladder/ladder.h"
#include "solvers/dense/workspace.h"
#include "solvers/distributed/distributed.h"
#include "solvers/relaxation/filtered_gpu.h"
#include "solvers/solver.h"

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
      namedRow("apsp", DeviceKind::kGpu, "filtered, or blocked in 16 bits where exact", "apsp.cu");
  row.can.float32 = true;
  row.can.options = true;
  row.can.methods = true;
  const Telling either = [](int n, int* matrix, Dtype dtype, const Options& options) {
    return dtype == Dtype::kInt32 ? solve(n, matrix, options) : solve(n, asFloats(matrix), options);
  };
  const OwnMemory own = [](int n, Dtype dtype, const Options& options) {
    const dense::Workspace blocked = dense::workspaceOf(n, dtype, options);
    const std::size_t filtered =
        options.method == Method::kDense ? 0 : dense::pooledBytes(filteredGpuBytes(n));
    return Memory{blocked.least, blocked.best + filtered, 0};
  };
  return onRanks(inPlace(row, either, own));
}

}  // namespace

std::vector<Solver> gpuSolvers() {
  constexpr auto kGpu = DeviceKind::kGpu;
  std::vector<Solver> rows = {
      optimised(),
      inPlace("ref", kGpu, "naive, one launch per k", "apsp_ref.cu", naive),
  };
  for (const Report& report : reports()) {
    for (const Rung& rung : report.rungs)
      rows.push_back(inPlace(rung.name, kGpu, rung.what, report.source, rung.solve));
  }
  return rows;
}

const std::vector<Report>& reports() {
  static const std::vector<Report> all = {reportA(), reportB(), reportC(), reportD()};
  return all;
}
