// The table of solvers: one row each. Flags, tests, benchmarks and sweeps follow from it.
#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"
#include "solvers/blocked_cpu.h"
#include "solvers/plain_cpu.h"
#include "solvers/solver.h"

namespace {

Memory blockedCpuMemory(int n, Dtype, const Options&) {
  return {matrixBytes(n), 0, 0};  // its tiles
}

}  // namespace

const std::vector<Solver>& solverTable() {
  static const std::vector<Solver> table = [] {
    std::vector<Solver> rows = gpuSolvers();
    rows.push_back(inPlace("apsp", DeviceKind::kCpu, "blocked, SIMD, one thread a core",
                           "src/solvers/blocked_cpu.cpp", apspCpu, blockedCpuMemory));
    rows.push_back(inPlace("ref", DeviceKind::kCpu, "plain triple loop, one thread",
                           "src/solvers/plain_cpu.cpp", apspScalar));
    rows.back().can.threads = false;
    return rows;
  }();
  return table;
}

const Solver& findSolver(std::string_view name, DeviceKind device) {
  std::vector<std::string> known;
  for (const Solver& solver : solverTable()) {
    if (solver.device != device) continue;
    if (name == solver.name) return solver;
    known.push_back(solver.name);
  }
  throw Error(Exit::kUsage, fmt::format("no kernel '{}' on the {}: {}", name, nameOf(device),
                                        suggestion(std::string(name), known)));
}

void requireDtype(const Solver& solver, Dtype dtype) {
  if (dtype == Dtype::kInt32 || solver.can.float32) return;
  throw Error(Exit::kUsage,
              fmt::format("kernel {} solves no {} weights: choose another, or --dtype i32",
                          solver.name, nameOf(dtype)));
}

void refuseIdleOptions(const std::vector<Solver>& solvers, const Options& options, Dtype dtype) {
  const bool precision = options.precision != Precision::kAuto;
  const char* const given = precision           ? "--precision"
                            : !options.symmetry ? "--no-symmetry"
                            : !options.skip     ? "--no-skip"
                                                : nullptr;
  if (given == nullptr) return;
  if (precision && dtype == Dtype::kFloat32)
    throw Error(Exit::kUsage,
                "--precision has no effect on f32 weights, only on i32: leave it out");
  std::vector<std::string> names;
  for (const Solver& solver : solvers) {
    if (solver.can.options) return;
    names.push_back(fmt::format("{} ({})", solver.name, nameOf(solver.device)));
  }
  throw Error(Exit::kUsage, fmt::format("{} has no effect on the kernel {}, only on apsp (gpu): "
                                        "leave it out",
                                        given, fmt::join(names, ", ")));
}

const char* nameOf(SolveFault::Kind kind) {
  static const char* const names[] = {"crashed", "CUDA error",    "hung",      "exited",
                                      "leaks",   "out of bounds", "no memory", "too slow"};
  return names[kind];
}
