#include "cli/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <limits>

#include "apsp.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/screen.h"
#include "generate/generate.h"
#include "solvers/solver.h"

namespace {

/// Notes in `given` when a flag with this heading is on the command line.
void noteGiven(Flags& flags, const std::string& heading, std::vector<std::string>& given) {
  for (Flag& flag : flags.all()) {
    if (flag.heading != heading) continue;
    flag.take = [take = flag.take, name = flag.longName(), &given](const auto& values) {
      given.push_back(name);
      return take(values);
    };
  }
}

constexpr char kFileHeading[] = "Graph file", kGeneratedHeading[] = "Generated graph";

}  // namespace

void refuseIdleOptions(const GraphFlags& graph) {
  const auto refuse = [](const std::vector<std::string>& given, const char* owner,
                         const char* other) {
    if (given.empty()) return;
    throw Error(Exit::kUsage, fmt::format("{} has no effect on {}, only on {}: leave it out",
                                          given.front(), other, owner));
  };
  constexpr char kFile[] = "a graph file", kGenerated[] = "a generated graph (--n)";
  if (!graph.generated) return refuse(graph.given, kGenerated, kFile);
  refuse(graph.read.given, kFile, kGenerated);
  refuseIdleOptions(graph.spec, graph.given);
}

void refuseIdleOptions(const KernelFlags& kernels) {
  const bool files = std::any_of(kernels.names.begin(), kernels.names.end(), isSubmission);
  if (files || kernels.limits.callSeconds == SubmissionLimits{}.callSeconds) return;
  throw Error(Exit::kUsage, fmt::format("--time-limit has no effect on {}, only on files after "
                                        "--kernel: leave it out",
                                        fmt::join(kernels.names, ", ")));
}

Flag& addGraphFile(Flags& flags, GraphFlags& graph) {
  Flag& file = flags.text("GRAPH", graph.file, "", "graph file, or - for standard input");
  flags.heading(kFileHeading);
  flags.choice("--format", graph.read.format, readableFormats(),
               fmt::format("format of GRAPH: {} [by the end of its name]",
                           fmt::join(readableFormats(), ", ")));
  flags.number("--base", graph.read.base, 0, 1,
               "smallest vertex number in an edge list, 0 or 1 [0]");
  flags.number("--vertices", graph.read.vertices, 0, INT_MAX,
               "number of vertices of an edge list [largest vertex number + 1]");
  flags.number("--skip-lines", graph.read.skipLines, 0, INT_MAX,
               "lines at the beginning of a text file that are not read [0]");
  noteGiven(flags, kFileHeading, graph.read.given);
  return file;
}

void addDtype(Flags& flags, GraphFlags& graph) {
  const auto chosen = [&graph](std::size_t i) {
    if (i == 0) return;
    graph.spec.dtype = i == 1 ? Dtype::kInt32 : Dtype::kFloat32;
    graph.read.dtype = graph.spec.dtype;
  };
  flags.heading("Weights");
  flags.choice("--dtype", {"auto", "i32", "f32"}, chosen,
               "type of the weights; auto is i32 if all weights are whole numbers, else f32 "
               "[auto]");
}

Flag& addGenerating(Flags& flags, GraphFlags& graph) {
  constexpr auto kMostSeeds = std::numeric_limits<std::uint64_t>::max();
  Spec& spec = graph.spec;
  std::vector<std::string> names;
  HelpTable families = {"Graph families", {}};
  for (const FamilyInfo& family : familyTable()) {
    names.push_back(family.name);
    families.rows.emplace_back(family.name, family.what);
  }
  flags.heading(kGeneratedHeading);
  const auto storeN = [&graph](int n) {
    graph.generated = true;
    graph.spec.n = n;
  };
  Flag& n = flags.number("--n", storeN, 0, INT_MAX, "number of vertices");
  flags.choice(
      "--family", names, [&spec](std::size_t i) { spec.family = static_cast<int>(i); },
      "graph family, from the list below [course]");
  flags.number("--seed", spec.seed, std::uint64_t{0}, kMostSeeds,
               "seed; the same seed gives the same graph [1]");
  flags.number("--range", spec.range, 1, kInf - 1,
               "R, the bound of the weights in the families below [100000]");
  flags.number("--degree", spec.degree, 0, INT_MAX,
               "D, the edges from each vertex in the family `sparse` [8]");
  flags.flag("--undirected", spec.undirected, "add the reverse of every edge");
  noteGiven(flags, kGeneratedHeading, graph.given);
  flags.table(families);
  return n;
}

void addFormatTo(Flags& flags, std::string& format, const std::string& what) {
  flags.choice(
      "--to", format, writableFormats(),
      fmt::format("{}: {} [by the end of its name]", what, fmt::join(writableFormats(), ", ")));
}

void addTimeLimit(Flags& flags, SubmissionLimits& limits) {
  flags.heading("Solving");
  flags.number(
      "--time-limit", [&limits](int seconds) { limits.callSeconds = seconds; }, 1, 1000000,
      "seconds that one call of a FILE may take; all calls of a check may take 20 times as long "
      "[60]");
}

void addKernels(Flags& flags, KernelFlags& kernels, const std::string& what) {
  flags.heading("Solving");
  Flag& flag = flags.texts("--kernel", kernels.names, "NAME[,FILE]", what);
  for (const Solver& kernel : solverTable()) {  // one name may have a row for each device
    if (std::find(flag.choices.begin(), flag.choices.end(), kernel.name) == flag.choices.end())
      flag.choices.push_back(kernel.name);
  }
  addTimeLimit(flags, kernels.limits);
}

void addDevice(Flags& flags, std::string& device) {
  flags.heading("Solving");
  flags.choice("--device", device, {"auto", "gpu", "cpu"},
               "where to solve; auto is the GPU if there is one [auto]");
  flags.number("--threads", flags.threads, 1, 4096, "number of CPU threads [all cores]");
}

void addMeasuring(Flags& flags, MeasurePlan& plan) {
  flags.heading("Measuring");
  const auto store = [&plan](int MeasurePlan::*number) {
    return [&plan, number](int value) {
      plan.*number = value;
      plan.asked = true;
    };
  };
  flags.number("--warmup", store(&MeasurePlan::warmup), 0, 1000000,
               "calls before the timed ones [1]");
  flags.number("--reps", store(&MeasurePlan::reps), 1, 1000000,
               "timed calls [at least 5, more until they took 0.2 s]");
}

void addSizes(Flags& flags, std::vector<int>& sizes, const std::string& defaults) {
  flags.numbers("--sizes", sizes, 1, INT_MAX, fmt::format("numbers of vertices [{}]", defaults));
}

void OutputFlags::settle() {
  if (isStandardOutput(json)) quiet = true;
  if (isStandardOutput(csv))
    throw Error(Exit::kUsage, "--csv appends to a file: --json - prints the record");
}

void OutputFlags::say(const std::string& text) const {
  if (!quiet) show(text);
}

std::unique_ptr<OutputFile> OutputFlags::openJson() const {
  return json.empty() ? nullptr : std::make_unique<OutputFile>(json);
}

void OutputFlags::append(const std::string& header, const std::string& rows) const {
  if (!csv.empty()) appendRows(csv, header, rows);
}

void addRecords(Flags& flags, OutputFlags& output) {
  flags.heading("Output");
  flags.text("--json", output.json, "FILE", "write the records as JSON; - is standard output");
  flags.text("--csv", output.csv, "FILE", "append the records to a CSV file");
}

void addQuiet(Flags& flags, bool& quiet) {
  flags.heading("Output");
  flags.flag("-q,--quiet", quiet, "print only errors");
  addColour(flags);
}

void addColour(Flags& flags) {
  flags.heading("Output");
  flags
      .choice(
          "--color", {"auto", "always", "never"},
          [](std::size_t i) { setColours(static_cast<Colours>(i)); },
          "auto, always or never: right results in green, wrong ones in red, disturbed ones in "
          "yellow; "
          "auto colours a terminal unless NO_COLOR is set [auto]")
      .value = "WHEN";
}

const Device& chooseDevice(const std::string& name, const OutputFlags& output) {
  if (name == "cpu") return cpuDevice;
  std::string why;
  if (const Device* gpu = findGpu(why)) return *gpu;
  const char* given = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!slurmJob().empty() && (given == nullptr || *given == '\0'))
    why += ", and this Slurm job asked for none (sbatch --gres=gpu:1)";
  if (name == "gpu")
    throw Error(Exit::kGpu,
                fmt::format("no GPU: {}: use --device cpu, or run where a GPU is", why));
  output.say(fmt::format("No GPU ({}): solving on the CPU.\n", why));
  return cpuDevice;
}

const Device& requireGpu(std::string_view reason) {
  std::string why;
  if (const Device* gpu = findGpu(why)) return *gpu;
  throw Error(Exit::kGpu, fmt::format("no GPU: {}: {}", why, reason));
}

std::string droppedLine(const Graph& graph) {
  if (graph.duplicates + graph.selfLoops == 0) return "";
  return fmt::format("          {} parallel edges (the lightest kept) and {} self-loops dropped\n",
                     graph.duplicates, graph.selfLoops);
}
