// apsp: solve, time and verify all-pairs shortest paths. This is the main job, top to bottom:
// command line → graph → device → solve and time → verify → results → exit code. The subcommands
// are in src/commands.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
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
#include "generate/generate.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "submission/compile.h"
#include "submission/protocol.h"
#include "verify/verify.h"

namespace {

/// One run of the main job. run() calls the steps in order.
class Job {
 public:
  explicit Job(SolveFlags& flags) : o_(flags), verify_(parseVerify(flags.verify)) {}

  Exit run() {
    chooseKernels();
    loadGraph();
    checkMemory();
    openOutputs();
    upload();
    printGraph();
    for (const Kernel& kernel : kernels_) solve(kernel);
    writeResult();
    writeRecords();
    return verdict();
  }

 private:
  void chooseKernels();
  void loadGraph();
  void checkMemory();
  void openOutputs();
  void upload();
  HostTimes writeGraphTo(const DeviceMatrix& matrix);
  const Graph& graphOnHost();
  void printGraph();
  void solve(const Kernel& kernel);
  void writeResult();
  void writeRecords();
  Exit verdict() const;
  bool solved() const { return !records_.empty() && records_.back().fault.empty(); }

  SolveFlags& o_;
  const VerifyPlan verify_;
  const Device* device_ = nullptr;
  std::vector<Kernel> kernels_;
  Source source_;
  bool keepsGraph_ = false;  ///< there is room for a second copy of the graph on the device
  std::unique_ptr<OutputFile> distances_, json_;
  HostTimes host_;
  std::unique_ptr<Workbench> session_;
  Record base_;  ///< what all records have in common
  std::vector<Record> records_;
  double baseline_ = 0;  ///< the median of ref, to which speedups refer; 0: not measured
};

void Job::chooseKernels() {
  if (!o_.distances.empty()) checkDistancesFormat(o_.distances);
  device_ = &chooseDevice(o_.device, o_.output);
  for (const std::string& name : o_.kernels.names)
    kernels_.push_back(chooseKernel(name, *device_, o_.kernels.limits));
  // ref comes first, because the speedups of the others refer to it.
  std::stable_partition(kernels_.begin(), kernels_.end(),
                        [](const Kernel& k) { return k.name == "ref"; });
}

void Job::loadGraph() {
  source_ = load(o_.graph);
  if (!o_.distances.empty()) checkDistancesFormat(o_.distances, source_.dtype);
}

/// Throws unless all the matrices that this job will need fit into memory.
void Job::checkMemory() {
  using Oracle = VerifyPlan::Oracle;
  const auto& names = o_.kernels.names;
  const bool submits = std::any_of(names.begin(), names.end(), isSubmission);
  const bool verified = verify_.oracle != Oracle::kNone;
  // The matrix to solve, ref's distances, a submission's own matrix, and the renumbered graph.
  const std::size_t there = 1 + (verify_.oracle == Oracle::kRef) + submits + o_.measuring.vary;
  const std::size_t host =
      submits +                                                  // on its way to the submission
      (!o_.distances.empty() || verified) +                      // the distances
      (o_.graph.generated ? verified : !source_.graph.dense());  // for Dijkstra, or to be uploaded
  const int n = source_.n;
  const std::size_t free = device_->freeBytes();
  if (device_ == &cpuDevice) {
    const std::size_t all = there + host + 1;  // 1: the solver's own tiles
    requireMatrices("host", free, n, all);
    keepsGraph_ = fits(free, n, all + 1);
    return;
  }
  requireMatrices("device", free, n, there);
  requireMatrices("host", cpuDevice.freeBytes(), n, host);
  keepsGraph_ = fits(free, n, there + 2);  // one more for the solver's own use
}

/// Opens the files before any work is done, because a run of hours must not end with a full disk.
void Job::openOutputs() {
  if (!o_.distances.empty()) {
    distances_ = std::make_unique<OutputFile>(o_.distances);
    distances_->requireRoom(distancesBytes(o_.distances, source_.n));
  }
  json_ = o_.output.openJson();
  o_.output.append(csvHeader(), "");
}

void Job::upload() {
  session_ = std::make_unique<Workbench>(
      *device_, source_.n, source_.dtype,
      [this](const DeviceMatrix& to) { host_ = writeGraphTo(to); },
      [this]() -> const Graph& { return graphOnHost(); }, keepsGraph_);
  base_ = session_->describe(source_.name, source_.seed, o_.measuring);
  base_.host = host_;
}

HostTimes Job::writeGraphTo(const DeviceMatrix& matrix) {
  HostTimes times;
  times.load = source_.loadMs;
  const auto copyIn = [&](const int* from) {
    const Progress copying("copying the graph in");
    times.copyIn = timed([&] { device_->upload(matrix.data(), from, matrix.size()); });
  };
  if (o_.graph.generated) {
    times.load = timed([&] { device_->generate(o_.graph.spec, matrix.data()); });
  } else if (source_.graph.dense()) {
    copyIn(source_.graph.matrix().data());
  } else {
    Matrix dense(source_.n);
    times.load +=
        timed([&] { writeMatrix(source_.n, source_.graph.edges(), dense.data(), source_.dtype); });
    copyIn(dense.data());
  }
  return times;
}

const Graph& Job::graphOnHost() {
  if (o_.graph.generated && source_.graph.n != source_.n) source_.graph = generate(o_.graph.spec);
  return source_.graph;
}

void Job::printGraph() {
  const OutputFlags& out = o_.output;
  out.say(graphLines(base_) + droppedLine(source_.graph));
  out.say(fmt::format("{:<10}{:.3f} ms\n", o_.graph.generated ? "generate" : "read", host_.load));
  if (host_.copyIn > 0) out.say(fmt::format("copy in   {:.3f} ms\n", host_.copyIn));
  out.say("\n" + resultHead());
}

/// Times and verifies one kernel, unless --record's directory holds its record already.
void Job::solve(const Kernel& kernel) {
  Record record = base_;
  record.kernel = kernel.name;
  record.version = kernel.version;
  std::unique_ptr<Point> point;
  if (!o_.record.empty()) {
    record.point = pointOf(record, o_.verify);
    point = std::make_unique<Point>(o_.record, record);
    if (!point->skipReason().empty()) {
      o_.output.say(fmt::format("{:<9} skipped: {}\n", kernel.name, point->skipReason()));
      return;
    }
  }
  record = session_->run(kernel, verify_, std::move(record));
  if (record.kernel == "ref" && baseline_ == 0) baseline_ = record.timing.median;
  o_.output.say(resultRow(record, baseline_, colourful()) + disturbanceLine(record.after));
  if (record.printed > 0) o_.output.say("          " + printedText(record.printed) + "\n");
  flushOutput();
  if (point != nullptr && record.fault.empty()) point->write(record);
  records_.push_back(std::move(record));
}

/// Writes what the last kernel found.
void Job::writeResult() {
  if (solved() && distances_ != nullptr) {
    Matrix found(source_.n);
    HostTimes& times = records_.back().host;
    const DeviceMatrix& result = session_->result();
    times.copyOut = timed([&] { device_->download(found.data(), result.data(), result.size()); });
    times.write =
        timed([&] { writeDistances(*distances_, source_.n, found.data(), source_.dtype); });
    o_.output.say(fmt::format("\ncopy out  {:.3f} ms\nwrite     {:.3f} ms  {}\n", times.copyOut,
                              times.write, o_.distances));
  }
  if (solved() && records_.back().unreachable > 0)
    o_.output.say(
        fmt::format("\n{} pairs are unreachable.\n", withCommas(records_.back().unreachable)));
}

void Job::writeRecords() {
  for (const Record& record : records_) o_.output.append(csvHeader(), csvRow(record));
  // If every kernel was skipped, the JSON file of the earlier run stays.
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
  checkGraph(o.graph, program);
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
  if (argc > 1 && argv[1] == std::string(kServeArgument)) return serveSubmission(argc, argv);
  openStandardFiles();
  showProgress();  // before any work: until then SIGUSR1 ends the program
  removeTemporariesOnSignals();
  try {
    const Program program(kSolve, subcommands());
    const Exit result = program.run(argc, argv);
    flushOutput();
    return static_cast<int>(result);
  } catch (const BuildError& e) {
    std::fputs(e.log.c_str(), stderr);
    return fail(e.code, e.what());
  } catch (const Error& e) {
    return fail(e.code, e.what());
  } catch (const std::bad_alloc&) {
    return fail(Exit::kMemory, "out of host memory");
  } catch (const std::exception& e) {  // only fmt's are left: standard output failed
    return fail(Exit::kOutput, e.what());
  }
}
