// apsp: solve, time and verify all-pairs shortest paths. This is the main job, top to bottom:
// command line → graph → device → solve and time → verify → results → exit code. The subcommands
// are in src/commands.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/groups.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "commands/solve.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/progress.h"
#include "core/quantity.h"
#include "core/screen.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "submission/compile.h"
#include "submission/submission.h"
#include "submission/worker.h"
#include "verify/verify.h"

namespace {

/// One run of the main job. run() calls the steps in order.
class Job {
 public:
  explicit Job(SolveFlags& flags) : o_(flags), verify_(parseVerify(flags.verify)) {}

  Exit run() {
    chooseSolvers();
    loadGraph();
    openOutputs();
    startSession();
    printGraph();
    for (const Solver& solver : solvers_) solve(solver);
    writeDistancesFile();
    writeRecords();
    return verdict();
  }

 private:
  void chooseSolvers();
  void loadGraph();
  void openOutputs();
  void startSession();
  HostTimes hostTimes() const;
  void printGraph();
  void sayKept(const std::string& name, const PendingResult& pending);
  void solve(const Solver& solver);
  void writeDistancesFile();
  void writeRecords();
  Exit verdict() const;
  SessionMemory requireMemoryFor(const ProblemGraph& graph) const;
  bool solved() const { return !records_.empty() && records_.back().fault.empty(); }

  SolveFlags& o_;
  const VerifyPlan verify_;
  const Device* device_ = nullptr;
  std::vector<Solver> solvers_;
  std::optional<Source> source_;
  SessionMemory memory_;
  std::unique_ptr<OutputFile> distances_, json_;
  std::optional<Session> session_;
  Record base_;  // what all records have in common
  std::vector<Record> records_;
  double baseline_ = 0;  // the median of ref, to which speedups refer; 0: not measured
};

void Job::chooseSolvers() {
  if (!o_.distances.empty()) checkDistancesFormat(o_.distances);
  refuseIdleOptions(o_.kernels);
  device_ = &chooseDevice(o_.device, o_.output);
  for (const std::string& name : o_.kernels.names)
    solvers_.push_back(chooseSolver(name, *device_, o_.kernels.limits));
  refuseIdleOptions(solvers_, o_.measuring.options, o_.graph.read.dtype.value_or(Dtype::kInt32));
  // ref comes first, because the speedups of the others refer to it.
  std::stable_partition(solvers_.begin(), solvers_.end(),
                        [](const Solver& solver) { return solver.name == "ref"; });
}

SessionMemory Job::requireMemoryFor(const ProblemGraph& graph) const {
  return requireMemory({graph}, *device_, solvers_, verify_, o_.measuring);
}

void Job::loadGraph() {
  // As soon as n is known, before the edges are read: does what the solvers take fit at all?
  o_.graph.read.onSize = [this](int n, Dtype dtype) {
    Graph unread;
    unread.n = n;
    unread.dtype = dtype;
    requireMemoryFor(ProblemGraph(std::move(unread)));
  };
  source_ = load(o_.graph);
  refuseIdleOptions(solvers_, o_.measuring.options, source_->graph.dtype());
  memory_ = requireMemoryFor(source_->graph);
  if (!o_.distances.empty()) checkDistancesFormat(o_.distances, source_->graph.dtype());
}

/// Opens the files before any work is done, because a run of hours must not end with a full disk.
void Job::openOutputs() {
  if (!o_.distances.empty()) {
    distances_ = std::make_unique<OutputFile>(o_.distances);
    distances_->requireRoom(distancesBytes(o_.distances, source_->graph.n()));
  }
  json_ = o_.output.openJson();
  o_.output.append(csvHeader(), "");
}

void Job::startSession() {
  session_.emplace(source_->graph, *device_, o_.measuring, memory_.keepsGraph);
  base_ = session_->describe(source_->name, source_->seed);
  base_.host = hostTimes();
}

/// Until a graph that is not kept has been uploaded for the first call, only its reading counts.
HostTimes Job::hostTimes() const {
  const UploadTimes& upload = source_->graph.uploadTimes();
  HostTimes host;
  host.load = source_->readMs + upload.make;
  host.copyIn = o_.graph.generated ? 0 : upload.copy;
  return host;
}

void Job::printGraph() {
  const OutputFlags& out = o_.output;
  out.say(graphLines(base_));
  if (!o_.graph.generated) out.say(droppedLine(source_->graph.onHost()));
  const HostTimes& host = base_.host;
  out.say(fmt::format("{:<10}{:.3f} ms\n", o_.graph.generated ? "generate" : "read", host.load));
  if (host.copyIn > 0) out.say(fmt::format("copy in   {:.3f} ms\n", host.copyIn));
  out.say("\n" + resultHead(nameWidth(o_.kernels.names)));
}

/// Shows the record that --record's directory holds already, or who measures it now.
void Job::sayKept(const std::string& name, const PendingResult& pending) {
  const Row* kept = pending.kept();
  if (kept == nullptr) {
    o_.output.say(fmt::format("{:<{}} skipped: {}\n", name, nameWidth(o_.kernels.names),
                              pending.skipReason()));
    return;
  }
  if (name == "ref" && baseline_ == 0) baseline_ = std::stod(kept->at("median_ms"));
  o_.output.say(keptRow(*kept, baseline_, nameWidth(o_.kernels.names)) +
                notesBelow(*kept, pending.skipReason()));
}

/// Times and verifies one solver, unless --record's directory holds its record already.
void Job::solve(const Solver& solver) {
  Record record = base_;
  record.kernel = solver.name;
  record.version = solver.version;
  std::unique_ptr<PendingResult> pending;
  if (!o_.record.empty()) {
    record.point = pointId(record, o_.verify);
    pending = std::make_unique<PendingResult>(o_.record, record, o_.again);
    if (!pending->skipReason().empty()) return sayKept(solver.name, *pending);
  }
  record = session_->run(solver, verify_, std::move(record));
  record.host = hostTimes();
  if (record.kernel == "ref" && baseline_ == 0) baseline_ = record.timing.median;
  o_.output.say(resultRow(record, baseline_, nameWidth(o_.kernels.names)) +
                notesBelow(record, o_.onlyAnswer));
  flushOutput();
  if (pending != nullptr && record.fault.empty()) pending->write(record);
  records_.push_back(std::move(record));
}

/// Writes what the last solver found.
void Job::writeDistancesFile() {
  if (!solved()) return;
  Record& last = records_.back();
  if (distances_ != nullptr) {
    last.host.write = timed([&] { writeDistances(*distances_, session_->distances()); });
    o_.output.say(fmt::format("\nwrite     {:.3f} ms  {}\n", last.host.write, o_.distances));
  }
  if (last.unreachable > 0)
    o_.output.say(fmt::format("\n{} pairs are unreachable.\n", withCommas(last.unreachable)));
}

void Job::writeRecords() {
  for (const Record& record : records_) o_.output.append(csvHeader(), csvRow(record));
  // If every solver was skipped, the JSON file of the earlier run stays.
  if (json_ != nullptr && !records_.empty()) json_->finish(toJson(records_));
}

Exit Job::verdict() const {
  Exit result = Exit::kOk;
  for (const Record& record : records_) {
    if (complainIfWrong(record)) result = Exit::kMismatch;
  }
  return result;
}

Exit solve(SolveFlags& o, const Program& program) {
  if (o.listKernels) return listKernels();
  checkGraph(o, program);
  settleMeasuring(o);
  o.output.settle();
  Job job(o);  // checks --verify, also of a plan
  if (o.planned) return planSweep(o);
  if (!o.record.empty() && !slurmJob().empty())
    exitOnInterrupts(static_cast<int>(Exit::kInterrupted));  // tells Slurm to requeue the job
  return job.run();
}

Body define(Flags& flags) {
  const auto o = std::make_shared<SolveFlags>();
  addSolveFlags(flags, *o);
  return [o, &program = flags.program()] { return solve(*o, program); };
}

constexpr Command kSolve = {
    "",
    "Solve, time and verify all-pairs shortest paths on a GPU or the CPU. While it runs, the "
    "signal SIGUSR1 makes it print its progress.",
    define};

int fail(Exit code, const std::string& message) {
  complain(message);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string(kWorkerArgument)) return runWorker(argc, argv);
  openStandardFiles();
  showProgress();  // before any work: until then SIGUSR1 ends the program
  removeTemporariesOnSignals();
  try {
    const Program program(kSolve, subcommands());
    const Exit result = program.run(argc, argv);
    flushOutput();
    return static_cast<int>(result);
  } catch (const BuildError& e) {
    showError(e.log);
    return fail(e.code, e.what());
  } catch (const Error& e) {
    return fail(e.code, e.what());
  } catch (const std::bad_alloc&) {
    return fail(Exit::kMemory, "out of host memory");
  } catch (const std::exception& e) {  // only fmt's are left: standard output failed
    return fail(Exit::kOutput, e.what());
  }
}
