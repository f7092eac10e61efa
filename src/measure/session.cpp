#include "measure/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/progress.h"
#include "core/quantity.h"
#include "io/interrupt.h"
#include "measure/peak.h"

namespace {

/// Throws Error(kMemory) unless `free` bytes of `kind` memory are enough.
void requireBytes(const char* kind, std::size_t free, int n, std::size_t bytes,
                  const VerifyPlan& verify) {
  if (bytes <= free) return;
  const bool verified = verify.oracle != VerifyPlan::Oracle::kNone;
  throw Error(
      Exit::kMemory,
      fmt::format("n = {}: {} of {} memory needed, {} free: solve a smaller graph{}", n,
                  bytesText(bytes), kind, bytesText(free), verified ? ", or do not verify" : ""));
}

}  // namespace

SessionMemory requireMemory(const Problem& problem, const Device& device,
                            const std::vector<Solver>& solvers, const VerifyPlan& verify,
                            const MeasurePlan& plan) {
  const int n = problem.graph.n();
  const char* const kind = device.kind() == DeviceKind::kCpu ? "host" : "device";
  constexpr std::size_t kHuge = ~std::size_t{0} / 64;  // beyond it, the sums below could overflow
  if (matrixBytes(n) > kHuge) requireBytes(kind, device.freeBytes(), n, matrixBytes(n), verify);
  SessionMemory need;
  std::size_t best = 0;
  for (const Solver& solver : solvers) {
    const Memory one = solver.memory(problem, {device, plan.options, plan.vary});
    need.device = std::max(need.device, one.device);
    best = std::max({best, one.device, one.best});
    need.host = std::max(need.host, one.host);
  }
  if (verify.oracle == VerifyPlan::Oracle::kRef) {
    // If ref is also measured, the run that was measured is kept.
    const bool measured = std::any_of(solvers.begin(), solvers.end(),
                                      [](const Solver& solver) { return solver.name == "ref"; });
    const Memory ref =
        findSolver("ref", device.kind()).memory(problem, {device, {}, plan.vary && measured});
    need.device += ref.device;
    best += ref.device;
    need.host += ref.host;
  }
  if (verify.oracle != VerifyPlan::Oracle::kNone) need.host += problem.graph.hostBytes();
  // A copy of the graph is worth its memory only if a second run, which looks for distances that
  // are too large, still has room.
  const std::size_t matrix = matrixBytes(n);
  if (device.kind() == DeviceKind::kCpu) {
    requireBytes("host", device.freeBytes(), n, need.device + need.host, verify);
    need.keepsGraph = device.freeBytes() >= 2 * best + need.host + matrix;
  } else {
    requireBytes("device", device.freeBytes(), n, need.device, verify);
    requireBytes("host", cpuDevice.freeBytes(), n, need.host, verify);
    need.keepsGraph = device.freeBytes() >= 2 * best + matrix;
  }
  return need;
}

Session::Session(ProblemGraph& graph, const Device& device, const MeasurePlan& plan,
                 bool keepsGraph)
    : graph_(graph), device_(device), plan_(plan) {
  if (keepsGraph) graph.keepOn(device);
}

Record Session::describe(const std::string& input, const std::string& seed) const {
  Record record;
  record.input = input;
  record.seed = seed;
  record.n = graph_.n();
  record.dtype = graph_.dtype();
  record.graph = graph_.statistics(device_);
  record.plan = plan_;
  record.deviceKind = nameOf(device_.kind());
  record.device = device_.info();
  return record;
}

Execution Session::execution(bool renumbers) const {
  return {device_, plan_.options, renumbers};
}

Run& Session::refRun() {
  if (expected_ == nullptr) {
    const Progress solving("solving with ref to compare");
    std::shared_ptr<Run> run =
        findSolver("ref", device_.kind()).prepare({graph_}, execution(false));
    run->reset();
    run->solve();
    expected_ = std::move(run);
  }
  return *expected_;
}

Record Session::run(const Solver& solver, const VerifyPlan& verify, Record record) {
  record.kernel = solver.name;
  record.version = solver.version;
  record.work = solver.work;
  const Progress running(fmt::format("n = {}: kernel {}", record.n, solver.name));
  {
    const auto held = holdInterruptReports();
    soFar_ = record;
    soFarMs_.clear();
  }
  try {
    record = runToEnd(solver, verify, record);
  } catch (const SolveFault& fault) {
    record.fault = nameOf(fault.kind);
    record.faultText = fault.what();
  }
  const auto held = holdInterruptReports();
  soFar_.reset();
  return record;
}

void Session::timeCalls(const Solver& solver, Run* expected, Record& record) {
  const double allowed = tolerance(record.n, record.dtype, 2);
  int calls = 0;
  last_ = solver.prepare({graph_}, execution(plan_.vary && record.n > 1));
  record.timing = measure(*last_, solver.name, record.n, plan_, [&](const Call& call) {
    record.outcome = call.outcome;
    record.printed += call.printed.size();
    if (record.warning.empty()) record.warning = call.warning;
    if (expected != nullptr && !record.verdict.failed())
      record.verdict.mismatch = compare(last_->distances(), expected->distances(), allowed);
    const auto held = holdInterruptReports();
    soFar_ = record;
    if (++calls > plan_.warmup) soFarMs_.push_back(call.milliseconds);
  });
}

std::optional<Record> Session::soFar() const {
  std::optional<Record> record = soFar_;
  if (!record) return record;
  record->partial = true;
  if (!soFarMs_.empty()) record->timing = summarise(soFarMs_);
  return record;
}

Record Session::runToEnd(const Solver& solver, const VerifyPlan& verify, Record record) {
  using Oracle = VerifyPlan::Oracle;
  requireDtype(solver, record.dtype);
  if (plan_.vary && !solver.can.renumbers)
    throw Error(Exit::kUsage,
                fmt::format("kernel {} cannot renumber vertices: leave --vary out", solver.name));
  last_ = nullptr;  // gives its memory back first
  const bool byRef = verify.oracle == Oracle::kRef && solver.name != "ref";
  Run* const expected = byRef ? &refRun() : nullptr;
  if (byRef) record.verdict.how = within("ref", tolerance(record.n, record.dtype, 2));

  record.before = device_.clocks();
  const LoadMeter meter;
  timeCalls(solver, expected, record);
  record.load = meter.load();
  record.after = device_.clocks();
  record.peak = readPeak(peakFile(resultsFolder(""), record.deviceShort()), record.device.name,
                         record.outcome.tier);
  // The solvers after it need not solve with ref again.
  if (verify.oracle == Oracle::kRef && !byRef) expected_ = last_;

  const GraphStats output = statistics(last_->distances());
  const auto n = static_cast<std::uint64_t>(record.n);
  record.unreachable = n * n - n - output.edges;
  if (verify.oracle != Oracle::kNone && !byRef) {
    const Progress verifying("verifying");
    record.verdict = verifyByDijkstra(graph_.onHost(), last_->distances(), verify.rows);
  }
  if (!record.verdict.failed()) checkRange(solver, {graph_}, {device_}, record.graph, output);
  return record;
}
