#include "check/check.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/progress.h"
#include "base/size.h"
#include "check/diagnosis.h"
#include "check/oracle.h"
#include "check/runner.h"
#include "check/summary.h"
#include "check/witness.h"
#include "generate/families.h"
#include "io/interrupt.h"
#include "io/output.h"

namespace {

/// The check before anything is solved: what is known of the solver, and its cells.
Check prepare(const SolverUnderTest& solver, const CheckOptions& options) {
  Check check;
  check.kernel = solver.kernel().name;
  check.sandbox = submitted(solver.kernel()).sandbox;
  check.deviceKind = nameOf(solver.device().kind());
  check.deviceName = solver.device().info().name;
  check.options = options;
  // A plain loop on the CPU takes a second for n = 1000.
  if (options.depth == CheckOptions::kQuick && solver.device().kind() == DeviceKind::kCpu)
    check.options.most = std::min(options.most, 257);
  for (const CheckCase& each : casesOf(check.options))
    static_cast<CheckCase&>(check.cells.emplace_back()) = each;
  return check;
}

/// Finds out what is wrong with a solver that failed.
void investigate(Check& check, SolverUnderTest& solver,
                 const std::function<Solver(unsigned char byte)>& filled) {
  const Progress looking("looking for the smallest graph that " + check.kernel + " fails");
  check.witness = smallestWitness(check, solver);
  if (check.witness) check.matrices = witnessMatrices(check, solver);
  Evidence evidence{check, [&](const Spec& spec) { return solver.distances(spec); },
                    [&](const Spec& spec) { return solver.expected(spec); }};
  if (filled)
    evidence.solveFilled = [&](const std::vector<Spec>& specs, unsigned char byte) {
      try {
        return solver.distancesOf(filled(byte), specs);
      } catch (const Error&) {  // it is not loaded again, or not built so that it fills memory
        return std::vector<Matrix>();
      }
    };
  check.diagnosis = diagnose(evidence);
  if (check.options.witnessDir.empty()) return;
  try {
    if (check.witness) {
      check.witnessFile =
          writeWitness(*check.witness, check.options.witnessDir, check.options.witnessFormat);
    } else if (check.smallestFailure() != nullptr) {
      const std::string file = noWitnessFile(check.kernel, check.options.witnessDir);
      OutputFile(file).finish(noWitnessText(check));
      check.witnessFile = file;
    }
  } catch (const Error& error) {
    check.witnessError = error.what();
  }
}

/// A check that has come to none of its cells, for the report of an interrupt.
Check unsolved(Check check) {
  check.partial = true;
  for (CheckCell& cell : check.cells) cell.skipped = true;
  return check;
}

}  // namespace

SubmissionLimits checkingLimits(SubmissionLimits limits) {
  limits.subtractsCost = false;
  limits.threadsOnOneCore = 4;
  return limits;
}

Check check(const std::function<Solver()>& fresh, const Device& device, const CheckOptions& options,
            const std::function<void(const Check& partial)>& interrupted,
            const std::function<Solver(unsigned char byte)>& filled) {
  if (!options.witnessDir.empty()) makeWitnessFolder(options.witnessDir);
  SolverUnderTest solver(fresh, device, options.seconds);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Check result = prepare(solver, options), partial = unsolved(result);
  if (!options.witnessDir.empty()) {  // what an earlier check said there
    std::error_code missing;
    std::filesystem::remove(noWitnessFile(result.kernel, options.witnessDir), missing);
  }
  const InterruptReport report([&] {
    partial.seconds = seconds();
    if (interrupted) interrupted(partial);
  });
  const auto done = [&](const CheckCell& cell) {
    const auto held = holdInterruptReports();
    partial.cells[asSize(&cell - result.cells.data())] = cell;
  };
  CheckRunner(solver, result, done).run();
  if (result.failed() != 0) investigate(result, solver, filled);
  result.seconds = seconds();
  return result;
}
