// apsp: solve, time and verify all-pairs shortest paths. This is the main job, top to bottom:
// command line → graph → device → solve and time → verify → results → exit code. The subcommands
// are in src/program/commands.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/negative_cycle.h"
#include "base/progress.h"
#include "cli/groups.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "commands/commands.h"
#include "commands/solve.h"
#include "commands/solve_output.h"
#include "grade/supervisor.h"
#include "io/interrupt.h"
#include "measure/calibration.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "measure/session.h"
#include "measure/submitted.h"
#include "measure/tables.h"
#include "ranks/mpi.h"
#include "several/crew.h"
#include "solver/range.h"
#include "solver/small_rows.h"
#include "submission/sandbox.h"
#include "submission/worker.h"
#include "system/environment.h"
#include "system/exit.h"
#include "system/progress_line.h"
#include "system/screen.h"
#include "verify/verify.h"

namespace {

/// The processes that were started together with this one, which is their rank 0.
std::optional<Crew> processes;

/// One run of the main job. run() calls the steps, which follow it in order.
class Job {
 public:
  Job(SolveFlags& flags, Crew* crew)
      : o_(flags),
        verify_(verifyOptionsOf(flags)),
        table_(flags),
        distances_(flags),
        records_(flags.output) {
    o_.measuring.crew = crew;
    useRanks(o_.ranks, crew);
  }

  Exit run() {
    chooseSolvers();
    loadGraphs();
    openOutputs();
    if (o_.graph.several()) table_.beginSweep(sources_, *device_);
    const InterruptReport report([this] { reportInterrupted(); });
    for (Source& source : sources_) solveGraph(std::move(source));
    sayRemarks();
    const auto held = holdInterruptReports();
    records_.finish();
    return verdict();
  }

 private:
  void chooseSolvers() {
    distances_.checkFormat(Dtype::kInt32);
    refuseIdleOptions(o_.kernels);
    device_ = &chooseDevice(o_.device, o_.output);
    requireGpus(o_.ranks, *device_, o_.measuring.crew);
    kernels_ = solversOf(o_, *device_);
    note(kernels_.trouble);
    for (const Solver& solver : kernels_.solvers) requireRanks(solver, o_.measuring.crew);
    // What is said of a type must hold of the file's, too, which is not known yet.
    const bool wide = o_.measuring.options.precision == Precision::k64;
    const Dtype usual = wide && !o_.graph.generated() ? Dtype::kInt64 : Dtype::kInt32;
    if (!o_.portable) refuseIdle(o_.graph.read.dtype.value_or(usual));
  }

  /// Throws Error(kUsage) if options have no effect on the kernels or on such weights. With
  /// --portable it says so instead.
  void refuseIdle(Dtype dtype) const {
    for (const std::string& idle : idleOptions(kernels_.solvers, o_.measuring.options, dtype))
      refuseOrNote(o_, idle);
  }

  SessionMemory requireMemoryFor(const ProblemGraph& graph) const {
    const Problem problem = {graph, o_.measuring.wanted.get()};
    return requireMemory(problem, *device_, kernels_.solvers, verify_, o_.measuring);
  }

  void loadGraphs() {
    // As soon as n is known, before the edges are read: does what the solvers take fit at all?
    o_.graph.read.onSize = [this](int n, Dtype dtype, std::int64_t edges) {
      // Where most vertices have no edge, whoever asks for all distances is probably mistaken.
      const bool few = edges < n / 4 && o_.measuring.options.method != Method::kSparse;
      const bool list = edges != ReadOptions::kMatrix && !few;
      requireMemoryFor(ProblemGraph::ofUnread(n, dtype, list));
    };
    // A file of reals is float64, but not for parts on GPUs, which have 32 bits.
    const Crew* const crew = o_.measuring.crew;
    o_.graph.read.roundReals = crew != nullptr && (crew->ranks().size() > 1 || crew->saves()) &&
                               device_->kind() == DeviceKind::kGpu;
    // To solve by sources, rank 0 needs all edges anyway.
    const bool inParts = o_.measuring.options.method != Method::kSparse;
    sources_ = load(o_.graph, o_.measuring.drawn, inParts ? o_.measuring.crew : nullptr);
    const ProblemGraph& first = sources_.front().graph;
    o_.measuring.wanted = wantedOf(o_, first.n(), sources_.front().report.names);
    useOrder(o_, first);
    for (const Solver& solver : kernels_.solvers) requireDtype(solver, first.dtype());
    refuseIdle(first.dtype());
    distances_.checkFormat(first.dtype());
    if (o_.onlyAnswer && o_.measuring.wanted == nullptr && distances_.takesRows(first.dtype()))
      o_.measuring.sink = [this](int row, int count, ConstElements elements) {
        distances_.take(row, count, elements, base_);
      };
    // Plans are made, and keep the sink.
    note(leaveOutTooLarge(
        sources_, [this](Source& source) { source.memory = requireMemoryFor(source.graph); }));
  }

  /// Opens the files before any work is done, because a run of hours must not end with a full disk.
  void openOutputs() {
    distances_.open(sources_.front().graph, sources_.front().report.names);
    records_.open();
  }

  /// Solves one graph, and appends its records to the CSV file before the next one is solved.
  void solveGraph(Source source) {
    {
      const auto held = holdInterruptReports();
      session_.reset();  // it refers to the graph before
      source_ = std::move(source);
    }
    const std::size_t before = records_.all().size();
    const Exit result = solveOneOf(o_.graph, source_->graph.n(), [&] {
      startSession();
      for (const Solver& solver : kernels_.solvers) solve(solver);
      if (!o_.graph.several()) sayRemarks();
      if (records_.all().size() > before) writeDistancesFile();
    });
    note(result);
    const auto held = holdInterruptReports();
    records_.append();
  }

  void startSession() {
    // Of several graphs, those before this one may have left less memory.
    if (o_.graph.several()) source_->memory = requireMemoryFor(source_->graph);
    oracle_ = source_->memory->verify;
    session_.emplace(source_->graph, *device_, o_.measuring, *source_->memory);
    base_ = session_->describe(source_->name, source_->seed);
    base_.host = source_->hostTimes();
    table_.beginGraph(*source_, base_);
  }

  /// Times and verifies one solver, unless --record's directory holds its record already.
  void solve(const Solver& solver) {
    Record record = base_;
    record.kernel = solver.name;
    record.version = submitted(solver).version;
    std::unique_ptr<PendingResult> pending;
    if (!o_.record.empty()) {
      record.point = pointId(record, o_.verify);
      pending = std::make_unique<PendingResult>(o_.record, record, o_.again);
      if (!pending->skipReason().empty()) {
        const auto held = holdInterruptReports();
        return table_.sayKept(solver.name, *pending);
      }
    }
    restOthers(kernels_.solvers, solver);
    record = measured(solver, std::move(record));
    const auto held = holdInterruptReports();
    record.host = source_->hostTimes();
    table_.say(record);
    if (pending != nullptr && record.fault.empty()) pending->write(record);
    records_.add(std::move(record));
  }

  void sayRemarks() {
    const auto held = holdInterruptReports();
    table_.sayRemarks();
  }

  /// Session::run(). An error says that the file of -o was not touched.
  Record measured(const Solver& solver, Record record) {
    try {
      return session_->run(solver, oracle_, std::move(record));
    } catch (const NegativeCycle& error) {
      throw Error(error.code, negativeCycleText(error.cycle, shortNames(source_->report.names)) +
                                  distances_.keptText());
    } catch (const TooFar& error) {
      throw Error(error.code,
                  tooFarText(error, shortNames(source_->report.names)) + distances_.keptText());
    } catch (const DoesNotFit& error) {
      throw Error(error.code,
                  "--out-dtype: " + doesNotFitText(error, shortNames(source_->report.names)) +
                      distances_.keptText());
    } catch (const Error& error) {
      throw Error(error.code, error.what() + distances_.keptText());
    }
  }

  /// Writes what the last solver found, unless it is wrong.
  void writeDistancesFile() {
    Record& last = records_.last();
    if (last.failed()) return;
    last.host.write = distances_.write(source_->graph, session_->distances(), last);
    if (last.unreachable > 0)
      o_.output.say((o_.graph.several() ? "          " : "\n") + distances_.unreachableText(last));
  }

  /// Prints what was measured of the current solver, and writes the records of those before it.
  /// What is partial is in no file.
  void reportInterrupted() {
    const auto record = session_ ? session_->soFar() : std::nullopt;
    if (record) table_.sayPartial(*record);
    table_.sayRemarks();
    records_.finish();
  }

  Exit verdict() const {
    Exit result = trouble_;
    for (const Record& record : records_.all()) {
      const std::string kept =
          &record == &records_.all().back() ? distances_.keptText() : std::string();
      if (kernels_.notLoaded.count(record.kernel) != 0) {  // it was told before
        if (!kept.empty()) complain(record.kernel + ": " + record.fault + kept);
      } else if (complainIfWrong(record, o_.graph.several(), kept)) {
        result = Exit::kMismatch;
      }
    }
    return result;
  }

  void note(Exit trouble) {
    if (trouble_ == Exit::kOk) trouble_ = trouble;
  }

  SolveFlags& o_;
  const VerifyOptions verify_;
  const Device* device_ = nullptr;
  LoadedKernels kernels_;
  std::vector<Source> sources_;  // to be solved one after the other
  ResultTable table_;
  ResultFiles distances_;
  RecordFiles records_;
  Exit trouble_ = Exit::kOk;  // the first reason why a kernel was not loaded or a size not solved

  // Of the graph that is being solved:
  std::optional<Source> source_;
  std::optional<Session> session_;
  VerifyOptions oracle_;  // verify_, or what it is replaced by
  Record base_;        // what its records have in common
};

Exit solve(SolveFlags& o, const Program& program) {
  if (o.listKernels) return listKernels();
  checkGraph(o, program);
  useKeptCosts();
  if (asksQuestion(o.questions)) return answerQuestion(o, processes ? &*processes : nullptr);
  settleMeasuring(o);
  o.output.settle(isStandardOutput(o.summary)     ? o.summary
                  : isStandardOutput(o.histogram) ? o.histogram
                                                  : o.distances);
  settlePortable(o, processes.has_value());
  return runOnRanks(o.ranks, processes ? &*processes : nullptr, [&o](Crew* ranks) {
    Job job(o, ranks);  // checks --verify, also of a plan
    if (o.planned) return planSweep(o);
    if (!o.record.empty() && !slurmJob().empty())
      exitOnInterrupts(static_cast<int>(Exit::kInterrupted));  // tells Slurm to requeue the job
    return job.run();
  });
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

int run(int argc, char** argv) {
  return exitCodeOf([&] {
    const Program program(kSolve, subcommands());
    if (processes) sayIfAlone(program.subcommandNames(), argc, argv, processes->ranks().size());
    return program.run(argc, argv);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string(kWorkerArgument)) return runWorker(argc, argv);
  if (argc > 1 && argv[1] == std::string(kConfinedArgument)) return runConfined(argc, argv);
  openStandardFiles();
  if (argc > 1 && argv[1] == std::string("grade"))
    if (const auto code = supervise()) return *code;  // what follows runs in its child
  showProgress();  // before any work: until then SIGUSR1 ends the program
  removeTemporariesOnSignals();
  if (const auto wrong = joinCrew(&argc, &argv, processes)) return static_cast<int>(*wrong);
  int code = 0;
  if (processes && processes->ranks().rank() > 0)
    processes->follow();
  else
    code = run(argc, argv);
  processes.reset();
  leaveRanks();
  return code;
}
