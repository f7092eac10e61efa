#include "check/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/progress.h"
#include "base/quantity.h"
#include "generate/generate.h"

namespace {

constexpr int kEnough = 3;  // faults of one kind: more of them would tell nothing new

/// The number of relaxations of a solve, plus about as many as take the time that every cell takes.
std::uint64_t workOf(const CheckCell& cell) {
  constexpr std::uint64_t kEveryCell = 1000000;
  const auto n = static_cast<std::uint64_t>(cell.spec.n);
  return kEveryCell + n * n * n;
}

}  // namespace

CheckRunner::CheckRunner(SolverUnderTest& solver, Check& check,
                         std::function<void(const CheckCell&)> done)
    : solver_(solver), check_(check), done_(std::move(done)) {
  for (CheckCell& cell : check_.cells)
    if (cell.decoy) decoys_[cell.spec.n].cell = &cell;
}

void CheckRunner::run() {
  std::uint64_t work = 0;
  for (const CheckCell& cell : check_.cells) work += workOf(cell);
  Progress checking("checking " + check_.kernel, work);
  for (CheckCell& cell : check_.cells) {
    cell.skipped = failedOften();
    if (!cell.skipped && !cell.decoy) {
      solver_.tooSlow() ? recordSlowness(cell) : runCell(cell);
      done_(cell);
      if (check_.options.vary) done_(*decoys_[cell.spec.n].cell);
    }
    checking.advance(workOf(cell));
  }
}

bool CheckRunner::failedOften() const {
  return std::any_of(faults_.begin(), faults_.end(),
                     [](const auto& kind) { return kind.second >= kEnough; });
}

void CheckRunner::runCell(CheckCell& cell) {
  const Progress checking(describe(cell.spec));
  const auto matrix = [&] { return DeviceMatrix(solver_.device(), cell.spec.n); };
  const Matrices matrices{matrix(), matrix(), matrix()};
  solver_.upload(solver_.expected(cell.spec), matrices.expected);
  try {
    if (check_.options.vary) runDecoy(cell.spec.n, matrices);
    solveTwice(cell, matrices);
  } catch (const SolveFault& fault) {
    recordFault(cell, fault);
  }
  if (cell.failed()) explain(cell, matrices);
}

/// Two calls on the same graph: a race shows because they differ.
void CheckRunner::solveTwice(CheckCell& cell, const Matrices& matrices) {
  call(cell, matrices.first);
  call(cell, matrices.second);
  const Mismatch ofSecond = solver_.compare(matrices.second, matrices.expected);
  cell.mismatch = solver_.compare(matrices.first, matrices.expected);
  if (cell.mismatch.count == 0) cell.mismatch = ofSecond;
  cell.unsteady = solver_.compare(matrices.first, matrices.second).count;
  cell.settled = ofSecond.count == 0;
}

void CheckRunner::call(CheckCell& cell, const DeviceMatrix& work) {
  const Call done = solver_.solve(cell.spec, work);
  check_.printed += submitted(done).printed.size();
  if (cell.warning.empty()) cell.warning = submitted(done).warning;
}

/// Finds out more about a cell that failed: does the solver fail when it is newly loaded, are the
/// distances those of the decoy, are they the graph itself?
void CheckRunner::explain(CheckCell& cell, const Matrices& matrices) {
  // A hang would take as long again, and a leak needs more calls to show.
  const bool tellsNothing = cell.fault == SolveFault::kHang || cell.fault == SolveFault::kSlow ||
                            cell.fault == SolveFault::kLeak;
  if ((cell.unsteady == 0 || cell.settled) && !tellsNothing)
    tryFresh(cell, matrices.expected, matrices.second);
  if (cell.fault) return;
  if (check_.options.vary) {
    uploadDecoy(cell.spec.n, matrices.expected);
    cell.stale = cell.spec.n > 1 && solver_.compare(matrices.first, matrices.expected).count == 0;
  }
  solver_.generate(cell.spec, matrices.expected);
  cell.unchanged = solver_.compare(matrices.first, matrices.expected).count == 0;
}

/// Solves the decoy of a size. Its result is compared, too: it is often the first call of its size.
void CheckRunner::runDecoy(int n, const Matrices& matrices) {
  const DeviceMatrix &work = matrices.first, &expected = matrices.second;
  uploadDecoy(n, expected);
  CheckCell& cell = *decoys_[n].cell;
  call(cell, work);
  if (cell.failed()) return;
  cell.mismatch = solver_.compare(work, expected);
  if (!cell.failed()) return;
  solver_.generate(cell.spec, expected);
  cell.unchanged = solver_.compare(work, expected).count == 0;
  uploadDecoy(n, expected);
  tryFresh(cell, expected, work);
}

void CheckRunner::uploadDecoy(int n, const DeviceMatrix& to) {
  Decoy& decoy = decoys_[n];
  if (decoy.distances.n() == 0) decoy.distances = solver_.expected(decoyOf(n));
  solver_.upload(decoy.distances, to);
}

void CheckRunner::tryFresh(CheckCell& cell, const DeviceMatrix& expected,
                           const DeviceMatrix& work) {
  if (freshLeft_ == 0) return;
  --freshLeft_;
  cell.freshPasses = solver_.solvesRightWhenFresh(cell.spec, expected, work);
}

void CheckRunner::recordFault(CheckCell& cell, const SolveFault& fault) {
  cell.fault = fault.kind;
  cell.faultText = fault.what();
  const bool tookLong = fault.kind == SolveFault::kHang || fault.kind == SolveFault::kSlow;
  faults_[fault.kind] += tookLong ? kEnough : 1;
}

void CheckRunner::recordSlowness(CheckCell& cell) {
  cell.fault = SolveFault::kSlow;
  cell.faultText = fmt::format("{} of {} took {:.0f} s, the limit is 20 x --time-limit",
                               &cell - check_.cells.data(), counted(check_.cells.size(), "graph"),
                               solver_.seconds());
  faults_[SolveFault::kSlow] = kEnough;
}
