#include "commands/solve.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/error.h"
#include "core/nearest.h"
#include "core/screen.h"
#include "generate/generate.h"
#include "measure/record.h"
#include "measure/result_store.h"
#include "solvers/solver.h"
#include "submission/compile.h"
#include "verify/verify.h"

namespace {

void addSolving(Flags& flags, SolveFlags& o) {
  addKernels(flags, o.kernels,
             "kernels to run, by name, or .cu and .so files that define one; ref,apsp compares two "
             "[apsp]");
  flags.flag("--list-kernels", o.listKernels, "print the names of all kernels and exit");
  addDevice(flags, o.device);
  Options& options = o.measuring.options;
  std::vector<std::string> oracles = oracleNames();
  oracles.emplace_back("dijkstra:");  // ROWS follow
  flags.choice(
      "--precision", {std::begin(kPrecisionNames), std::end(kPrecisionNames)},
      [&options](std::size_t i) { options.precision = static_cast<Precision>(i); },
      "bits of integer arithmetic; 16 is refused unless it gives exact distances [auto]");
  flags.flag(
      "--no-symmetry", [&options] { options.symmetry = false; },
      "solve the whole matrix even if it is symmetric");
  flags.flag(
      "--no-skip", [&options] { options.skip = false; },
      "compute all products of tiles, even if one tile holds no path");
  flags
      .optional("--verify", o.verify, "ref", "ORACLE",
                "compare all distances with those of the kernel ref; dijkstra[:ROWS] compares "
                "ROWS rows with Dijkstra's algorithm [16]")
      .choices = oracles;
}

void addOutput(Flags& flags, SolveFlags& o) {
  flags.heading("Output");
  flags.text("-o,--output", o.distances, "FILE",
             fmt::format("write the distances: {}; one kernel then solves once, unless --reps, "
                         "--warmup, --vary, --csv or --json is given",
                         fmt::join(distancesExtensions(), ", ")));
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
}

}  // namespace

void addSolveFlags(Flags& flags, SolveFlags& o) {
  addGraphFile(flags, o.graph);
  addGenerating(flags, o.graph);
  addDtype(flags, o.graph);
  addSolving(flags, o);
  addMeasuring(flags, o.measuring);
  flags.flag("--vary", o.measuring.vary, "number the vertices differently in each call");
  addOutput(flags, o);
  flags.example("apsp data/demo.bin --kernel ref,apsp --verify",
                "solves a graph with two kernels, compares their distances and times");
  flags.example("apsp --n 4000 -o distances.npy", "generates a graph and writes its distances");
}

void checkGraph(const SolveFlags& flags, const Program& program) {
  const GraphFlags& o = flags.graph;
  struct stat status {};
  const bool oracleIsFile = !flags.verify.empty() && stat(flags.verify.c_str(), &status) == 0;
  if (o.file.empty() && !o.generated && oracleIsFile)
    throw Error(Exit::kUsage, fmt::format("what to solve? --verify {0} means the oracle {0}: write "
                                          "./{0} for the file",
                                          flags.verify));
  if (o.file.empty() && !o.generated)
    throw Error(Exit::kUsage, "what to solve? apsp GRAPH, or apsp --n N (apsp --help tells more)");
  if (!o.file.empty() && o.generated) throw Error(Exit::kUsage, "give a GRAPH or --n, not both");
  refuseIdleOptions(o);
  if (o.generated || o.file == "-" || stat(o.file.c_str(), &status) == 0 ||
      o.file.find_first_of("/.") != std::string::npos)
    return;
  throw Error(Exit::kUsage, fmt::format("'{}' is neither a file nor a subcommand: {}", o.file,
                                        suggestion(o.file, program.subcommandNames())));
}

void settleMeasuring(SolveFlags& o) {
  o.onlyAnswer = !o.distances.empty() && !o.measuring.asked && !o.measuring.vary &&
                 o.output.csv.empty() && o.output.json.empty() && o.kernels.names.size() == 1;
  if (!o.onlyAnswer) return;
  o.measuring.warmup = 0;
  o.measuring.reps = 1;
}

double timed(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

Source load(const GraphFlags& o) {
  if (o.generated) return {describe(o.spec), std::to_string(o.spec.seed), ProblemGraph(o.spec)};
  Graph graph;
  const double readMs = timed([&] { graph = readGraph(o.file, o.read); });
  return {o.file, "", ProblemGraph(std::move(graph)), readMs};
}

Exit listKernels() {
  for (const Solver& kernel : solverTable()) {
    show(fmt::format("{:<7} {:<5}{:<44}{}\n", kernel.name, nameOf(kernel.device), kernel.what,
                     kernel.source));
  }
  return Exit::kOk;
}

Exit planSweep(const SolveFlags& o) {
  const Source source = load(o.graph);
  Record record;
  record.input = source.name;
  record.seed = source.seed;
  record.n = source.graph.n();
  record.dtype = source.graph.dtype();
  record.plan = o.measuring;
  record.verdict.how = o.verify;
  if (!o.graph.generated) record.graph = graphStats(source.graph.onHost());
  const auto& table = solverTable();
  std::vector<std::string> names;
  for (const Solver& kernel : table) names.push_back(kernel.name);
  for (const std::string& name : o.kernels.names) {
    const auto named = [&](const Solver& k) { return k.name == name; };
    if (!isSubmission(name) && std::none_of(table.begin(), table.end(), named))
      throw Error(Exit::kUsage, fmt::format("no kernel '{}': {}", name, suggestion(name, names)));
  }
  for (const std::string& name : o.kernels.names) {
    record.kernel = name;
    record.version = isSubmission(name) ? contentHash(name) : "";
    record.point = pointId(record, o.verify);
    planResult(o.record, record);
  }
  return Exit::kOk;
}
