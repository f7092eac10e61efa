#include "cli/groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <limits>
#include <utility>

#include "apsp.h"
#include "base/error.h"
#include "base/quantity.h"
#include "check/cases.h"
#include "cli/terminal.h"
#include "generate/generate.h"
#include "io/ids.h"
#include "ladder/kernels.h"
#include "solver/solver.h"
#include "system/environment.h"
#include "system/screen.h"
#include "system/utf8.h"

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

/// A graph file for a message, as its reader names it.
std::string inputName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

/// Adds the options that say what the columns and cells of a table mean.
void addTable(Flags& flags, ReadOptions& read) {
  flags.text("--columns", read.columns, "LIST",
             "the columns of an edge list that are source, target and weight: names in its header "
             "such as from,to,minutes or numbers such as 1,2,5 [the first two or three]");
  flags
      .text("--oneway", read.oneWay, "COLUMN",
            "the column of an edge list that says where its edges lead, as in OpenStreetMap: yes, "
            "true or 1 from source to target; -1 back; no, false, 0 or nothing in both directions")
      .excludes = "--undirected";
  flags.choice(
      "--decimal", {"point", "comma"}, [&read](std::size_t i) { read.decimalComma = i == 1; },
      "what separates the fraction of a number in an edge list or a matrix as text [point]");
  flags.choice(
      "--empty", {"inf"}, [&read](std::size_t) { read.emptyIsNoEdge = true; },
      "meaning of an empty entry of a matrix as text: inf, no edge [an error]");
}

constexpr char kFileHeading[] = "Graph file", kGeneratedHeading[] = "Generated graph";

}  // namespace

void refuseIdleOptions(const GraphFlags& graph) {
  const auto refuse = [](const std::vector<std::string>& given, const char* owner,
                         const char* other) {
    if (given.empty()) return;
    throw Error(ErrorCode::kUsage, fmt::format("{} has no effect on {}, only on {}: leave it out",
                                               given.front(), other, owner));
  };
  constexpr char kFile[] = "a graph file", kGenerated[] = "a generated graph (--n)";
  if (!graph.generated()) return refuse(graph.given, kGenerated, kFile);
  refuse(graph.read.given, kFile, kGenerated);
  requireRange(graph.spec);
  requireNegative(graph.spec, graph.read.negative);
  refuseIdleOptions(graph.spec, graph.given);
}

void refuseIdleOptions(const KernelFlags& kernels) {
  const bool files = std::any_of(kernels.names.begin(), kernels.names.end(), isSubmission);
  const SubmissionLimits usual, &given = kernels.limits;
  const char* idle = given.callSeconds != usual.callSeconds ? "--time-limit"
                     : given.sandboxed != usual.sandboxed   ? "--unsandboxed"
                     : given.cxxFlags != usual.cxxFlags     ? "--cxxflags"
                                                            : nullptr;
  if (files || idle == nullptr) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} has no effect on {}, only on files after --kernel: "
                          "leave it out",
                          idle, fmt::join(kernels.names, ", ")));
}

LoadedKernels loadKernels(const KernelFlags& kernels, DeviceKind device,
                          const std::function<Solver(const std::string& name)>& load) {
  LoadedKernels loaded;
  std::vector<std::exception_ptr> errors;
  for (const std::string& name : kernels.names) {
    try {
      loaded.solvers.push_back(load(name));
    } catch (const Error& error) {
      if (!isSubmission(name) || error.code == ErrorCode::kUsage) throw;
      loaded.solvers.push_back(notLoaded(name, device, error));
      loaded.notLoaded.insert(name);
      if (errors.empty() || error.code == ErrorCode::kMismatch) loaded.trouble = exitOf(error.code);
      errors.push_back(std::current_exception());
    }
  }
  for (const std::exception_ptr& each : errors) {
    if (errors.size() == kernels.names.size()) std::rethrow_exception(each);
    try {
      std::rethrow_exception(each);
    } catch (const Error& error) {
      complain(error);
    }
  }
  return loaded;
}

Flag& addGraphFile(Flags& flags, GraphFlags& graph) {
  Flag& file =
      flags.text("GRAPH", graph.file, "",
                 "graph file, or - for standard input; it may be compressed with gzip, xz, "
                 "bzip2 or zstd");
  file.reads = fileIn(graph.file);
  flags.heading(kFileHeading);
  flags.choice(
      "--format", graph.read.format, readableFormats(),
      fmt::format("format of GRAPH: {} [by its extension; without one, by its first bytes]",
                  fmt::join(readableFormats(), ", ")));
  flags.number("--base", graph.read.base, 0, 1,
               "smallest vertex number in an edge list, 0 or 1 [0]");
  flags.number("--vertices", graph.read.vertices, 0, INT_MAX,
               "number of vertices of an edge list [largest vertex number + 1]");
  flags.number("--skip-lines", graph.read.skipLines, 0, INT_MAX,
               "lines at the beginning of a text file that are not read [0]");
  flags.choice(
      "--zero", {"no-edge", "edge"},
      [&graph](std::size_t i) { graph.read.zero = i == 0 ? Zero::kNoEdge : Zero::kEdge; },
      "meaning of 0 off the diagonal of a matrix: no edge, as in NetworkX and SciPy, or an edge "
      "of weight 0 [edge]");
  flags.choice(
      "--ids", {"rows", "file"}, [&graph](std::size_t i) { graph.read.fileIds = i == 1; },
      "the numbers of vertices: of the rows, which count from 0, or of a file that counts from 1; "
      "these are written to FILE.ids beside an output FILE [rows]");
  flags.flag("--labels", graph.read.labels,
             "the vertices of an edge list are words; they are numbered as they appear, and "
             "written to FILE.ids beside an output FILE");
  flags.flag("--compact", graph.read.compact,
             "leave out the vertices without edges, and write the ids of the others to FILE.ids "
             "beside an output FILE");
  flags.text("--weight", graph.read.weight, "NAME",
             "the attribute of edges that is their weight, in GraphML and JSON, or the column in "
             "the header of an edge list [weight]");
  flags
      .flag("--unweighted", graph.read.unweighted,
            "every edge of GraphML, JSON or an edge list counts 1, whatever attributes it has")
      .excludes = "--weight";
  flags
      .flag("--hops", graph.read.hops,
            "ignore the weights, and count edges: a distance is the number of edges of a path")
      .excludes = "--weight";
  addTable(flags, graph.read);
  noteGiven(flags, kFileHeading, graph.read.given);
  return file;
}

void addEdges(Flags& flags, GraphFlags& graph) {
  const auto chosen = [&graph](std::size_t i) {
    if (i == 0) return;
    graph.spec.dtype = kDtypes[i - 1];
    graph.read.dtype = graph.spec.dtype;
  };
  std::vector<std::string> dtypes = {"auto"};
  for (const Dtype dtype : kDtypes) dtypes.emplace_back(nameOf(dtype));
  flags.heading("Edges and weights");
  flags.flag(
      "--undirected", [&graph] { graph.spec.undirected = graph.read.undirected = true; },
      "add the reverse of every edge; of two weights the lighter one counts");
  flags
      .flag("--directed", graph.directed,
            "edges without their reverse are meant: print no hint at --undirected")
      .excludes = "--undirected";
  flags.flag(
      "--negative", graph.read.negative,
      "accept weights below 0; -1 in a matrix is then a weight, and a cycle of negative length is "
      "an error");
  flags.choice("--dtype", dtypes, chosen,
               "type of the weights: i32, f32, i64 or f64 [chosen from the file; i32 of a "
               "generated graph]");
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
  for (const FamilyInfo& family : negativeFamilyTable()) names.push_back(family.name);
  flags.heading(kGeneratedHeading);
  Flag& n = flags.numbers(
      "--n,--sizes", graph.sizes, 0, INT_MAX,
      "number of vertices; a list 100,200 or a range START:STOP:STEP solves a graph of each size");
  n.values = Flag::Values::kOne;  // because the next word may be GRAPH
  flags.choice(
      "--family", names, [&spec](std::size_t i) { spec.family = static_cast<int>(i); },
      "graph family, from the list below [course]");
  flags.number("--seed", spec.seed, std::uint64_t{0}, kMostSeeds,
               "seed; the same seed gives the same graph [1]");
  flags.number("--range", spec.range, std::int64_t{1}, largestRange(Dtype::kInt64),
               "R, the bound of the weights in the families below [100000]");
  flags.number("--degree", spec.degree, 0, INT_MAX,
               "D, the edges from each vertex in the family `sparse` [8]");
  noteGiven(flags, kGeneratedHeading, graph.given);
  flags.table(families);
  HelpTable negative = {"Graph families with negative weights (--negative)", {}};
  for (const FamilyInfo& family : negativeFamilyTable())
    negative.rows.emplace_back(family.name, family.what);
  flags.table(negative);
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
  flags.flag(
      "--unsandboxed", [&limits] { limits.sandboxed = false; },
      "let a FILE and its compiler reach all that you may reach: files, network, processes; every "
      "result says so");
  flags.text("--cxxflags", limits.cxxFlags, "OPTIONS",
             fmt::format("compile FILE.cpp and FILE.c with these options of GCC [{}]", kCxxFlags));
}

void addKernels(Flags& flags, KernelFlags& kernels, const std::string& what) {
  flags.heading("Solving");
  Flag& flag = flags.texts("--kernel,--kernels", kernels.names,
                           runsFiles() ? "NAME[,FILE]" : "NAME[,NAME]", what);
  flag.reads = [&kernels] {
    std::vector<std::string> files;
    for (const std::string& name : kernels.names)
      if (isSubmission(name)) files.push_back(name);
    return files;
  };
  for (const Solver& kernel : kernelTable()) {  // one name may have a row for each device
    if (std::find(flag.choices.begin(), flag.choices.end(), kernel.name) == flag.choices.end())
      flag.choices.push_back(kernel.name);
  }
  if (runsFiles()) addTimeLimit(flags, kernels.limits);
}

void addContract(Flags& flags, bool& general, bool& negative) {
  flags.choice(
      "--contract", {std::begin(kContracts), std::end(kContracts)},
      [&general, &negative](std::size_t i) {
        general = i == 1;
        negative = i == 2;
      },
      "graphs to check with; course has complete graphs with weights from 0 to 100000, general has "
      "all that apsp.h allows, negative has weights below 0 [course]");
}

void addDevice(Flags& flags, std::string& device) {
  flags.heading("Solving");
  flags.choice("--device", device, {"auto", "gpu", "cpu"},
               "where to solve; auto is the GPU if there is one [auto]");
  flags.number("--threads", flags.threads, 1, 4096, "number of CPU threads [all cores]");
}

void addMeasuring(Flags& flags, MeasureOptions& measuring) {
  flags.heading("Measuring");
  const auto store = [&measuring](int MeasureOptions::*number) {
    return [&measuring, number](int value) {
      measuring.*number = value;
      measuring.asked = true;
    };
  };
  flags.number("--warmup", store(&MeasureOptions::warmup), 0, 1000000,
               "calls before the timed ones [1]");
  flags.number("--reps", store(&MeasureOptions::reps), 1, 1000000,
               "timed calls [at least 5, more until they took 0.2 s; 3 if those take 2 s]");
}

void addSizes(Flags& flags, std::vector<int>& sizes, const std::string& defaults) {
  flags.numbers(
      "--sizes,--n", sizes, 1, INT_MAX,
      fmt::format("numbers of vertices; START:STOP:STEP is a range of them [{}]", defaults));
}

void OutputFlags::settle(const std::string& result) {
  onlyErrors = quiet;
  for (const std::string& path : {json, csv, result})
    if (isStandardOutput(path)) quiet = true;
}

void OutputFlags::say(const std::string& text) const {
  if (!quiet) show(std::exchange(later_, "") + text);
}

std::unique_ptr<OutputFile> OutputFlags::openJson() const {
  return json.empty() ? nullptr : std::make_unique<OutputFile>(json);
}

void OutputFlags::append(const std::string& header, const std::string& rows) const {
  if (!csv.empty()) appendRows(csv, header, rows);
}

void addJson(Flags& flags, OutputFlags& output, const std::string& what) {
  // `info --json GRAPH` must not take the graph for the file to write.
  Flag& json =
      flags.optional("--json", output.json, "-", "FILE",
                     "print " + what + " as JSON; =FILE, or a FILE that ends in .json, is written");
  json.takesNext = [](const std::string& word) { return word == "-" || endsWith(word, ".json"); };
  json.writes = fileIn(output.json);
}

void addRecords(Flags& flags, OutputFlags& output) {
  flags.heading("Output");
  flags.text("--json", output.json, "FILE", "write the records as JSON; - is standard output")
      .writes = fileIn(output.json);
  flags
      .text("--csv", output.csv, "FILE",
            "append the records to a CSV file; - prints them on standard output")
      .writes = fileIn(output.csv);
}

void addQuiet(Flags& flags, bool& quiet) {
  flags.heading("Output");
  flags.flag("-q,--quiet", quiet, "print only errors and warnings");
  addColour(flags);
}

void addForce(Flags& flags, bool& force) {
  flags.flag("--force", force,
             "replace or remove FILE.ids beside an output FILE, also if this program did not write "
             "it");
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
    throw Error(ErrorCode::kGpu,
                fmt::format("no GPU: {}: use --device cpu, or run where a GPU is", why));
  output.sayLater(fitted(fmt::format("No GPU ({}): solving on the CPU.\n", why)));
  return cpuDevice;
}

const Device& requireGpu(std::string_view reason) {
  std::string why;
  if (const Device* gpu = findGpu(why)) return *gpu;
  throw Error(ErrorCode::kGpu, fmt::format("no GPU: {}: {}", why, reason));
}

std::string fileName(const GraphFlags& graph) {
  return graph.file + (graph.read.undirected ? " undirected" : "") +
         (graph.read.zero == Zero::kNoEdge ? " zero=no-edge" : "") +
         (graph.read.labels ? " labels" : "") + (graph.read.compact ? " compact" : "") +
         (graph.read.weight.empty() ? "" : " weight=" + graph.read.weight) +
         (graph.read.unweighted ? " unweighted" : "") +
         (graph.read.columns.empty() ? "" : " columns=" + graph.read.columns) +
         (graph.read.oneWay.empty() ? "" : " oneway=" + graph.read.oneWay) +
         (graph.read.hops ? " hops" : "") + (graph.read.negative ? " negative" : "");
}

std::function<std::vector<std::string>()> writtenBeside(const std::string& output) {
  return [&output] {
    if (output.empty() || isStandardOutput(output)) return std::vector<std::string>{output};
    return std::vector<std::string>{output, idsFile(output)};
  };
}

std::string reversesText(const Reversed& reversed) {
  const std::string added = counted(reversed.added, "reverse") + " added";
  if (reversed.twoWeights == 0) return added;
  return fmt::format("{}; {} had two weights, the lighter kept", added,
                     counted(reversed.twoWeights, "pair"));
}

std::string minusOnesText(const ReadReport& report) {
  return fmt::format(
      "{} -1 off the diagonal, read as \"no edge\": give --negative if they are edges "
      "of weight -1",
      counted(report.minusOnes, "entry", "entries"));
}

std::string weightNameText(const ReadReport& report) {
  return fmt::format("the weights are the column {}", inQuotes(report.weightName));
}

void sayNotes(const OutputFlags& output, const GraphFlags& flags, const ReadReport& report,
              Dtype dtype, const Graph* graph, bool vertices) {
  if (output.onlyErrors) return;
  std::vector<std::string> notes;
  const Dropped& dropped = report.dropped;
  const Reversed& reversed = report.reversed;
  if (dropped.duplicates + dropped.selfLoops > 0)
    notes.push_back(fmt::format("{} (the lightest kept) and {} dropped",
                                counted(dropped.duplicates, "parallel edge"),
                                counted(dropped.selfLoops, "self-loop")));
  if (reversed.added + reversed.twoWeights > 0) notes.push_back(reversesText(reversed));
  if (report.unweighted) notes.emplace_back(kNoWeights);
  if (!report.weightName.empty()) notes.push_back(weightNameText(report));
  // The numbers are not changed by it, so an output of distances alone does without it.
  if (!output.quiet && !flags.read.dtype && isWide(dtype))
    notes.emplace_back(isWhole(dtype) ? kWideWhole : kWideReal);
  if (report.minusOnes > 0) notes.push_back(minusOnesText(report));
  if (report.namesUnshown)
    notes.emplace_back(
        "some names of vertices are missing or there twice: the vertices have their ids");
  if (vertices && report.countsFromOne && report.names.empty()) notes.emplace_back(kRowNumbers);
  if (report.idsFromOne) notes.emplace_back(kFromOne);
  // An undirected graph has no negative weights.
  if (graph != nullptr && !flags.saysDirections() && isOneWay(*graph) &&
      toDouble(graphStats(*graph).minWeight) == 0)
    notes.emplace_back(kOneWay);
  if (notes.empty()) return;
  if (output.quiet)
    return complain(fmt::format("{}: {}", inputName(flags.file), fmt::join(notes, "; ")));
  output.say(fitted(fmt::format("          {}\n", fmt::join(notes, "\n          "))));
}

void warnOfZeros(const std::string& path, const ReadReport& report) {
  if (report.zeros == 0 || report.zero != Zero::kUnclear) return;
  complain(fmt::format(
      "warning: {}: {} off the diagonal, read as weight 0: give --zero no-edge if 0 means "
      "\"no edge\", as in NetworkX and SciPy, else --zero edge",
      inputName(path), counted(report.zeros, "zero")));
}

void sayIds(const OutputFlags& output, const IdsBeside& ids) {
  const std::string note = ids.note();
  if (!note.empty()) output.say(fitted(fmt::format("          {}\n", oneLine(note))));
}

void sayUnclearZeros(const OutputFlags& output, const std::string& path, const Graph& graph,
                     const std::string& format) {
  const std::uint64_t zeros = unclearZeros(path, graph, format);
  if (zeros == 0) return;
  const std::string text =
      fmt::format("{} of weight 0: read the file with --zero edge", counted(zeros, "edge"));
  if (output.quiet) return complain(path + ": " + text);
  output.say(fitted(fmt::format("          {}\n", text)));
}
