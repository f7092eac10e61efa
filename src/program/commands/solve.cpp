#include "commands/solve.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>

#include "base/clock.h"
#include "base/error.h"
#include "base/quantity.h"
#include "cli/terminal.h"
#include "generate/generate.h"
#include "generate/source.h"
#include "io/formats/stored_graph.h"
#include "ladder/kernels.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "negative/negative.h"
#include "paths/histogram.h"
#include "results/names.h"
#include "results/order_file.h"
#include "results/predecessor_file.h"
#include "several/crew.h"
#include "submission/compile.h"
#include "submission/submission.h"
#include "system/exit.h"
#include "system/nearest.h"
#include "system/number.h"
#include "system/screen.h"

namespace {

void addSolving(Flags& flags, SolveFlags& o) {
  addKernels(flags, o.kernels,
             fmt::format("kernels to run, by name{}; ref,apsp compares two [apsp]",
                         runsFiles() ? ", or .cu, .cpp, .c and .so files" : ""));
  flags.flag("--list-kernels", o.listKernels, "print the names of all kernels and exit");
  addDevice(flags, o.device);
  Options& options = o.measuring.options;
  std::vector<std::string> oracles = oracleNames();
  for (const char* name : {"dijkstra:", "bellman:"}) oracles.emplace_back(name);  // ROWS follow
  flags.choice(
      "--method", {kMethodNames, kMethodNames + kMethodsToAskFor},
      [&options](std::size_t i) { options.method = static_cast<Method>(i); },
      "compute with every edge (dense), leave out edges that are on no shortest path (filtered), "
      "eliminate vertices (sparse) or, if all edges have the same weight, search breadth first "
      "(bfs) [auto]");
  Flag& order = flags.text(
      "--order", o.order, "FILE",
      "eliminate the vertices (--method sparse) in the order that FILE has, or find an order and "
      "write FILE if there is none. It depends on the edges alone, so it remains if the weights "
      "change. Its time is not measured");
  order.writes = fileIn(o.order);
  order.excludes = "--record";
  flags.choice(
      "--precision", {std::begin(kPrecisionNames), std::end(kPrecisionNames)},
      [&options](std::size_t i) { options.precision = static_cast<Precision>(i); },
      "bits of arithmetic; 16 is refused unless it gives exact distances; with 32, 16 are not "
      "taken "
      "where they would; with 64, 64-bit weights are not solved in 32 bits where that is exact "
      "[auto]");
  flags.flag(
      "--no-symmetry", [&options] { options.symmetry = false; },
      "solve the whole matrix even if it is symmetric");
  flags.flag(
      "--no-skip", [&options] { options.skip = false; },
      "compute all products of tiles, even if one tile holds no path");
  flags
      .optional(
          "--verify", o.verify, "ref", "ORACLE",
          "compare all distances with those of the kernel ref; dijkstra[:ROWS] compares "
          "ROWS rows with Dijkstra's algorithm [16]; bellman[:ROWS] checks ROWS rows by "
          "Bellman's equation, which needs no memory for the graph. Instead of ref, large graphs "
          "of edges are checked by Bellman's equation in all rows")
      .choices = oracles;
}

/// For Flag::reads: the file that holds a list of vertices.
std::function<std::vector<std::string>()> listIn(const std::string& target) {
  return [&target] { return std::vector<std::string>{target.empty() ? "" : listFile(target)}; };
}

void addWanted(Flags& flags, SolveFlags& o) {
  Flag& sources = flags.text(
      "--sources", o.sources, "LIST",
      "find only the distances from these vertices, one row each: 0,5,10-19, a file with a "
      "vertex in each line, or FILE:COLUMN, a column of a table with a header; vertices have the "
      "names of --labels and --compact, in quotes as in CSV "
      "if they have commas");
  sources.reads = listIn(o.sources);
  sources.excludes = "--record";
  Flag& targets =
      flags.text("--targets", o.targets, "LIST",
                 "find only the distances to these vertices, one column each, as --sources");
  targets.reads = listIn(o.targets);
  targets.excludes = "--record";
}

/// "" if the text is a number for pairs without a path, else what is wrong with it.
std::string readUnreached(const std::string& text, std::optional<double>& to) {
  constexpr int kMost = std::numeric_limits<int>::max();
  if (text == "inf") {
    to = HUGE_VAL;
    return "";
  }
  const auto number = wholeNumber(text, -kMost, kMost);
  if (!number || *number == 0)
    return fmt::format("'{}': expected inf or a whole number, not 0, from {} to {}", text, -kMost,
                       kMost);
  to = *number;
  return "";
}

/// The tables of what the distances come to.
void addSummaries(Flags& flags, SolveFlags& o) {
  Flag& summary = flags.text(
      "--summary", o.summary, "FILE",
      "write a table: how many vertices each vertex reaches, the largest and the mean distance to "
      "them, closeness and harmonic centrality; - prints it on standard output. The matrix of "
      "distances need not fit anywhere");
  summary.writes = fileIn(o.summary);
  summary.excludes = "--record";
  Flag& histogram = flags.text(
      "--histogram", o.histogram, "FILE",
      fmt::format("write a table: how many pairs have which distance. A line is a distance if all "
                  "are whole and below {}, and else one of {} ranges; - prints it on standard "
                  "output",
                  kHistogramValues, kHistogramBins));
  histogram.writes = fileIn(o.histogram);
  histogram.excludes = "--record";
}

void addOutput(Flags& flags, SolveFlags& o) {
  flags.heading("Output");
  flags
      .text("-o,--output", o.distances, "FILE",
            fmt::format("write the distances that the last kernel found, unless they are wrong: "
                        "{}; - prints them on standard output. One kernel then solves once, unless "
                        "--reps, --warmup, --vary, --csv or --json is given",
                        fmt::join(distancesExtensions(), ", ")))
      .writes = writtenBeside(o.distances);
  flags
      .choice("--to", o.distancesFormat, distancesFormats(),
              fmt::format("format of the distances: {} [by the end of FILE's name; - gets tsv]",
                          fmt::join(distancesFormats(), ", ")))
      .needs = "--output";
  flags
      .add({"--unreached", Flag::Values::kOne, "N",
            "what FILE has where there is no path: inf, or a whole number that is not 0, such as "
            "-1 [1073741823 of i32, 4611686018427387903 of i64, else inf]",
            [&o](const std::vector<std::string>& words) {
              return readUnreached(words[0], o.unreached);
            }})
      .needs = "--output";
  flags
      .choice(
          "--out-dtype", {"u8", "u16", "least"},
          [&o](std::size_t i) { o.narrow = static_cast<Narrow>(i + 1); },
          "write whole distances in 8 or 16 bits, or in the fewest that hold all, as .npy or .npz; "
          "the largest number stands for no path, 255 or 65535")
      .needs = "--output";
  flags
      .flag(
          "--long", o.pairs,
          "write a line from,to,distance for each pair, as .csv or .tsv; without --unreached only "
          "pairs with a path")
      .needs = "--output";
  addSummaries(flags, o);
  Flag& predecessors = flags.text(
      "--predecessors", o.predecessors, "FILE",
      "write SciPy's matrix of predecessors as .npy: row i, column j has the vertex before j on a "
      "shortest path from i, -9999 if there is none. --verify checks it, too");
  predecessors.writes = writtenBeside(o.predecessors);
  predecessors.excludes = "--record";
  addForce(flags, o.force);
  addRecords(flags, o.output);
  flags
      .text("--record", o.record, "DIR",
            "keep one record for each kernel and graph in DIR, and skip those that are there "
            "already")
      .excludes = "--output";
  flags
      .flag("--again", o.again,
            "measure anew what is in --record's DIR already, and replace its records")
      .needs = "--record";
  flags.flag("--plan", o.planned, "measure nothing; note in --record's DIR what is to be measured")
      .needs = "--record";
  addQuiet(flags, o.output.quiet);
  flags.flag("--portable", o.portable,
             "an option that has no effect on this machine's device, such as --no-skip or --gpus "
             "on a CPU, is a note and no error");
}

}  // namespace

void addSolveFlags(Flags& flags, SolveFlags& o) {
  addGraphFile(flags, o.graph);
  addGenerating(flags, o.graph);
  addEdges(flags, o.graph);
  addSolving(flags, o);
  addWanted(flags, o);
  addQuestions(flags, o.questions);
  addMeasuring(flags, o.measuring);
  flags.flag("--vary", o.measuring.vary,
             "give each call another graph: a generated one gets a new seed, drawn unless --seed "
             "is given; of a file the vertices are renumbered. If a kernel is a file, generated "
             "graphs vary anyway, unless --seed or an output of distances is given, and are of "
             "the family necessary, unless --family is given");
  addRanks(flags, o.ranks);
  addOutput(flags, o);
  flags.example("apsp data/demo.bin --kernel ref,apsp --verify",
                "solves a graph with two kernels, compares their distances and times");
  flags.example("apsp --n 1000:5000:1000 --kernel ref,apsp", "times two kernels at five sizes");
  flags.example("apsp --n 4000 -o distances.npy", "generates a graph and writes its distances");
}

namespace {

/// Throws Error(kUsage) if another option contradicts --order.
void checkOrder(const SolveFlags& o) {
  const Method method = o.measuring.options.method;
  const std::vector<std::string>& kernels = o.kernels.names;
  const struct {
    bool given;
    const char* what;
  } others[] = {
      {std::find(kernels.begin(), kernels.end(), "apsp") == kernels.end(), "--kernel, or add apsp"},
      {method != Method::kAuto && method != Method::kSparse, "another --method"},
      {o.graph.several(), "further sizes"},
      {o.measuring.vary, "--vary"},
      {o.ranks.gpus > 1, "--gpus"},
      {isStandardOutput(o.order), "standard output"}};
  for (const auto& each : others)
    if (each.given)
      throw Error(ErrorCode::kUsage, fmt::format("--order is for one graph, which one process "
                                                 "eliminates, and a file: leave out {}",
                                                 each.what));
}

}  // namespace

void checkGraph(const SolveFlags& flags, const Program& program) {
  const GraphFlags& o = flags.graph;
  struct stat status {};
  const bool oracleIsFile = !flags.verify.empty() && stat(flags.verify.c_str(), &status) == 0;
  if (o.file.empty() && !o.generated() && oracleIsFile)
    throw Error(ErrorCode::kUsage,
                fmt::format("what to solve? --verify {0} means the oracle {0}: write "
                            "./{0} for the file",
                            flags.verify));
  if (o.file.empty() && !o.generated())
    throw Error(ErrorCode::kUsage,
                "what to solve? apsp GRAPH, or apsp --n N (apsp --help tells more)");
  if (!o.file.empty() && o.generated())
    throw Error(ErrorCode::kUsage, fmt::format("give a GRAPH (here '{}') or --n, not both; commas "
                                               "separate several sizes",
                                               o.file));
  const char* const file = !flags.distances.empty()   ? "-o"
                           : !flags.summary.empty()   ? "--summary"
                           : !flags.histogram.empty() ? "--histogram"
                                                      : "--predecessors";
  if (!flags.predecessors.empty()) checkPredecessorsPath(flags.predecessors);
  const bool writes = !flags.distances.empty() || !flags.summary.empty() ||
                      !flags.histogram.empty() || !flags.predecessors.empty();
  if (o.several() && writes)
    throw Error(ErrorCode::kUsage,
                fmt::format("{} writes the distances of one graph: --n takes one "
                            "number then, not {}",
                            file, o.sizes.size()));
  if (o.several() && !(flags.sources.empty() && flags.targets.empty()))
    throw Error(ErrorCode::kUsage,
                fmt::format("--sources and --targets are vertices of one graph: --n "
                            "takes one number then, not {}",
                            o.sizes.size()));
  if (!flags.predecessors.empty() && !flags.targets.empty())
    throw Error(ErrorCode::kUsage,
                "--predecessors has a column for each vertex: leave out --targets");
  if (!flags.order.empty()) checkOrder(flags);
  refuseIdleOptions(o);
  if (o.generated() || o.file == "-" || stat(o.file.c_str(), &status) == 0 ||
      o.file.find_first_of("/.") != std::string::npos)
    return;
  throw Error(ErrorCode::kUsage, fmt::format("'{}' is neither a file nor a subcommand: {}", o.file,
                                             suggestion(o.file, program.subcommandNames())));
}

std::vector<std::string> idleOptions(const std::vector<Solver>& solvers, const Options& options,
                                     Dtype dtype) {
  std::vector<std::string> idle;
  const bool precision = options.precision != Precision::kAuto;
  const bool wide = options.precision == Precision::k64;
  if (wide && sizeOf(dtype) < sizeof(std::int64_t))
    idle.push_back(fmt::format("--precision 64 has no effect on {} weights, only on i64 and f64",
                               nameOf(dtype)));
  else if (precision && dtype == Dtype::kFloat32)
    idle.emplace_back("--precision has no effect on f32 weights, only on those that i32 holds");
  const struct {
    const char* flag;
    bool given;
    bool Capabilities::*obeys;
    const char* by;  // this solver obeys it
  } flags[] = {
      {"--precision 16", options.precision == Precision::k16, &Capabilities::options, "apsp (gpu)"},
      {"--precision 32", options.precision == Precision::k32, &Capabilities::precision32, "apsp"},
      {"--precision 64", wide, &Capabilities::narrows, "apsp"},
      {"--no-symmetry", !options.symmetry, &Capabilities::options, "apsp (gpu)"},
      {"--no-skip", !options.skip, &Capabilities::options, "apsp (gpu)"},
      {"--method", options.method != Method::kAuto, &Capabilities::methods, "apsp"},
  };
  for (const auto& each : flags) {
    const auto obeys = [&](const Solver& solver) { return solver.can.*each.obeys; };
    if (!each.given || std::any_of(solvers.begin(), solvers.end(), obeys)) continue;
    std::vector<std::string> names;
    for (const Solver& solver : solvers)
      names.push_back(fmt::format("{} ({})", solver.name, nameOf(solver.device)));
    idle.push_back(fmt::format("{} has no effect on the kernel {}, only on {}", each.flag,
                               fmt::join(names, ", "), each.by));
  }
  return idle;
}

void refuseOrNote(const SolveFlags& o, const std::string& idle) {
  if (!o.portable) throw Error(ErrorCode::kUsage, idle + ": leave it out");
  if (o.output.onlyErrors) return;
  o.output.quiet ? complain(idle) : o.output.sayLater(fmt::format("Note: {}\n", idle));
}

void settlePortable(SolveFlags& o, bool processes) {
  std::string why;
  RankFlags& ranks = o.ranks;
  const bool gpu = o.device == "gpu" || (o.device == "auto" && findGpu(why) != nullptr);
  if (!o.portable || gpu || ranks.gpus == 1 || gpusAreCpus()) return;
  const struct {
    const char* flag;
    bool given;
  } flags[] = {{"--gpus", true},
               {"--grid", !processes && ranks.grid},
               {"--verbose", !processes && ranks.verbose},
               {"--checkpoint", !processes && !ranks.checkpoint.empty()}};
  for (const auto& each : flags)
    if (each.given)
      refuseOrNote(o, fmt::format("{} has no effect on the CPU, only on GPUs", each.flag));
  ranks.gpus = 1;
  if (!processes) ranks = {};
}

std::shared_ptr<const Selection> wantedOf(const SolveFlags& o, int n, const std::string& names) {
  if (o.sources.empty() && o.targets.empty()) return nullptr;
  const Names vertices(n, names);
  const auto wanted = std::make_shared<Selection>();
  if (!o.sources.empty()) wanted->sources = readVertices(o.sources, "--sources", vertices);
  if (!o.targets.empty()) wanted->targets = readVertices(o.targets, "--targets", vertices);
  return wanted;
}

namespace {

bool isGiven(const GraphFlags& graph, const char* option) {
  return std::find(graph.given.begin(), graph.given.end(), option) != graph.given.end();
}

/// A submission could have the distances of a graph that everybody can generate. Therefore each
/// call gets another graph, unless the user chose this one. answers: its distances are wanted.
void varyForSubmissions(SolveFlags& o, bool answers) {
  GraphFlags& graph = o.graph;
  const std::vector<std::string>& kernels = o.kernels.names;
  if (!graph.generated() || std::none_of(kernels.begin(), kernels.end(), isSubmission)) return;
  const bool chosen =
      isGiven(graph, "--seed") || !familyOf(graph.spec).seeded || !o.ranks.checkpoint.empty();
  if (!chosen && !answers) o.measuring.vary = true;
  if (!o.measuring.vary) return;
  if (!isGiven(graph, "--family")) graph.spec.family = familyIndex(kTimedFamily);
  o.measuring.atMost = kMostVaried;
}

}  // namespace

void settleMeasuring(SolveFlags& o) {
  if (!o.order.empty()) o.measuring.options.method = Method::kSparse;
  const bool answers =
      !o.distances.empty() || !o.summary.empty() || !o.histogram.empty() || !o.predecessors.empty();
  varyForSubmissions(o, answers);
  o.measuring.drawn = o.measuring.vary && o.graph.generated() && familyOf(o.graph.spec).seeded &&
                      !isGiven(o.graph, "--seed");
  // Of a file that has another number for no path, the largest number is a distance.
  if (!o.unreached && o.narrow == Narrow::k8) o.measuring.stored = RowWidth::kUint8;
  if (!o.unreached && o.narrow == Narrow::k16) o.measuring.stored = RowWidth::kUint16;
  o.measuring.predecessors = !o.predecessors.empty();
  o.measuring.checksPredecessors = o.measuring.predecessors && !o.verify.empty();
  o.onlyAnswer = answers && !o.measuring.asked && !o.measuring.vary && o.output.csv.empty() &&
                 o.output.json.empty() && o.kernels.names.size() == 1;
  if (!o.ranks.checkpoint.empty() && (o.measuring.asked || o.measuring.vary || o.graph.several()))
    throw Error(ErrorCode::kUsage,
                "--checkpoint is for one solve of one graph: leave out --reps, --warmup, --vary "
                "and further sizes");
  if (!o.onlyAnswer && o.ranks.checkpoint.empty()) return;
  o.measuring.warmup = 0;
  o.measuring.reps = 1;
  if (o.onlyAnswer)
    o.measuring.summarises = o.summary.empty() ? Summarise::kUnkept : Summarise::kAll;
}

LoadedKernels solversOf(const SolveFlags& o, const Device& device) {
  LoadedKernels loaded = loadKernels(o.kernels, device.kind(), [&](const std::string& name) {
    const Solver solver = chooseSolver(name, device, o.kernels.limits);
    return o.graph.read.negative ? withNegativeWeights(solver) : solver;
  });
  std::stable_partition(loaded.solvers.begin(), loaded.solvers.end(),
                        [](const Solver& solver) { return solver.name == "ref"; });
  return loaded;
}

void useOrder(SolveFlags& o, const ProblemGraph& graph) {
  if (o.order.empty()) return;
  if (!graph.heldAsEdges())
    throw Error(ErrorCode::kUsage,
                "--order is for a graph of edges, and this one is a matrix: leave it out");
  if (o.measuring.crew != nullptr && o.measuring.crew->ranks().size() > 1)
    throw Error(ErrorCode::kUsage, "--order is for one process: leave it out, or mpirun");
  const KeptOrder kept = keptOrder(o.order, graph.onHost());
  o.measuring.order = kept.order;
  o.output.sayLater(fmt::format("Note: the order of elimination was {} {} in {} ms\n",
                                kept.found ? "found, and written to" : "read from", o.order,
                                milliseconds(kept.milliseconds)));
}

VerifyOptions verifyOptionsOf(const SolveFlags& o) {
  const VerifyOptions verify = parseVerify(o.verify);
  return o.graph.read.negative ? withNegativeWeights(verify) : verify;
}

namespace {

/// Has ranks check a matrix that they can read by themselves; nothing if this process must read it.
std::optional<StoredGraph> examine(const GraphFlags& o, Crew* readers) {
  if (readers == nullptr || readers->ranks().size() == 1) return std::nullopt;
  const std::optional<MatrixLayout> matrix = findMatrix(o.file, o.read);
  if (!matrix) return std::nullopt;
  if (o.read.onSize)
    o.read.onSize(matrix->n, o.read.dtype.value_or(Dtype::kInt32), ReadOptions::kMatrix);
  return examineOnRanks(*readers, o.file, *matrix);
}

}  // namespace

HostTimes Source::hostTimes() const {
  const UploadTimes& upload = graph.uploadTimes();
  HostTimes host;
  host.load = readMs + upload.make;
  host.copyIn = generated() ? 0 : upload.copy;
  return host;
}

std::vector<Source> load(const GraphFlags& o, bool drawn, Crew* readers) {
  std::vector<Source> graphs;
  Spec spec = o.spec;
  if (drawn) spec.seed = drawSeed();
  for (const int n : o.sizes) {
    spec.n = n;
    graphs.push_back(
        {describe(spec) + (o.read.negative ? " negative" : ""), spec.seed, ProblemGraph(spec)});
  }
  if (o.generated()) return graphs;
  std::optional<StoredGraph> stored;
  const double examineMs = millisecondsOf([&] { stored = examine(o, readers); });
  if (stored) {
    ReadReport report = std::move(stored->report);
    warnOfZeros(o.file, report);
    graphs.push_back({fileName(o),
                      {},
                      ProblemGraph(sourceOf(*std::move(stored))),
                      examineMs,
                      std::move(report)});
    return graphs;
  }
  FileGraph graph;
  const double readMs = millisecondsOf([&] { graph = readGraph(o.file, o.read); });
  ReadReport report = std::move(graph.report);
  warnOfZeros(o.file, report);
  graphs.push_back({fileName(o), {}, ProblemGraph(std::move(graph)), readMs, std::move(report)});
  return graphs;
}

Exit leaveOutTooLarge(std::vector<Source>& graphs,
                      const std::function<void(Source&)>& requireMemory) {
  std::vector<int> tooLarge;
  std::string why;  // of the first one
  const auto fits = [&](Source& source) {
    try {
      requireMemory(source);
      return true;
    } catch (const Error& e) {
      if (e.code != ErrorCode::kMemory) throw;
      if (tooLarge.empty()) why = e.what();
      tooLarge.push_back(source.graph.n());
      return false;
    }
  };
  graphs.erase(std::stable_partition(graphs.begin(), graphs.end(), fits), graphs.end());
  if (tooLarge.empty()) return Exit::kOk;
  if (graphs.empty()) throw Error(ErrorCode::kMemory, why);
  complain(fmt::format("left out n = {}: {}", sizesText(tooLarge), why));
  return Exit::kMemory;
}

Exit solveOneOf(const GraphFlags& o, int n, const std::function<void()>& solve) {
  try {
    solve();
    return Exit::kOk;
  } catch (const Error& e) {
    const bool dependsOnSize = e.code == ErrorCode::kInput || e.code == ErrorCode::kMemory;
    if (!o.several() || !dependsOnSize) throw;
    complain(fmt::format("n = {}: {}", n, e.what()));
    return exitOf(e.code);
  }
}

std::string sweepLines(const GraphFlags& o, const std::vector<Source>& sources) {
  std::vector<int> sizes;
  for (const Source& source : sources) sizes.push_back(source.graph.n());
  Spec spec = o.spec;
  spec.seed = sources.front().seed.value();
  return fmt::format("graph     {}{}\n          n = {}, {} weights\n", describeWithoutSize(spec),
                     o.read.negative ? " negative" : "", sizesText(sizes), nameOf(spec.dtype));
}

Exit listKernels() {
  std::size_t longest = 7;
  for (const Solver& kernel : kernelTable()) longest = std::max(longest, kernel.name.size());
  for (const Solver& kernel : kernelTable())
    show(fitted(fmt::format("{:<{}} {:<4} {:<45} {}\n", kernel.name, longest, nameOf(kernel.device),
                            kernel.what, kernel.source)));
  return Exit::kOk;
}

namespace {

/// The content of each kernel's file, "" if it is no file. So it is if the file cannot be read, but
/// others can: then its points are noted, and the run that is to measure them says why they are
/// missing.
std::vector<std::string> versionsOf(const KernelFlags& kernels) {
  std::vector<std::string> versions;
  std::exception_ptr error;
  std::size_t unreadable = 0;
  for (const std::string& name : kernels.names) {
    versions.emplace_back();
    try {
      const SubmissionLimits& limits = kernels.limits;
      if (isSubmission(name))
        versions.back() = contentHash(name, limits.optionsFor(name), limits.sandboxed);
    } catch (const Error&) {
      if (unreadable++ == 0) error = std::current_exception();
    }
  }
  if (unreadable == versions.size()) std::rethrow_exception(error);
  return versions;
}

void planKernels(const SolveFlags& o, const Source& source,
                 const std::vector<std::string>& versions) {
  Record record;
  record.input = source.name;
  record.seed = source.seed;
  record.n = source.graph.n();
  record.dtype = source.graph.dtype();
  record.measuring = o.measuring;
  record.verdict.how = o.verify;
  if (!o.graph.generated()) record.graph = graphStats(source.graph.onHost());
  for (std::size_t i = 0; i < versions.size(); ++i) {
    record.kernel = o.kernels.names[i];
    record.version = versions[i];
    record.point = pointId(record, o.verify);
    planResult(o.record, record);
  }
}

}  // namespace

Exit planSweep(const SolveFlags& o) {
  std::vector<std::string> names;
  for (const Solver& kernel : kernelTable()) names.push_back(kernel.name);
  for (const std::string& name : o.kernels.names) {
    if (!isSubmission(name) && std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorCode::kUsage,
                  fmt::format("no kernel '{}': {}", name, suggestion(name, names)));
  }
  const std::vector<std::string> versions = versionsOf(o.kernels);
  for (const Source& source : load(o.graph, o.measuring.drawn)) planKernels(o, source, versions);
  return Exit::kOk;
}
