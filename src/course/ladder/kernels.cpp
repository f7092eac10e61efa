#include "ladder/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "ladder/ladder.h"
#include "system/nearest.h"

namespace {

std::vector<Solver> rungs() {
  std::vector<Solver> rows;
  for (const Report& report : reports())
    for (const Rung& rung : report.rungs)
      rows.push_back(inPlace(rung.name, DeviceKind::kGpu, rung.what, report.source, rung.solve));
  return rows;
}

}  // namespace

const std::vector<Solver>& kernelTable() {
  static const std::vector<Solver> table = [] {
    std::vector<Solver> rows, steps = rungs();
    const std::vector<Solver>& engine = solverTable();
    const auto onCpu = std::find_if(engine.begin(), engine.end(), [](const Solver& solver) {
      return solver.device == DeviceKind::kCpu;
    });
    rows.insert(rows.end(), engine.begin(), onCpu);
    rows.insert(rows.end(), steps.begin(), steps.end());
    rows.insert(rows.end(), onCpu, engine.end());
    return rows;
  }();
  return table;
}

const Solver& findKernel(std::string_view name, DeviceKind device) {
  std::vector<std::string> known;
  for (const Solver& solver : kernelTable()) {
    if (solver.device != device) continue;
    if (name == solver.name) return solver;
    known.push_back(solver.name);
  }
  throw Error(ErrorCode::kUsage, fmt::format("no kernel '{}' on the {}: {}", name, nameOf(device),
                                             suggestion(std::string(name), known)));
}
