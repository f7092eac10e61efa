// The table of solvers: one row each. Flags, tests, benchmarks and sweeps follow from it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "dense/blocked_cpu.h"
#include "dense/plain_cpu.h"
#include "filtered/filtered_cpu.h"
#include "plan/by_edges.h"
#include "plan/edges_in_place.h"
#include "several/crew.h"
#include "several/distributed.h"
#include "solver/narrowing.h"
#include "solver/solver.h"

namespace engine {

namespace {

/// The optimised CPU solver on a matrix: filtered, or else blocked, or sparse if that is asked for.
Outcome solveOnCpu(int n, Elements matrix, const Options& options) {
  if (options.method == Method::kSparse) {
    Options dense;
    dense.precision = options.precision;
    const auto solveCore = [&](int size, Elements core) { solveOnCpu(size, core, dense); };
    return plan::solveMatrix(cpuDevice, n, matrix, solveCore);
  }
  if (options.method == Method::kBfs) return plan::solveMatrixByLevels(cpuDevice, n, matrix);
  if (const auto effort = effortOnCpu(options))
    if (const auto outcome = solveFiltered(n, matrix, *effort)) return *outcome;
  apspCpu(n, matrix);
  Outcome outcome;
  outcome.tier = tierOf(matrix.dtype());
  return outcome;
}

Solver optimisedCpu() {
  Solver row = namedRow("apsp", DeviceKind::kCpu, "sparse, filtered or blocked, SIMD, all cores",
                        "src/engine/dense/blocked_cpu.cpp");
  row.can.dtypes = {std::begin(kDtypes), std::end(kDtypes)};
  row.can.methods = true;
  row.can.precision32 = true;
  const auto own = [](int n, Dtype dtype, const Options& options) {
    const std::size_t tiles = matrixBytes(n, dtype);  // of the blocked solver
    if (options.method == Method::kSparse || options.method == Method::kBfs)
      return Memory{plan::solveMatrixBytes(n, dtype), 0, 0};
    return Memory{
        options.method == Method::kDense ? tiles : std::max(tiles, filteredBytes(n, dtype)), 0, 0};
  };
  return orNarrowed(onRanks(orByEdges(inPlace(row, Telling(solveOnCpu), own))));
}

}  // namespace

const std::vector<Solver>& solverTable() {
  static const std::vector<Solver> table = [] {
    std::vector<Solver> rows = gpuSolvers();
    rows.push_back(optimisedCpu());
    rows.push_back(inPlace("ref", DeviceKind::kCpu, "plain triple loop, one thread",
                           "src/engine/dense/plain_cpu.cpp",
                           {std::begin(kDtypes), std::end(kDtypes)}, apspScalar));
    rows.back().can.threads = false;
    return rows;
  }();
  return table;
}

const Solver& findSolver(std::string_view name, DeviceKind device) {
  for (const Solver& solver : solverTable())
    if (solver.device == device && name == solver.name) return solver;
  throw Error(ErrorCode::kGpu, fmt::format("no solver '{}' on the {}", name, nameOf(device)));
}

bool takes(const Solver& solver, Dtype dtype) {
  const std::vector<Dtype>& all = solver.can.dtypes;
  return std::find(all.begin(), all.end(), dtype) != all.end();
}

void requireDtype(const Solver& solver, Dtype dtype) {
  if (takes(solver, dtype)) return;
  throw Unsupported(fmt::format("kernel {} solves no {} weights: choose another kernel, or i32",
                                solver.name, nameOf(dtype)));
}

void requireRanks(const Solver& solver, const Crew* crew) {
  if (crew == nullptr || solver.can.ranks || crew->ranks().size() == 1) return;
  throw Unsupported(
      fmt::format("kernel {} ({}) runs on one rank, not on {}: start one, or take apsp on "
                  "the CPU",
                  solver.name, nameOf(solver.device), crew->ranks().size()));
}

}  // namespace engine
