#include "measure/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "generate/generate.h"
#include "io/interrupt.h"
#include "measure/clocks.h"
#include "measure/doubt.h"
#include "measure/peak.h"
#include "results/predecessor_file.h"
#include "several/crew.h"
#include "verify/bellman.h"
#include "verify/signed.h"

namespace {

/// Throws Error(kMemory) unless `free` bytes of `kind` memory are enough.
void requireBytes(const char* kind, std::size_t free, int n, std::size_t bytes,
                  const VerifyOptions& verify) {
  if (bytes <= free) return;
  const bool verified = verify.oracle != VerifyOptions::Oracle::kNone;
  throw Error(
      ErrorCode::kMemory,
      fmt::format("n = {}: {} of {} memory needed, {} free: solve a smaller graph{}", n,
                  bytesText(bytes), kind, bytesText(free), verified ? ", or do not verify" : ""));
}

/// Adds what is needed once the distances are there. If something is verified, the graph is counted
/// in host memory already.
void addPredecessors(SessionMemory& need, const Problem& problem, const Device& device,
                     const MeasureOptions& measuring, const VerifyOptions& verify) {
  if (!measuring.predecessors) return;
  const bool ranks =
      measuring.crew != nullptr;  // no device has all distances: they are collected here
  const std::size_t free = ranks ? 0 : device.freeBytes();
  const Memory more =
      predecessorMemory(problem.graph, device, free - std::min(free, need.device), verify.negative);
  if (ranks && !problem.graph.heldAsEdges())
    need.host += matrixBytes(problem.graph.n(), problem.graph.dtype());
  need.device += more.device;
  need.host += more.host;
  const bool looksAtGraph = more.device == 0 || measuring.checksPredecessors;
  if (looksAtGraph && verify.oracle == VerifyOptions::Oracle::kNone)
    need.host += problem.graph.hostBytes();
}

/// Whether a copy of the graph as a matrix is of no use. On a CPU, a matrix is made of edges as
/// fast as it is copied, and most methods need none.
bool startsFromEdges(const Problem& problem, const Device& device,
                     const MeasureOptions& measuring) {
  return problem.graph.heldAsEdges() &&
         (device.kind() == DeviceKind::kCpu || solvesBySources(measuring.options.method));
}

/// requireMemory() without advice.
SessionMemory needMemory(const Problem& problem, const Device& device,
                         const std::vector<Solver>& solvers, const VerifyOptions& verify,
                         const MeasureOptions& measuring) {
  const int n = problem.graph.n();
  const char* const kind = device.kind() == DeviceKind::kCpu ? "host" : "device";
  constexpr std::size_t kHuge = ~std::size_t{0} / 64;  // beyond it, the sums below could overflow
  const std::size_t matrix = matrixBytes(n, problem.graph.dtype());
  if (matrix > kHuge) requireBytes(kind, device.freeBytes(), n, matrix, verify);
  SessionMemory need;
  std::size_t best = 0;
  const bool renumbers = measuring.vary && !problem.graph.seeded() && n > 1;
  for (const Solver& solver : solvers) {
    Execution where{device, measuring.options, renumbers, measuring.crew};
    where.order = measuring.order;
    where.summarises = measuring.summarises;
    where.sink = measuring.sink;
    where.stored = measuring.stored;
    Plan made = solver.plan(problem, where);
    const Memory one = made.memory;
    need.plans[solver.name] = std::move(made);
    need.device = std::max(need.device, one.device);
    best = std::max({best, one.device, one.best});
    need.host = std::max(need.host, one.host);
  }
  std::set<std::string> oracles;
  for (const Solver& solver : solvers) oracles.insert(solverThatVerifies(verify, solver.name));
  Memory oracle;
  for (const std::string& name : oracles) {
    if (name.empty()) continue;
    // If it is also measured, the run that was measured may be kept.
    const bool measured = std::any_of(solvers.begin(), solvers.end(),
                                      [&](const Solver& solver) { return solver.name == name; });
    const Memory one =
        findSolver(name, device.kind()).memory(problem, {device, {}, renumbers && measured});
    oracle.device = std::max(oracle.device, one.device);
    oracle.host = std::max(oracle.host, one.host);
  }
  need.device += oracle.device;
  best += oracle.device;
  need.host += oracle.host;
  if (verify.oracle == VerifyOptions::Oracle::kBellman && !verify.negative)
    need.host += bellmanBytes(problem.graph, verify.rows);
  else if (verify.oracle != VerifyOptions::Oracle::kNone)
    need.host += problem.graph.hostBytes();
  addPredecessors(need, problem, device, measuring, verify);
  // A copy of the graph is worth its memory only if a second run, which looks for distances that
  // are too large, still has room.
  if (device.kind() == DeviceKind::kCpu) {
    requireBytes("host", device.freeBytes(), n, need.device + need.host, verify);
    need.keepsGraph = device.freeBytes() >= 2 * best + need.host + matrix;
  } else {
    requireBytes("device", device.freeBytes(), n, need.device, verify);
    requireBytes("host", cpuDevice.freeBytes(), n, need.host, verify);
    need.keepsGraph = device.freeBytes() >= 2 * best + matrix;
  }
  if (measuring.crew != nullptr) need.keepsGraph = false;  // each rank keeps its part
  if (best < matrix || startsFromEdges(problem, device, measuring)) need.keepsGraph = false;
  need.verify = verify;
  return need;
}

/// From this n on, the plain loop takes a minute or more on a CPU, and `ref` some seconds on a GPU.
constexpr int kLongOracle = 5000, kLongOracleOnGpu = 20000;

/// What verifies every distance if no solver can: Bellman's equation, or Dijkstra's algorithm if
/// only some of each row is asked for.
VerifyOptions verifyByEdges(const Problem& problem) {
  using Oracle = VerifyOptions::Oracle;
  const bool parts = problem.asked != nullptr && !problem.asked->targets.empty();
  return {parts ? Oracle::kDijkstra : Oracle::kBellman, problem.rows()};
}

/// needMemory(). But Bellman's equation is the oracle of a large graph that is held as edges,
/// because a solver would take minutes as oracle, or more memory than there is.
SessionMemory needMemoryAndOracle(const Problem& problem, const Device& device,
                                  const std::vector<Solver>& solvers, const VerifyOptions& verify,
                                  const MeasureOptions& measuring) {
  using Oracle = VerifyOptions::Oracle;
  if (verify.oracle == Oracle::kBellman && !verify.negative &&
      problem.columns() < problem.graph.n())
    throw Error(ErrorCode::kUsage,
                "--verify=bellman compares the distances of a vertex to all others: give "
                "--verify=dijkstra, or leave --targets out");
  const Method method = measuring.options.method;
  const bool solves = verify.oracle == Oracle::kRef || verify.oracle == Oracle::kApsp;
  const bool gpu = device.kind() == DeviceKind::kGpu;
  const bool another =
      solves && !measuring.vary && problem.graph.heldAsEdges() && mayTakeEdges(method);
  const VerifyOptions byArcs = verifyByEdges(problem);
  if (another && problem.graph.n() >= (gpu ? kLongOracleOnGpu : kLongOracle))
    return needMemory(problem, device, solvers, byArcs, measuring);
  try {
    return needMemory(problem, device, solvers, verify, measuring);
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory || !another) throw;
    return needMemory(problem, device, solvers, byArcs, measuring);
  }
}

/// The greatest n from 1 on, and below `n`, for which fits(n); 0 if there is none.
int greatestBelow(int n, const std::function<bool(int)>& fits) {
  int low = 0;
  for (int high = n; high - low > 1;) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

SessionMemory requireMemory(const Problem& problem, const Device& device,
                            const std::vector<Solver>& solvers, const VerifyOptions& verify,
                            const MeasureOptions& measuring) {
  device.giveBack();  // a submission takes memory in a process of its own
  try {
    return needMemoryAndOracle(problem, device, solvers, verify, measuring);
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    const int most = greatestBelow(problem.graph.n(), [&](int n) {
      try {
        needMemory({problem.graph.ofSize(n)}, device, solvers, verify, measuring);
        return true;
      } catch (const Error&) {
        return false;
      }
    });
    if (most == 0) throw;
    // Two digits less, because what is free changes.
    const int scale = most >= 1000 ? 100 : 1;
    throw Error(error.code,
                fmt::format("{} (n = {} would fit)", error.what(), most / scale * scale));
  }
}

Session::Session(ProblemGraph& graph, const Device& device, const MeasureOptions& measuring,
                 SessionMemory memory)
    : graph_(graph), device_(device), measuring_(measuring), memory_(std::move(memory)) {
  if (memory_.keepsGraph && !reseeds()) graph.keepOn(device);
}

Record Session::describe(const std::string& input, std::optional<std::uint64_t> seed) const {
  Record record;
  record.input = input;
  record.seed = seed;
  record.n = graph_.n();
  record.dtype = graph_.dtype();
  record.sources = problem().rows();
  record.targets = problem().columns();
  record.graph = graph_.statistics(device_);
  record.measuring = measuring_;
  if (measuring_.crew != nullptr) {
    record.sharing.ranks = measuring_.crew->ranks().size();
    record.sharing.grid = measuring_.crew->grid();
  }
  record.deviceKind = nameOf(device_.kind());
  record.device = device_.info();
  return record;
}

Problem Session::problem() const {
  return {graph_, measuring_.wanted.get()};
}

Execution Session::execution(bool renumbers) const {
  return {device_, measuring_.options, renumbers};
}

Execution Session::onRanks(Execution where) const {
  where.crew = measuring_.crew;
  where.order = measuring_.order;
  where.summarises = measuring_.summarises;
  where.sink = measuring_.sink;
  where.stored = measuring_.stored;
  return where;
}

void Session::solveExpected(const std::string& oracle) {
  if (expected_ != nullptr && oracle_ == oracle && !reseeds()) return;
  const Progress solving("solving with " + oracle + " to compare");
  if (expected_ == nullptr || oracle_ != oracle) {
    expected_ = nullptr;  // gives its memory back first
    expected_ = prepareAsked(findSolver(oracle, device_.kind()), problem(), execution(false));
    oracle_ = oracle;
  }
  expected_->reset();
  expected_->solve();
  if (oracle != "ref") verifyExpected();
}

/// The optimised solver is right because Dijkstra's algorithm agrees: on each small graph, and on
/// the first large one, because Dijkstra's takes longer.
void Session::verifyExpected() {
  constexpr int kRows = 2, kSmall = 1000;
  if (graph_.n() > kSmall && std::exchange(largeVerified_, true)) return;
  const Verdict verdict = verifyByDijkstra(graph_.onHost(), expected_->distances(), kRows);
  if (verdict.failed())
    throw Error(ErrorCode::kMismatch, fmt::format("the oracle itself is wrong: {} differs from {}",
                                                  oracle_, verdict.how));
}

void Session::reset(Run& run, int call) {
  if (reseeds()) graph_.reseed(seedOfCall(secret_, graph_.n(), call));
  run.reset(renumbers() ? call % graph_.n() : 0);
  device_.synchronise();  // no other stream is at work while the call is measured
}

Record Session::run(const Solver& solver, const VerifyOptions& verify, Record record) {
  record.kernel = solver.name;
  record.version = submitted(solver).version;
  record.sandbox = submitted(solver).sandbox;
  record.work = solver.work;
  record.oneThread = !solver.can.threads;
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

Tolerance Session::toleranceOf(const Record& record) const {
  if (isWhole(record.dtype)) return 0;
  const GraphStats& graph = reseeds() ? graph_.statistics(device_) : record.graph;
  return {record.n, record.dtype, 2, graph.leastPositive};
}

void Session::timeCalls(const Solver& solver, const std::string& oracle, Record& record) {
  int calls = 0;
  std::vector<double> cost, own, apart;  // of each call, warm-up too
  const auto planned = memory_.plans.find(solver.name);
  const Plan plan = planned != memory_.plans.end()
                        ? planned->second
                        : solver.plan(problem(), onRanks(execution(renumbers())));
  record.host.place = millisecondsOf([&] { last_ = beginAsked(plan, problem()); });
  AroundCall around;
  around.reset = [&](int call) {
    const double milliseconds = millisecondsOf([&] { reset(*last_, call); });
    if (call == 1) record.host.place += milliseconds;
  };
  around.done = [&](const Call& call) {
    record.outcome = call.outcome;
    record.sharing = call.sharing;
    if (measuring_.crew != nullptr)
      record.sharing.idle = measuring_.crew->ranks().size() - call.sharing.ranks;
    const bool dense = call.outcome.method == Method::kDense;
    record.work = dense ? solver.work : Work::kDistances;
    const SubmittedCall& beside = submitted(call);
    record.printed += beside.printed.size();
    if (record.warning.empty()) record.warning = beside.warning;
    if (!oracle.empty() && !record.verdict.failed()) {
      solveExpected(oracle);
      record.verdict.mismatch =
          compare(last_->distances(), expected_->distances(), toleranceOf(record));
    }
    const auto held = holdInterruptReports();
    soFar_ = record;
    apart.push_back(std::abs(call.milliseconds - beside.times.own));
    cost.push_back(beside.times.cost);
    own.push_back(beside.times.own);
    record.worker.floor = beside.times.floor;
    if (++calls > measuring_.warmup) soFarMs_.push_back(call.milliseconds);
  };
  // There are as many ways to number the vertices as there are vertices.
  if (renumbers()) around.atMost = std::max(1, record.n - measuring_.warmup);
  record.timing = measure(*last_, solver.name, measuring_, around);
  for (std::vector<double>* each : {&cost, &own, &apart})
    each->erase(each->begin(), each->begin() + record.timing.warmup);
  record.apart = *std::min_element(apart.begin(), apart.end());
  record.worker.cost = summarise(cost).median;
  record.worker.own = summarise(own).median;
}

std::optional<Record> Session::soFar() const {
  std::optional<Record> record = soFar_;
  if (!record) return record;
  record->partial = true;
  if (!soFarMs_.empty()) record->timing = summarise(soFarMs_);
  return record;
}

/// Verifies what the last call found, if no solver does, and checks the range.
void Session::verifyLast(const Solver& solver, const VerifyOptions& verify, bool byRows,
                         Record& record) {
  using Oracle = VerifyOptions::Oracle;
  const GraphStats output = reachOf(last_->distances());
  record.unreachable = pairsOf(last_->distances()) - output.edges;
  record.farthest = output.maxWeight;
  const auto inRange = [&] {
    checkRange(solver, problem(), onRanks({device_}), record.graph, last_->distances(), output,
               record.unreachable, record.outcome.reweighting.least);
  };
  // A distance that only potentials push out of the range is missing, and no solver is wrong.
  if (verify.negative) inRange();
  if (verify.oracle != Oracle::kNone && byRows) {
    const Progress verifying("verifying");
    const Distances& found = last_->distances();
    record.verdict = verify.negative ? verifySigned(graph_.onHost(), found, verify.rows)
                     : verify.oracle == Oracle::kBellman
                         ? verifyByBellman(graph_, found, verify.rows, device_)
                         : verifyByDijkstra(graph_.onHost(), found, verify.rows);
  }
  if (!verify.negative && !record.verdict.failed()) inRange();
}

Record Session::runToEnd(const Solver& solver, const VerifyOptions& verify, Record record) {
  using Oracle = VerifyOptions::Oracle;
  requireDtype(solver, record.dtype);
  if (renumbers() && !solver.can.renumbers)
    throw Error(ErrorCode::kUsage,
                fmt::format("kernel {} cannot renumber vertices: leave --vary out", solver.name));
  last_ = nullptr;  // gives its memory back first
  if (reseeds()) secret_ = record.seed.value();
  const std::string oracle = solverThatVerifies(verify, solver.name);
  if (!oracle.empty()) {
    record.verdict.how = withinOfEdges(oracle, record.dtype, 2);
    if (!reseeds()) solveExpected(oracle);  // before the measurement, which it would disturb
  }

  record.before = clocksOf(device_);
  const LoadMeter meter;
  timeCalls(solver, oracle, record);
  if (measuring_.crew == nullptr) record.load = meter.load();  // other ranks look like others
  record.after = clocksOf(device_);
  record.doubt = doubtOf(record);
  if (const std::string dispute = disputeOf(record); record.doubt.empty() && !dispute.empty())
    record.warning += (record.warning.empty() ? "" : "; ") + dispute;
  const std::string ceilings = peakFile(resultsFolder(""), record.deviceShort());
  record.peak = readPeak(ceilings, record.device.name, record.outcome.tier, device_.kind());
  record.bandwidth = readBandwidth(ceilings, record.device.name);
  // The solvers after it need not solve with ref again.
  if (verify.oracle == Oracle::kRef && oracle.empty() && !reseeds()) {
    expected_ = last_;
    oracle_ = "ref";
  }
  if (reseeds()) record.graph = graph_.statistics(device_);  // of the last call

  verifyLast(solver, verify, oracle.empty(), record);
  return record;
}
