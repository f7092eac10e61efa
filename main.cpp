// apsp: solve, time and verify all-pairs shortest paths. The program, top to bottom:
// command line → graph → device → solve and time → verify → report → exit code; then a function a
// subcommand. Its flags are in src/cli/command_line.cpp.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apsp.h"
#include "check/check.h"
#include "cli/command_line.h"
#include "cli/plot.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/progress.h"
#include "core/threads.h"
#include "core/utf8.h"
#include "generate/generate.h"
#include "grade/grade.h"
#include "io/formats/formats.h"
#include "io/output.h"
#include "measure/compare.h"
#include "measure/ladder.h"
#include "measure/record.h"
#include "measure/reduce.h"
#include "measure/result_store.h"
#include "measure/session.h"
#include "measure/tables.h"
#include "measure/timing.h"
#include "solvers/solver.h"
#include "submission/compile.h"
#include "submission/submission.h"
#include "submission/worker.h"
#include "verify/verify.h"

namespace {

// ---- solve ----------------------------------------------------------------------------------

/// Milliseconds that work() takes on the host's clock.
double timed(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

bool colourful() {
  return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

/// A message on standard error; where that cannot be written, the exit code must say it all. File
/// names and what submissions print may hold anything: it is one line of text all the same.
void complain(const std::string& message) {
  std::fputs(fmt::format("apsp: {}\n", oneLine(message)).c_str(), stderr);
}

/// What was printed so far has reached standard output, or this throws.
void flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(Exit::kOutput, fmt::format("standard output: {}", std::strerror(errno)));
  }
}

void say(const CommandLine& o, const std::string& text) {
  if (!o.quiet) fmt::print("{}", text);
}

/// Standard output is the JSON's where it goes there, and never CSV's.
void settleOutput(CommandLine& o) {
  if (isStandardOutput(o.json)) o.quiet = true;
  if (isStandardOutput(o.csv))
    throw Error(Exit::kUsage, "--csv appends to a file: --json - prints the record");
}

/// Says what is wrong with a result; the exit code where `soFar` was that of the ones before it.
Exit judge(const Record& record, Exit soFar) {
  if (!record.warning.empty()) complain("warning: kernel " + record.kernel + ": " + record.warning);
  if (!record.failed()) return soFar;
  complain(record.fault.empty() ? mismatchText(record) : record.faultText);
  return Exit::kMismatch;
}

void sayDropped(const CommandLine& o, const Graph& graph) {
  if (graph.duplicates + graph.selfLoops == 0) return;
  say(o, fmt::format("          {} parallel edges (the lightest kept) and {} self-loops dropped\n",
                     graph.duplicates, graph.selfLoops));
}

const Device& chooseDevice(const CommandLine& o) {
  if (o.device == "cpu") return cpuDevice;
  std::string why;
  if (const Device* gpu = findGpu(why)) return *gpu;
  const char* given = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!slurmJob().empty() && (given == nullptr || *given == '\0'))
    why += ", and this Slurm job asked for none (sbatch --gres=gpu:1)";
  if (o.device == "gpu") {
    throw Error(Exit::kGpu,
                fmt::format("no GPU: {}: use --device cpu, or run where a GPU is", why));
  }
  say(o, fmt::format("No GPU ({}): solving on the CPU.\n", why));
  return cpuDevice;
}

/// A word that is no file may be meant as a subcommand: say both. A path is left to the reader's
/// own error.
void checkWord(const std::string& word, const std::string& subcommands) {
  struct stat status {};
  if (word == "-" || stat(word.c_str(), &status) == 0 ||
      word.find_first_of("/.") != std::string::npos)
    return;
  throw Error(Exit::kUsage,
              fmt::format("'{}' is neither a file nor a subcommand ({})", word, subcommands));
}

/// The graph to solve: a file's is in host memory, a generated one comes to be on the device.
struct Problem {
  std::string name;
  int n = 0;
  Dtype dtype = Dtype::kInt32;
  Graph file;  // of a file
  double loadMs = 0;
};

Problem load(const CommandLine& o) {
  Problem problem;
  if (o.graph.empty()) {
    problem.name = describe(o.spec);
    problem.n = o.spec.n;
    problem.dtype = o.spec.dtype;
  } else {
    problem.name = o.graph;
    problem.loadMs = timed([&] { problem.file = readGraph(o.graph, o.read); });
    problem.n = problem.file.n;
    problem.dtype = problem.file.dtype;
  }
  return problem;
}

/// Puts the graph into device memory; what that took.
HostTimes place(const CommandLine& o, const Device& device, const Problem& problem,
                const DeviceMatrix& graph) {
  HostTimes host;
  host.load = problem.loadMs;
  const auto copyIn = [&](const int* from) {
    const Progress copying("copying the graph in");
    host.copyIn = timed([&] { device.upload(graph.data(), from, graph.size()); });
  };
  if (o.graph.empty()) {
    host.load = timed([&] { device.generate(o.spec, graph.data()); });
  } else if (problem.file.dense()) {
    copyIn(problem.file.matrix().data());
  } else {
    Matrix matrix(problem.n);
    host.load +=
        timed([&] { writeMatrix(problem.n, problem.file.edges(), matrix.data(), problem.dtype); });
    copyIn(matrix.data());
  }
  return host;
}

/// Throws unless all the matrices that this run will need fit into memory, before anything is done.
/// Returns whether there is room for one more on the device, a copy of the graph to start from.
/// submits: a submission is to run, which has a matrix of its own, and one on the way there.
bool checkMemory(const CommandLine& o, const Device& device, const Problem& problem,
                 const VerifyPlan& verify, bool submits) {
  using Oracle = VerifyPlan::Oracle;
  const bool generated = o.graph.empty(), verified = verify.oracle != Oracle::kNone;
  // The one solved, ref's distances, the submission's own, the one renumbered.
  const std::size_t there = 1 + (verify.oracle == Oracle::kRef) + submits + o.measuring.vary;
  const std::size_t host =
      submits + (!o.out.empty() || verified) +         // the distances
      (generated ? verified : !problem.file.dense());  // the graph, for Dijkstra or to copy in
  const int n = problem.n;
  const std::size_t free = device.freeBytes();
  if (&device == &cpuDevice) {
    const std::size_t all = there + host + 1;  // 1: the solver's own tiles
    requireMatrices("host", free, n, all);
    return fits(free, n, all + 1);
  }
  requireMatrices("device", free, n, there);
  requireMatrices("host", cpuDevice.freeBytes(), n, host);
  return fits(free, n, there + 2);  // and for what the solver wants for itself
}

Exit listKernels() {
  for (const Kernel& kernel : kernelTable()) {
    fmt::print("{:<8}{:<5}{:<44}{}\n", kernel.name, kernel.device->kind, kernel.what,
               kernel.source);
  }
  return Exit::kOk;
}

/// "" of a file.
std::string seedOf(const CommandLine& o) {
  return o.graph.empty() ? std::to_string(o.spec.seed) : "";
}

/// Notes the points of a sweep. It needs no GPU: the node that submits jobs has none.
Exit notePoints(const CommandLine& o) {
  const Problem problem = load(o);
  Record record;
  record.input = problem.name;
  record.seed = seedOf(o);
  record.n = problem.n;
  record.dtype = problem.dtype;
  record.plan = o.measuring;
  record.verdict.how = o.verify;
  if (!o.graph.empty()) record.graph = tally(problem.file);
  const auto& table = kernelTable();
  for (const std::string& name : o.kernels) {
    const auto named = [&](const Kernel& k) { return k.name == name; };
    if (!isSubmission(name) && std::none_of(table.begin(), table.end(), named))
      throw Error(Exit::kUsage, fmt::format("no kernel '{}' (--list-kernels names them)", name));
  }
  for (const std::string& name : o.kernels) {
    record.kernel = name;
    record.version = isSubmission(name) ? contentHash(name) : "";
    record.point = pointOf(record, o.verify);
    planPoint(o.record, record);
  }
  return Exit::kOk;
}

Exit solve(CommandLine& o) {
  if (o.listKernels) return listKernels();
  if (!o.graph.empty()) checkWord(o.graph, o.subcommands);
  settleOutput(o);
  const VerifyPlan verify = parseVerify(o.verify);
  if (o.planned) return notePoints(o);
  if (!o.record.empty() && !slurmJob().empty()) {
    exitOnInterrupts(static_cast<int>(Exit::kInterrupted));  // by which Slurm knows: requeue it
  }
  if (!o.out.empty()) checkDistancesFormat(o.out);
  const Device& device = chooseDevice(o);
  std::vector<Kernel> kernels;
  for (const std::string& word : o.kernels) kernels.push_back(chooseKernel(word, device, o.limits));
  // What speedups refer to comes first.
  std::stable_partition(kernels.begin(), kernels.end(),
                        [](const Kernel& k) { return k.name == std::string("ref"); });

  Problem problem = load(o);
  const int n = problem.n;
  if (!o.out.empty()) checkDistancesFormat(o.out, problem.dtype);
  const bool submits = std::any_of(o.kernels.begin(), o.kernels.end(), isSubmission);
  const bool keepsGraph = checkMemory(o, device, problem, verify, submits);
  std::unique_ptr<OutputFile> out, json;  // opened before any work is done
  if (!o.out.empty()) {
    out = std::make_unique<OutputFile>(o.out);
    out->requireRoom(distancesBytes(o.out, n));
  }
  if (!o.json.empty()) json = std::make_unique<OutputFile>(o.json);
  if (!o.csv.empty()) appendRows(o.csv, csvHeader(), "");

  HostTimes host;
  const auto onHost = [&]() -> const Graph& {
    if (o.graph.empty() && problem.file.n != n) problem.file = generate(o.spec);
    return problem.file;
  };
  Workbench bench(
      device, n, problem.dtype,
      [&](const DeviceMatrix& to) { host = place(o, device, problem, to); }, onHost, keepsGraph);
  Record base = bench.describe(problem.name, seedOf(o), o.measuring);
  base.host = host;
  say(o, graphLines(base));
  sayDropped(o, problem.file);
  say(o, fmt::format("{:<10}{:.3f} ms\n", o.graph.empty() ? "generate" : "read", base.host.load));
  if (base.host.copyIn > 0) say(o, fmt::format("copy in   {:.3f} ms\n", base.host.copyIn));
  say(o, "\n" + resultHead());

  std::vector<Record> records;
  double baseline = 0;
  for (const Kernel& kernel : kernels) {
    Record record = base;
    record.kernel = kernel.name;
    record.version = kernel.version;
    std::unique_ptr<Point> point;
    if (!o.record.empty()) {
      record.point = pointOf(record, o.verify);
      point = std::make_unique<Point>(o.record, record);
      if (!point->skipReason().empty()) {
        say(o, fmt::format("{:<9} skipped: {}\n", kernel.name, point->skipReason()));
        continue;
      }
    }
    record = bench.run(kernel, verify, std::move(record));
    if (baseline == 0 && record.kernel == "ref") baseline = record.timing.median;
    say(o, resultRow(record, baseline, colourful()) + disturbanceLine(record.after));
    if (record.printed > 0) say(o, "          " + printedText(record.printed) + "\n");
    flushOutput();
    if (point != nullptr && record.fault.empty()) point->write(record);
    records.push_back(std::move(record));
  }

  const bool solved = !records.empty() && records.back().fault.empty();
  if (solved && out != nullptr) {
    Matrix distances(n);
    HostTimes& times = records.back().host;  // -o writes what the last kernel found
    const DeviceMatrix& found = bench.result();
    times.copyOut = timed([&] { device.download(distances.data(), found.data(), found.size()); });
    times.write = timed([&] { writeDistances(*out, n, distances.data(), problem.dtype); });
    say(o, fmt::format("\ncopy out  {:.3f} ms\nwrite     {:.3f} ms  {}\n", times.copyOut,
                       times.write, o.out));
  }
  if (solved && records.back().unreachable > 0) {
    say(o, fmt::format("\n{} pairs are unreachable.\n", withCommas(records.back().unreachable)));
  }
  for (const Record& record : records) {
    if (!o.csv.empty()) appendRows(o.csv, csvHeader(), csvRow(record));
  }
  // Where all points were there already, so is their JSON.
  if (json != nullptr && !records.empty()) json->finish(toJson(records));
  Exit result = Exit::kOk;
  for (const Record& record : records) result = judge(record, result);
  return result;
}

// ---- ladder ---------------------------------------------------------------------------------

/// The sizes that --sizes names, else these.
std::vector<int> sizesOr(const std::vector<int>& sizes, const CommandLine& o) {
  return o.sizes.empty() ? sizes : o.sizes;
}
const std::vector<int> reportSizes(std::begin(kReportSizes), std::end(kReportSizes));

const Device& requireGpu(std::string_view reason) {
  std::string why;
  if (const Device* gpu = findGpu(why)) return *gpu;
  throw Error(Exit::kGpu, fmt::format("no GPU: {}: {}", why, reason));
}

Exit climbLadder(CommandLine& o) {
  settleOutput(o);
  const Device& gpu = requireGpu("the ladder's kernels need one");
  const std::vector<const Report*> reports = chooseReports(o.reports);
  std::vector<Kernel> beside;
  for (const std::string& word : o.kernels) beside.push_back(chooseKernel(word, gpu, o.limits));
  std::unique_ptr<OutputFile> json;  // opened before any work is done
  if (!o.json.empty()) json = std::make_unique<OutputFile>(o.json);
  if (!o.csv.empty()) appendRows(o.csv, ladderCsvHeader(), "");
  say(o, deviceLines(gpu.kind, gpu.info()) + "\n" + ladderLegend(reports));

  std::vector<Step> all;
  for (const int n : sizesOr(reportSizes, o)) {
    const std::vector<Step> steps = climb(gpu, reports, n, o.measuring, beside);
    say(o, ladderTables(steps, colourful()));
    flushOutput();
    if (!o.csv.empty()) appendRows(o.csv, ladderCsvHeader(), ladderCsvRows(steps));
    all.insert(all.end(), steps.begin(), steps.end());
  }
  if (json != nullptr) json->finish(ladderJson(all));
  Exit result = Exit::kOk;
  for (const Step& step : all) result = judge(step.record, result);
  return result;
}

// ---- check and grade ------------------------------------------------------------------------

Exit checkKernels(CommandLine& o) {
  if (o.listFamilies) {
    fmt::print("{}", checkFamilies(o.check.general));
    return Exit::kOk;
  }
  settleOutput(o);
  if (o.host) o.device = "cpu";
  const Device& device = chooseDevice(o);
  for (const std::string& word : o.kernels) chooseKernel(word, device, o.limits);  // it is there
  std::unique_ptr<OutputFile> json;  // opened before any work is done
  if (!o.json.empty()) json = std::make_unique<OutputFile>(o.json);
  if (!o.csv.empty()) appendRows(o.csv, checkCsvHeader(), "");

  std::vector<Check> checks;
  for (const std::string& word : o.kernels) {
    const auto fresh = [&] { return chooseKernel(word, device, o.limits); };
    CheckPlan plan = o.check;
    if (isSubmission(word)) plan.seconds = o.limits.checkSeconds();
    checks.push_back(check(fresh, device, plan));
    say(o, checkText(checks.back()));
    flushOutput();
    if (!o.csv.empty()) appendRows(o.csv, checkCsvHeader(), checkCsvRow(checks.back()));
  }
  if (json != nullptr) json->finish(checkJson(checks));
  Exit result = Exit::kOk;
  for (const Check& done : checks) {
    if (done.failed() == 0) continue;
    complain(checkSummary(done));
    result = Exit::kMismatch;
  }
  return result;
}

Exit gradeFolder(CommandLine& o) {
  settleOutput(o);
  const Device& device = o.host ? cpuDevice : requireGpu("use --host for .so files of host memory");
  GradePlan plan;
  plan.folder = o.folder;
  plan.sizes = o.host ? sizesOr({100, 200, 400}, o) : sizesOr(reportSizes, o);
  std::sort(plan.sizes.begin(), plan.sizes.end());
  plan.full = o.check.depth == CheckPlan::kFull;
  plan.measuring = o.measuring;
  plan.measuring.vary = true;
  plan.limits = o.limits;
  plan.csv = o.csv;
  say(o, deviceLines(device.kind, device.info()) + "\n");
  const std::vector<Grade> grades = grade(plan, device);
  say(o, gradeTable(plan, grades, colourful()));
  const auto ungraded = std::find_if(grades.begin(), grades.end(),
                                     [](const Grade& g) { return g.trouble != Exit::kOk; });
  if (ungraded == grades.end()) return Exit::kOk;
  complain(fmt::format("{}: not graded: {}", ungraded->name, ungraded->build));
  return ungraded->trouble;
}

Exit reduceValues(CommandLine& o) {
  reduce({sizesOr({1 << 28}, o), o.measuring, o.csv, o.json, o.quiet});
  return Exit::kOk;
}

// ---- files, sweeps --------------------------------------------------------------------------

Exit generateFile(CommandLine& o) {
  o.quiet = isStandardOutput(o.out);
  checkGraphFormat(o.out, o.toFormat, o.spec.dtype);
  OutputFile out(o.out);
  const Graph graph = generate(o.spec);
  writeGraph(out, graph, o.toFormat);
  say(o,
      fmt::format("{}: {}, {} edges\n", o.out, describe(o.spec), withCommas(tally(graph).edges)));
  return Exit::kOk;
}

Exit convertFile(CommandLine& o) {
  o.quiet = isStandardOutput(o.to);
  checkGraphFormat(o.to, o.toFormat);
  const Graph graph = readGraph(o.graph, o.read);
  checkGraphFormat(o.to, o.toFormat, graph.dtype);
  OutputFile out(o.to);
  writeGraph(out, graph, o.toFormat);
  say(o,
      fmt::format("{}: {} vertices, {} edges\n", o.to,
                  withCommas(static_cast<std::uint64_t>(graph.n)), withCommas(tally(graph).edges)));
  sayDropped(o, graph);
  return Exit::kOk;
}

Exit describeFile(CommandLine& o) {
  const Graph graph = readGraph(o.graph, o.read);
  const Tally all = tally(graph);
  const double n = graph.n;
  std::uint64_t zero = 0, reversed = 0;
  int lightest = all.maxWeight;
  forEachEdge(graph, [&](const Edge& e) {
    zero += e.weight == 0;
    lightest = std::min(lightest, e.weight);
    reversed += edgeHash(static_cast<std::uint64_t>(e.to), static_cast<std::uint64_t>(e.from),
                         static_cast<std::uint64_t>(e.weight));
  });
  fmt::print("file        {}\n", o.graph);
  fmt::print("held as     {}\n", graph.dense() ? "matrix" : "edge list");
  fmt::print("vertices    {}\n", withCommas(static_cast<std::uint64_t>(graph.n)));
  fmt::print("edges       {}\n", withCommas(all.edges));
  fmt::print("density     {:.4g} % of all pairs, mean degree {:.2f}\n",
             n > 1 ? 100.0 * static_cast<double>(all.edges) / (n * (n - 1)) : 0.0,
             n > 0 ? static_cast<double>(all.edges) / n : 0.0);
  fmt::print("weights     {}, {} to {}, {} are 0\n", nameOf(graph.dtype),
             weightText(lightest, graph.dtype), weightText(all.maxWeight, graph.dtype),
             withCommas(zero));
  fmt::print("undirected  {}\n",
             reversed == all.hash ? "yes, every edge has its equal backwards" : "no");
  fmt::print("dropped     {} parallel edges, {} self-loops\n", withCommas(graph.duplicates),
             withCommas(graph.selfLoops));
  fmt::print("hash        {:016x}\n", all.hash);
  fmt::print("to solve    2 matrices of {}B\n", withPrefix(4 * n * n));
  return Exit::kOk;
}

Exit reportSweep(CommandLine& o) {
  const std::vector<Row> rows = readPoints(o.sweeps), plan = readPlan(o.sweeps);
  if (rows.empty() && plan.empty())
    throw Error(Exit::kInput, fmt::format("{}: no records here", o.sweeps[0]));
  std::string csv = csvHeader();
  for (const Row& row : rows) csv += csvRow(row);
  if (!o.csv.empty()) OutputFile(o.csv).finish(csv);
  say(o, sweepTables(rows, o.markdown));
  flushOutput();
  if (!o.plot.empty() && !rows.empty()) drawSweep(csv, o.plot);
  const std::vector<Row> missing = missingPoints(plan, rows);
  if (missing.empty()) return Exit::kOk;
  say(o, (rows.empty() ? "" : "\n") + missingList(missing));
  flushOutput();
  throw Error(Exit::kMismatch,
              fmt::format("{}: {} of {} planned points are missing: run the sweep again, or remove "
                          "{}/.plan",
                          o.sweeps[0], missing.size(), plan.size(), o.sweeps[0]));
}

Exit compareSweeps(CommandLine& o) {
  const Side a = {o.before, readPoints({o.before})}, b = {o.after, readPoints({o.after})};
  const std::vector<Compared> points = compareRecords(a, b);
  say(o, fmt::format("A: {}\nB: {}\n\n{}", a.name, b.name, comparisonTable(points)));
  flushOutput();
  const auto inBoth = [](const Compared& p) { return p.a != nullptr && p.b != nullptr; };
  if (std::none_of(points.begin(), points.end(), inBoth))
    throw Error(Exit::kInput, fmt::format("{} and {} have no point in common", a.name, b.name));
  const auto regressions = std::count_if(points.begin(), points.end(), [&](const Compared& p) {
    return isRegression(p, o.failSlower);
  });
  if (o.failSlower < 0 || regressions == 0) return Exit::kOk;
  throw Error(Exit::kMismatch,
              fmt::format("{}: points that are wrong, or slower than in {} beyond the noise and by "
                          "more than {} %: {}",
                          b.name, a.name, o.failSlower, regressions));
}

// ---- the program ----------------------------------------------------------------------------

constexpr struct {
  const char* name;
  Exit (*run)(CommandLine&);
} kSubcommands[] = {
    {"", solve},
    {"gen", generateFile},
    {"info", describeFile},
    {"convert", convertFile},
    {"report", reportSweep},
    {"compare", compareSweeps},
    {"ladder", climbLadder},
    {"reduce", reduceValues},
    {"check", checkKernels},
    {"grade", gradeFolder},
};

Exit run(CommandLine&& o) {
  if (!o.text.empty()) {
    fmt::print("{}", o.text);
    return Exit::kOk;
  }
  startThreads(o.threads);
  const auto named = [&](const auto& row) { return row.name == o.subcommand; };
  return std::find_if(std::begin(kSubcommands), std::end(kSubcommands), named)->run(o);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string(kWorkerArgument)) return runWorker(argc, argv);
  openStandardFiles();
  showProgress();  // before any work: until then SIGUSR1 ends the program
  const auto fail = [](Exit code, const std::string& message) {
    complain(message);
    return static_cast<int>(code);
  };
  removeTemporariesOnSignals();
  try {
    const Exit result = run(parseCommandLine(argc, argv));
    flushOutput();
    return static_cast<int>(result);
  } catch (const BuildError& e) {
    std::fputs(e.log.c_str(), stderr);
    return fail(e.code, e.what());
  } catch (const Error& e) {
    return fail(e.code, e.what());
  } catch (const std::bad_alloc&) {
    return fail(Exit::kMemory, "out of host memory");
  } catch (const std::exception& e) {  // fmt's, which is all that is left: standard output failed
    return fail(Exit::kOutput, e.what());
  }
}
