// The GPU's rows of the solver table, and the reports of the ladder. no_cuda.cpp stands in for this
// file in a build without CUDA.
#include "apsp.h"
#include "ladder/ladder.h"
#include "solvers/solver.h"

const std::vector<Kernel>& gpuKernels() {
  static const std::vector<Kernel> rows = [] {
    std::vector<Kernel> table = {
        {"apsp", &gpuDevice, "blocked, dataflow; 16 bits where exact", "apsp.cu",
         [](int n, int* graph, Dtype dtype, const Options& options) {
           return dtype == Dtype::kInt32 ? solve(n, graph, options)
                                         : solve(n, asFloats(graph), options);
         }},
        {"ref", &gpuDevice, "naive, one launch per k", "apsp_ref.cu", plain(apspRef, apspRef)},
    };
    for (const Report& report : reports()) {
      for (const Rung& rung : report.rungs)
        table.push_back({rung.name, &gpuDevice, rung.what, report.source, plain(rung.solve)});
    }
    return table;
  }();
  return rows;
}

const std::vector<Report>& reports() {
  static const std::vector<Report> all = {reportA(), reportB(), reportC(), reportD()};
  return all;
}
