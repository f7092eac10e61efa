// apsp: solve, time and verify all-pairs shortest paths. The program, top to bottom:
// command line → graph → device → solve and time → verify → report → exit code.
// The only file that knows CLI11; what the subcommands do beyond their flags is in src/.
#include <omp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apsp.h"
#include "build.h"
#include "ceilings.h"
#include "check.h"
#include "compare.h"
#include "environment.h"
#include "error.h"
#include "formats.h"
#include "generate.h"
#include "grade.h"
#include "kernels.h"
#include "ladder.h"
#include "measure.h"
#include "number.h"
#include "output.h"
#include "plot.h"
#include "points.h"
#include "progress.h"
#include "record.h"
#include "reduce.h"
#include "report.h"
#include "serve.h"
#include "submission.h"
#include "verify.h"
#include "workbench.h"

namespace {

/// Everything that the command line can say.
struct CommandLine {
  std::string graph, to;  // files
  ReadOptions read;
  std::string toFormat;
  std::string family = "course", dtype = "auto";
  Spec spec;
  std::string device = "auto";
  std::vector<std::string> kernels = {"apsp"};
  std::string precision = "auto";
  SubmissionLimits limits;
  std::vector<std::string> submissions;  // of ladder
  bool noSymmetry = false, noSkip = false;
  std::string verify;
  MeasurePlan plan;
  int threads = 0;
  std::string out, json, csv, record;
  bool planned = false, quiet = false, listKernels = false, markdown = false;
  std::vector<std::string> sweeps;
  std::string plot;           // of report
  std::string before, after;  // of compare
  int failSlower = -1;        // percent; −1: not asked for
  std::vector<int> graphSizes{std::begin(kReportSizes), std::end(kReportSizes)};  // of ladder
  std::vector<std::string> reports;
  std::vector<int> sizes = {1 << 28};  // of reduce
  GradePlan grading;
  CheckPlan check;
  std::string contract = "course";
  bool host = false, quick = false, full = false, noVary = false,
       families = false;  // of check and grade
};

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
  if (o.json == "-") o.quiet = true;
  if (o.csv == "-")
    throw Error(Exit::kUsage, "--csv appends to a file: --json - prints the record");
}

void writeAll(OutputFile& file, const std::string& text) {
  file.write(text.data(), text.size());
  file.commit();
}

/// Says what is wrong with a result; the exit code where `soFar` was that of the ones before it.
Exit judge(const Record& record, Exit soFar) {
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

/// The Precision of one of kPrecisionNames.
Precision precisionOf(const std::string& name) {
  const auto* first = std::begin(kPrecisionNames);
  return static_cast<Precision>(std::find(first, std::end(kPrecisionNames), name) - first);
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
  const std::size_t there = 1 + (verify.oracle == Oracle::kRef) + submits + o.plan.vary;
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

/// Notes the points of a sweep. It needs no GPU: the node that submits jobs has none.
Exit notePoints(const CommandLine& o) {
  const Problem problem = load(o);
  Record record;
  record.input = problem.name;
  record.n = problem.n;
  record.dtype = problem.dtype;
  record.plan = o.plan;
  const auto& table = kernelTable();
  for (const std::string& name : o.kernels) {
    const auto named = [&](const Kernel& k) { return k.name == name; };
    if (!isSubmission(name) && std::none_of(table.begin(), table.end(), named))
      throw Error(Exit::kUsage, fmt::format("no kernel '{}' (--list-kernels names them)", name));
  }
  for (const std::string& name : o.kernels) {
    record.kernel = name;
    planPoint(o.record, record, o.verify);
  }
  return Exit::kOk;
}

Exit solve(CommandLine& o, const std::string& subcommands) {
  if (!o.graph.empty()) checkWord(o.graph, subcommands);
  settleOutput(o);
  const VerifyPlan verify = parseVerify(o.verify);
  o.spec.family = familyIndex(o.family);
  o.plan.options = {precisionOf(o.precision), !o.noSymmetry, !o.noSkip};
  if (o.planned) return notePoints(o);
  if (!o.record.empty() && !slurmJob().empty()) {
    exitOnInterrupts(static_cast<int>(Exit::kInterrupted));  // by which Slurm knows: requeue it
  }
  if (!o.out.empty()) checkDistancesFormat(o.out);
  if (o.threads > 0) omp_set_num_threads(o.threads);
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
  Record base =
      bench.describe(problem.name, o.graph.empty() ? std::to_string(o.spec.seed) : "", o.plan);
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
      point = std::make_unique<Point>(o.record, record, o.verify);
      if (!point->skipReason().empty()) {
        say(o, fmt::format("{:<9} skipped: {}\n", kernel.name, point->skipReason()));
        continue;
      }
    }
    record = bench.run(kernel, verify, std::move(record));
    if (baseline == 0 && record.kernel == "ref") baseline = record.timing.median;
    say(o, resultRow(record, baseline, colourful()) + disturbanceLine(record.after));
    if (record.printed > 0)
      say(o, fmt::format("          it printed {} bytes, not shown\n", withCommas(record.printed)));
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
  if (json != nullptr && !records.empty()) writeAll(*json, toJson(records));
  Exit result = Exit::kOk;
  for (const Record& record : records) result = judge(record, result);
  return result;
}

// ---- ladder ---------------------------------------------------------------------------------

const Device& requireGpu(const std::string& reason) {
  std::string why;
  if (const Device* gpu = findGpu(why)) return *gpu;
  throw Error(Exit::kGpu, fmt::format("no GPU: {}: {}", why, reason));
}

Exit climbLadder(CommandLine& o) {
  settleOutput(o);
  const Device& gpu = requireGpu("the ladder's kernels need one");
  const std::vector<const Report*> reports = chooseReports(o.reports);
  std::vector<Kernel> beside;
  for (const std::string& word : o.submissions) beside.push_back(chooseKernel(word, gpu, o.limits));
  std::unique_ptr<OutputFile> json;  // opened before any work is done
  if (!o.json.empty()) json = std::make_unique<OutputFile>(o.json);
  if (!o.csv.empty()) appendRows(o.csv, ladderCsvHeader(), "");
  say(o, deviceLines(gpu.kind, gpu.info()) + "\n" + ladderLegend(reports));

  std::vector<Step> all;
  for (const int n : o.graphSizes) {
    const std::vector<Step> steps = climb(gpu, reports, n, o.plan, beside);
    say(o, ladderTables(steps, colourful()));
    flushOutput();
    if (!o.csv.empty()) appendRows(o.csv, ladderCsvHeader(), ladderCsvRows(steps));
    all.insert(all.end(), steps.begin(), steps.end());
  }
  if (json != nullptr) writeAll(*json, ladderJson(all));
  Exit result = Exit::kOk;
  for (const Step& step : all) result = judge(step.record, result);
  return result;
}

// ---- check and grade ------------------------------------------------------------------------

Exit checkKernels(CommandLine& o) {
  o.check.general = o.contract == "general";
  o.check.vary = !o.noVary;
  if (o.quick) o.check.depth = CheckPlan::kQuick;
  if (o.full) o.check.depth = CheckPlan::kFull;
  if (o.families) {
    fmt::print("{}", checkFamilies(o.check.general));
    return Exit::kOk;
  }
  settleOutput(o);
  if (o.threads > 0) omp_set_num_threads(o.threads);
  if (o.host) o.device = "cpu";
  const Device& device = chooseDevice(o);
  for (const std::string& word : o.kernels) chooseKernel(word, device, o.limits);  // it is there
  std::unique_ptr<OutputFile> json;  // opened before any work is done
  if (!o.json.empty()) json = std::make_unique<OutputFile>(o.json);
  if (!o.csv.empty()) appendRows(o.csv, checkCsvHeader(), "");

  std::vector<Check> checks;
  for (const std::string& word : o.kernels) {
    const auto fresh = [&] { return chooseKernel(word, device, o.limits); };
    checks.push_back(check(fresh, device, o.check));
    say(o, checkText(checks.back()));
    flushOutput();
    if (!o.csv.empty()) appendRows(o.csv, checkCsvHeader(), checkCsvRow(checks.back()));
  }
  if (json != nullptr) writeAll(*json, checkJson(checks));
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
  GradePlan& plan = o.grading;
  const Device& device = o.host ? cpuDevice : requireGpu("use --host for .so files of host memory");
  plan.measuring = o.plan;
  plan.measuring.vary = true;
  plan.limits = o.limits;
  plan.csv = o.csv;
  if (plan.sizes.empty() && o.host) plan.sizes = {100, 200, 400};
  if (plan.sizes.empty()) plan.sizes.assign(std::begin(kReportSizes), std::end(kReportSizes));
  std::sort(plan.sizes.begin(), plan.sizes.end());
  say(o, deviceLines(device.kind, device.info()) + "\n");
  const std::vector<Grade> grades = grade(plan, device);
  say(o, gradeTable(plan, grades, colourful()));
  const auto ungraded = std::find_if(grades.begin(), grades.end(),
                                     [](const Grade& g) { return g.trouble != Exit::kOk; });
  if (ungraded == grades.end()) return Exit::kOk;
  complain(fmt::format("{}: not graded: {}", ungraded->name, ungraded->build));
  return ungraded->trouble;
}

// ---- the other subcommands ------------------------------------------------------------------

Exit generateFile(CommandLine& o) {
  checkGraphFormat(o.out, o.toFormat, o.spec.dtype);
  o.spec.family = familyIndex(o.family);
  OutputFile out(o.out);
  const Graph graph = generate(o.spec);
  writeGraph(out, graph, o.toFormat);
  say(o,
      fmt::format("{}: {}, {} edges\n", o.out, describe(o.spec), withCommas(tally(graph).edges)));
  return Exit::kOk;
}

Exit convertFile(CommandLine& o) {
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
  if (!o.csv.empty()) {
    OutputFile out(o.csv);
    writeAll(out, csv);
  }
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

Exit compareSweeps(const CommandLine& o) {
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

Exit listKernels() {
  for (const Kernel& kernel : kernelTable()) {
    fmt::print("{:<8}{:<5}{:<44}{}\n", kernel.name, kernel.device->kind, kernel.what,
               kernel.source);
  }
  return Exit::kOk;
}

// ---- the command line -----------------------------------------------------------------------

/// The words that an option takes, for its check, the help and the completion.
using Choices = std::map<std::string, std::vector<std::string>>;

/// The text as a value of the option `name`, see number.h.
template <class T>
T valueOf(const std::string& name, const std::string& text, T low, T high) {
  if (const std::optional<T> value = wholeNumber(text, low, high)) return *value;
  throw CLI::ValidationError(
      fmt::format("{}: expected a whole number from {} to {}, found '{}'", name, low, high, text));
}

template <class T>
CLI::Option* number(CLI::App& app, const std::string& name, T& target, T low, T high,
                    const std::string& what) {
  const auto parse = [&target, low, high, name](const std::string& text) {
    target = valueOf(name, text, low, high);
  };
  return app.add_option_function<std::string>(name, parse, what)
      ->type_name("N")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

/// One or more of them, separated by commas or spaces, or by the option again.
CLI::Option* numbers(CLI::App& app, const std::string& name, std::vector<int>& target, int low,
                     int high, const std::string& what) {
  const auto parse = [&target, low, high, name](const std::vector<std::string>& texts) {
    target.clear();
    for (const std::string& text : texts) {
      for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
        end = text.find_first_of(", ", at);
        target.push_back(valueOf(name, text.substr(at, end - at), low, high));
      }
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, parse, what)->type_name("N[,N]");
}

CLI::Option* choice(CLI::App& app, Choices& choices, const std::string& name, std::string& target,
                    const std::vector<std::string>& words, const std::string& what) {
  choices[name] = words;
  return app.add_option(name, target, what)
      ->type_name("NAME")
      ->check(CLI::IsMember(words).description(""));
}

std::string formatHelp(const std::string& what) {
  return fmt::format("{} (else by its name):\n{}", what, fmt::join(formatNames(), " "));
}

/// The families, for the end of a help text.
std::string familyHelp() {
  std::string text = "\nFamilies:\n";
  for (const FamilyInfo& family : familyTable())
    text += fmt::format("  {:<24} {}\n", family.name, family.what);
  return text;
}

void addReading(CLI::App& app, CommandLine& o, Choices& choices) {
  app.add_option("GRAPH", o.graph, "graph file, or - for standard input")
      ->type_name("")
      ->group("Graph");
  choice(app, choices, "--format", o.read.format, formatNames(),
         "format of GRAPH (else by its name)")
      ->group("Graph");
  number(app, "--base", o.read.base, 0, 1, "smallest vertex id of an edge list text [0]")
      ->group("Graph");
  number(app, "--vertices", o.read.vertices, 0, INT32_MAX, "n of an edge list text")
      ->group("Graph");
}

void addGenerating(CLI::App& app, CommandLine& o, Choices& choices) {
  std::vector<std::string> names;
  for (const FamilyInfo& family : familyTable()) names.push_back(family.name);
  const auto high = std::numeric_limits<std::uint64_t>::max();
  CLI::Option* n =
      number(app, "--n", o.spec.n, 0, INT32_MAX, "generate a graph of N vertices, with:")
          ->group("Graph");
  CLI::Option* rest[] = {
      choice(app, choices, "--family", o.family, names, "graph family, see below [course]"),
      number<std::uint64_t>(app, "--seed", o.spec.seed, 0, high, "same seed, same graph [1]"),
      number(app, "--range", o.spec.range, 1, kInf - 1, "R, the bound of its weights [100000]"),
      number(app, "--degree", o.spec.degree, 0, INT32_MAX, "arcs per vertex of `sparse` [8]"),
      app.add_flag("--undirected", o.spec.undirected, "every edge also backwards")};
  for (CLI::Option* option : rest) option->group("Graph")->needs(n);
}

void addDevice(CLI::App& app, CommandLine& o, Choices& choices) {
  choice(app, choices, "--device", o.device, {"auto", "gpu", "cpu"},
         "auto, gpu or cpu: where to solve [auto]")
      ->group("Solving");
  number(app, "--threads", o.threads, 1, 4096, "CPU threads [all cores]")->group("Solving");
}

void addMeasuring(CLI::App& app, CommandLine& o) {
  number(app, "--warmup", o.plan.warmup, 0, 1000000, "calls before those that count [1]")
      ->group("Measuring");
  number(app, "--reps", o.plan.reps, 1, 1000000, "calls that count [5 or more, for 0.2 s]")
      ->group("Measuring");
}

void addTimeLimit(CLI::App& app, CommandLine& o) {
  const auto limit = [&o](const std::string& text) {
    o.limits.callSeconds = valueOf("--time-limit", text, 1, 1000000);
  };
  app.add_option_function<std::string>("--time-limit", limit, "seconds for a call of a FILE [60]")
      ->type_name("N")
      ->group("Solving");
}

void addKernels(CLI::App& app, std::vector<std::string>& kernels, CommandLine& o, Choices& choices,
                const std::string& what) {
  std::vector<std::string>& names = choices["--kernel"];
  names.clear();
  for (const Kernel& k : kernelTable()) {
    if (std::find(names.begin(), names.end(), k.name) == names.end()) names.push_back(k.name);
  }
  app.add_option("--kernel", kernels, what)
      ->type_name("NAME[,FILE]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("Solving");
  addTimeLimit(app, o);
}

void addRecords(CLI::App& app, CommandLine& o) {
  app.add_option("--json", o.json, "write the records as JSON (-: standard output)")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--csv", o.csv, "append the records to a CSV file")
      ->type_name("FILE")
      ->group("Output");
}

void addQuiet(CLI::App& app, CommandLine& o) {
  app.add_flag("--quiet", o.quiet, "print errors only")->group("Output");
}

void addDtype(CLI::App& app, CommandLine& o, Choices& choices) {
  choice(app, choices, "--dtype", o.dtype, {"auto", "i32", "f32"},
         "auto, i32 or f32: weights; auto is i32 where\nall of them are whole [auto]")
      ->group("Graph");
}

/// CLI11's help, with less in each line: no "Needs: --n" (the group says it), and `[=WHAT]` for a
/// flag that may take a value.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(27); }
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, positional);
    return name.substr(0, name.find('{')) +
           (name.find('{') == std::string::npos ? "" : "[=ORACLE]");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return (type.empty() ? "" : " " + type) + (option->get_required() ? " (required)" : "");
  }
};

/// A bash completion made of the same definitions as the parser and the help.
std::string completion(const CLI::App& app, const Choices& choices) {
  std::string cases, words;
  const auto optionsOf = [](const CLI::App& of) {
    std::string list;
    for (const CLI::Option* option : of.get_options()) {
      if (!option->get_lnames().empty()) list += " --" + option->get_lnames()[0];
    }
    return list;
  };
  for (const CLI::App* sub : app.get_subcommands({})) {
    words += " " + sub->get_name();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", sub->get_name(), optionsOf(*sub));
  }
  std::string values;
  for (const auto& [option, list] : choices) {
    values += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                          option, fmt::join(list, " "));
  }
  return fmt::format(
      "# bash completion of apsp: source <(./apsp completion)\n"
      "_apsp() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words\n"
      "  case $before in\n{}  esac\n"
      "  case ${{COMP_WORDS[1]}} in\n{}    *) words=\"{}\" ;;\n  esac\n"
      "  [ \"$COMP_CWORD\" = 1 ] && words+=\"{}\"\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _apsp apsp ./apsp\n",
      values, cases, optionsOf(app), words);
}

Exit commandLine(int argc, char** argv) {
  CommandLine o;
  Choices choices;
  CLI::App app(
      "Solve, time and verify all-pairs shortest paths on a GPU or the CPU.\n"
      "SIGUSR1 makes it say how far it is.",
      "apsp");
  app.formatter(std::make_shared<HelpFormatter>());  // subcommands inherit it
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", programVersion() + " " + buildDescription(),
                       "print the version and exit");
  app.require_subcommand(0, 1);

  addReading(app, o, choices);
  addDtype(app, o, choices);
  addGenerating(app, o, choices);
  addKernels(app, o.kernels, o, choices,
             "kernels to run [apsp], or files, .cu and\n.so, that define one; ref,apsp compares");
  app.add_flag("--list-kernels", o.listKernels, "print the kernels and exit")->group("Solving");
  addDevice(app, o, choices);
  choice(app, choices, "--precision", o.precision,
         {std::begin(kPrecisionNames), std::end(kPrecisionNames)},
         "auto, 16 (refused unless exact) or 32 bits [auto]")
      ->group("Solving");
  app.add_flag("--no-symmetry", o.noSymmetry, "solve all of a symmetric matrix")->group("Solving");
  app.add_flag("--no-skip", o.noSkip, "leave no product of tiles out")->group("Solving");
  app.add_flag("--verify{ref}", o.verify,
               "compare every entry with ref;\n=dijkstra[:ROWS]: whole rows [16]")
      ->group("Solving");
  addMeasuring(app, o);
  app.add_flag("--vary", o.plan.vary, "no two calls get the same graph")->group("Measuring");
  CLI::Option* output = app.add_option("-o,--output", o.out, "write distances: .npy, .bin or .tsv");
  output->type_name("FILE")->group("Output");
  addRecords(app, o);
  app.add_option("--record", o.record, "keep a record a point, skip those there")
      ->type_name("DIR")
      ->excludes(output)
      ->group("Output");
  app.add_flag("--plan", o.planned, "note the points in --record's DIR only")
      ->needs("--record")
      ->group("Output");
  addQuiet(app, o);

  CLI::App* gen = app.add_subcommand("gen", "generate a graph file");
  addDtype(*gen, o, choices);
  addGenerating(*gen, o, choices);
  gen->get_option("--n")->required();
  gen->add_option("-o,--output", o.out, "file to write")->type_name("FILE")->required();
  choice(*gen, choices, "--to", o.toFormat, formatNames(), formatHelp("its format"));
  CLI::App* info = app.add_subcommand("info", "describe a graph file");
  addReading(*info, o, choices);
  addDtype(*info, o, choices);
  info->get_option("GRAPH")->required();
  CLI::App* convert = app.add_subcommand("convert", "convert a graph file");
  addReading(*convert, o, choices);
  addDtype(*convert, o, choices);
  convert->get_option("GRAPH")->required();
  convert->add_option("TO", o.to, "file to write")->type_name("")->required()->group("Graph");
  choice(*convert, choices, "--to", o.toFormat, formatNames(), formatHelp("format of TO"))
      ->group("Graph");
  CLI::App* report = app.add_subcommand("report", "table of a sweep's records");
  report->add_option("DIR", o.sweeps, "--record directories or CSV files")
      ->type_name("")
      ->required();
  report->add_flag("--markdown", o.markdown, "as Markdown");
  report->add_option("--csv", o.csv, "write all of them to one CSV file")->type_name("FILE");
  report->add_option("--plot", o.plot, "draw them to BASE.png and BASE.svg,\nwith matplotlib")
      ->type_name("BASE");
  CLI::App* compare = app.add_subcommand("compare", "which points got faster, which slower");
  compare->add_option("A", o.before, "CSV file of records, or --record directory")
      ->type_name("")
      ->required();
  compare->add_option("B", o.after, "the same, to be compared with it")->type_name("")->required();
  number(*compare, "--fail-slower", o.failSlower, 0, 1000000,
         "exit 1 where B is slower beyond the\nnoise and by more than N percent")
      ->type_name("PCT");
  CLI::App* ladder = app.add_subcommand("ladder", "what each step of the course reports is worth");
  numbers(*ladder, "--sizes", o.graphSizes, 1, INT32_MAX,
          fmt::format("numbers of vertices\n[{}]", fmt::join(kReportSizes, ",")));
  ladder->add_option("--report", o.reports, "of which reports [all]")
      ->type_name("A[,B]")
      ->delimiter(',')
      ->allow_extra_args(false);
  addKernels(*ladder, o.submissions, o, choices, "measure these, too");
  addMeasuring(*ladder, o);
  addRecords(*ladder, o);
  addQuiet(*ladder, o);
  CLI::App* reduction = app.add_subcommand("reduce", "time the ladder's sums on the GPU");
  numbers(*reduction, "--n,--sizes", o.sizes, 1, INT32_MAX, "sum up so many values [268435456]");
  addMeasuring(*reduction, o);
  addRecords(*reduction, o);
  addQuiet(*reduction, o);
  CLI::App* checking = app.add_subcommand("check", "find out whether kernels are right");
  addKernels(*checking, o.kernels, o, choices, "kernels to check, by name or file [apsp]");
  addDevice(*checking, o, choices);
  checking->add_flag("--host", o.host, "files take host memory: check on the CPU")
      ->group("Solving");
  choice(
      *checking, choices, "--contract", o.contract, {"course", "general"},
      "course: complete graphs, weights of 0 to 100000;\ngeneral: all that apsp.h allows [course]")
      ->group("Checking");
  CLI::Option* rest[] = {
      checking->add_flag("--quick", o.quick, "fewer sizes, on the CPU up to 257"),
      checking->add_flag("--full", o.full, "more seeds, and n up to 2500")->excludes("--quick"),
      checking->add_flag("--vary", o.check.vary,
                         "another graph of the same size before each one\n[on]"),
      checking->add_flag("--no-vary", o.noVary, "only the graph itself, twice")->excludes("--vary"),
      checking->add_option("--witness", o.check.witnessDir, "write the smallest graph that fails")
          ->type_name("DIR"),
      checking->add_flag("--families", o.families, "say what each family catches, and exit")};
  for (CLI::Option* option : rest) option->group("Checking");
  addRecords(*checking, o);
  addQuiet(*checking, o);
  CLI::App* grading = app.add_subcommand("grade", "check, time and rank a folder of submissions");
  grading->add_option("DIR", o.grading.folder, "the folder: *.cu, *.so, NAME/apsp.cu")
      ->type_name("")
      ->required();
  grading->add_flag("--host", o.host, "*.so of host memory, on the CPU");
  grading->add_flag("--full", o.grading.full, "check more thoroughly");
  addTimeLimit(*grading, o);
  numbers(*grading, "--sizes", o.grading.sizes, 1, INT32_MAX,
          fmt::format("numbers of vertices to time\n[{}; --host: 100,200,400]",
                      fmt::join(kReportSizes, ",")));
  addMeasuring(*grading, o);
  grading->add_option("--csv", o.csv, "keep the rows here, and resume from them")
      ->type_name("FILE")
      ->group("Output");
  addQuiet(*grading, o);
  CLI::App* complete = app.add_subcommand("completion", "print a bash completion");
  for (CLI::App* generating : {&app, gen}) generating->footer(familyHelp());

  // A subcommand comes first. After anything else its name is a stray word, not a command.
  std::vector<std::string> names;
  for (CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  const bool first = argc > 1 && std::find(names.begin(), names.end(), argv[1]) != names.end();
  const auto asksForHelp = [](const std::string& word) { return word == "--help" || word == "-h"; };
  try {
    for (CLI::App* sub : app.get_subcommands({})) {
      sub->disabled(!first && std::none_of(argv + 1, argv + argc, asksForHelp));
    }
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    const std::string extra = app.remaining(true).front();
    throw Error(Exit::kUsage,
                extra.size() > 1 && extra[0] == '-'
                    ? fmt::format("unknown option '{}' (apsp --help tells more)", extra)
                    : fmt::format("one word too many: '{}' (a subcommand comes first, and "
                                  "takes no other)",
                                  extra));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(e, text, text);
      fmt::print("{}", text.str());
      return Exit::kOk;
    }
    throw Error(Exit::kUsage, fmt::format("{} (apsp --help tells more)", e.what()));
  }

  if (o.dtype != "auto") o.read.dtype = o.dtype == "i32" ? Dtype::kInt32 : Dtype::kFloat32;
  o.spec.dtype = o.read.dtype.value_or(Dtype::kInt32);
  if (gen->parsed()) return generateFile(o);
  if (info->parsed()) return describeFile(o);
  if (convert->parsed()) return convertFile(o);
  if (report->parsed()) return reportSweep(o);
  if (compare->parsed()) return compareSweeps(o);
  if (ladder->parsed()) return climbLadder(o);
  if (checking->parsed()) return checkKernels(o);
  if (grading->parsed()) return gradeFolder(o);
  if (reduction->parsed()) {
    reduce({o.sizes, o.plan, o.csv, o.json, o.quiet});
    return Exit::kOk;
  }
  if (complete->parsed()) {
    fmt::print("{}", completion(app, choices));
    return Exit::kOk;
  }
  if (o.listKernels) return listKernels();
  if (o.graph.empty() == (app.count("--n") == 0)) {
    throw Error(Exit::kUsage,
                o.graph.empty()
                    ? "what to solve? apsp GRAPH, or apsp --n N (apsp --help tells more)"
                    : "give a GRAPH or --n, not both");
  }
  return solve(o, fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string(kServeArgument)) return serveSubmission(argc, argv);
  showProgress();  // first of all: until then SIGUSR1 ends the program
  const auto fail = [](Exit code, const std::string& message) {
    complain(message);
    return static_cast<int>(code);
  };
  removeTemporariesOnSignals();
  try {
    const Exit result = commandLine(argc, argv);
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
