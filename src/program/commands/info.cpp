#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/quantity.h"
#include "cli/groups.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "commands/structure.h"
#include "io/ids.h"
#include "io/json.h"
#include "system/exit.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

struct Arguments {
  GraphFlags graph;
  bool structure = false;
  OutputFlags output;
};

/// What is said about a graph file.
struct Facts {
  std::string file;
  const Graph& graph;
  const ReadReport& report;
  GraphStats all = {};
  std::uint64_t zeroWeights = 0;
  std::optional<Number> lightest = {}, heaviest = {};  ///< none without edges
  bool symmetric = false;  ///< every edge also exists backwards, with the same weight
  bool oneWay = false;
  bool directed = false;  ///< the user says that this is meant

  double edges() const { return static_cast<double>(all.edges); }
  double degree() const { return graph.n > 0 ? edges() / graph.n : 0; }
  /// The edges as a part of all pairs.
  double density() const { return graph.n > 1 ? degree() / (graph.n - 1.0) : 0; }
};

Facts factsOf(const std::string& file, const Graph& graph, const ReadReport& report) {
  Facts facts{file, graph, report, graphStats(graph)};
  std::uint64_t reversedHash = 0;
  withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T lightest = kInfinity<T>, heaviest = -kInfinity<T>;
    forEachEdge(graph, [&](const auto& e) {
      if constexpr (std::is_same_v<decltype(e.weight), T>) {  // as it is
        facts.zeroWeights += e.weight == 0;
        lightest = std::min(lightest, e.weight);
        heaviest = std::max(heaviest, e.weight);
        reversedHash += edgeHash(static_cast<std::uint64_t>(e.to),
                                 static_cast<std::uint64_t>(e.from), bitsOf(e.weight));
      }
    });
    if (facts.all.edges == 0) return;
    facts.lightest = lightest;
    facts.heaviest = heaviest;
  });
  facts.symmetric = reversedHash == facts.all.hash;
  facts.oneWay = isOneWay(graph);
  return facts;
}

/// What the zeros in a matrix were read as.
std::string zerosText(const ReadReport& report) {
  if (report.zeros == 0) return "none off the diagonal";
  const std::string count = withCommas(report.zeros) + " off the diagonal, read as ";
  if (report.zero == Zero::kNoEdge) return count + "\"no edge\" (--zero no-edge)";
  return count + (report.zero == Zero::kEdge
                      ? "weight 0; --zero no-edge drops them"
                      : "weight 0: give --zero no-edge if 0 means \"no edge\", else --zero edge");
}

std::string weightsText(const Facts& facts) {
  const Dtype dtype = facts.graph.dtype();
  if (facts.all.edges == 0) return fmt::format("{}, no edges", nameOf(dtype));
  if (facts.report.unweighted) return kNoWeights;
  return fmt::format(
      "{}, {} to {}{}", nameOf(dtype), textOf(*facts.lightest), textOf(*facts.heaviest),
      facts.zeroWeights > 0 ? fmt::format(", {} of them 0", withCommas(facts.zeroWeights)) : "");
}

std::string undirectedText(const Facts& facts) {
  const Reversed& reversed = facts.report.reversed;
  if (reversed.added + reversed.twoWeights > 0)
    return "yes, by --undirected: " + reversesText(reversed);
  if (facts.symmetric) return "yes, every edge has its equal backwards";
  return facts.oneWay && !facts.directed ? kOneWay : "no";
}

/// structure: null if it was not asked for.
std::string textOf(const Facts& facts, const Structure* structure) {
  constexpr std::size_t kWidth = 80, kIndent = 12;
  const Graph& graph = facts.graph;
  const ReadReport& report = facts.report;
  std::string text = fmt::format("{:<11} {}\n", "file", oneLine(facts.file));
  const auto line = [&](const char* name, const std::string& what) {
    text +=
        fmt::format("{:<11} {}\n", name,
                    fmt::join(wrapped(what, kWidth - kIndent), "\n" + std::string(kIndent, ' ')));
  };
  line("held as", graph.dense() ? "matrix" : "edge list");
  line("vertices", withCommas(static_cast<std::uint64_t>(graph.n)));
  line("edges", withCommas(facts.all.edges));
  line("density", fmt::format("{:.4g} % of all pairs, mean degree {:.2f}", 100 * facts.density(),
                              facts.degree()));
  line("weights", weightsText(facts));
  if (graph.dense()) line("zeros", zerosText(report));
  if (!report.weightName.empty()) line("column", weightNameText(report));
  if (report.minusOnes > 0) line("no edge", minusOnesText(report));
  line("undirected", undirectedText(facts));
  line("dropped", fmt::format("{}, {}", counted(report.dropped.duplicates, "parallel edge"),
                              counted(report.dropped.selfLoops, "self-loop")));
  if (report.idsFromOne) line("base", kFromOne);
  const int unused = graph.dense() ? 0 : unusedIds(graph);
  if (unused > 0)
    line("unused", counted(static_cast<std::uint64_t>(unused), "vertex has", "vertices have") +
                       " no edge; --compact drops such vertices");
  line("hash", fmt::format("{:016x}", facts.all.hash));
  line("to solve", "2 matrices of " + bytesText(matrixBytes(graph.n, graph.dtype())));
  if (structure == nullptr) return text;
  for (const auto& [name, what] : structureLines(*structure)) {
    if (name == "estimates" || name.empty())
      text += fmt::format("{:<11} {}\n", name, what);  // columns, which must not be wrapped
    else
      line(name.c_str(), what);
  }
  return text;
}

/// The weight as a number, null if there are no edges.
Json weightJson(const std::optional<Number>& weight) {
  return jsonValue(kNumber, weight ? engine::textOf(*weight) : "");
}

std::string jsonOf(const Facts& facts, const Structure* structure) {
  constexpr const char* kZeroNames[] = {"unclear", "edge", "no-edge"};  // in the order of Zero
  const Graph& graph = facts.graph;
  const ReadReport& report = facts.report;
  Json json = Json::object();
  json["file"] = jsonString(facts.file);
  json["held_as"] = graph.dense() ? "matrix" : "edge list";
  json["vertices"] = graph.n;
  json["edges"] = facts.all.edges;
  json["density"] = facts.density();
  json["mean_degree"] = facts.degree();
  json["dtype"] = nameOf(graph.dtype());
  json["lightest"] = weightJson(facts.lightest);
  json["heaviest"] = weightJson(facts.heaviest);
  json["zero_weights"] = facts.zeroWeights;
  json["unweighted"] = report.unweighted;
  json["weight_column"] = report.weightName.empty() ? Json() : jsonString(report.weightName);
  json["zeros"] = graph.dense() ? Json(report.zeros) : Json();
  json["minus_ones"] = graph.dense() ? Json(report.minusOnes) : Json();
  json["zero_means"] = report.zeros > 0 ? Json(kZeroNames[static_cast<int>(report.zero)]) : Json();
  json["undirected"] = facts.symmetric;
  json["one_way"] = facts.oneWay;
  json["reverses_added"] = report.reversed.added;
  json["pairs_of_two_weights"] = report.reversed.twoWeights;
  json["unused_ids"] = graph.dense() ? Json() : Json(unusedIds(graph));
  json["parallel_edges"] = report.dropped.duplicates;
  json["self_loops"] = report.dropped.selfLoops;
  json["hash"] = fmt::format("{:016x}", facts.all.hash);
  json["bytes_to_solve"] = 2 * matrixBytes(graph.n, graph.dtype());
  if (structure != nullptr) json["structure"] = structureJson(*structure);
  return jsonText(json);
}

Exit run(Arguments& o) {
  o.output.settle();
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  FileGraph graph = readGraph(o.graph.file, o.graph.read);
  const ReadReport report = std::move(graph.report);
  const ProblemGraph problem(std::move(graph));
  Facts facts = factsOf(o.graph.file, problem.onHost(), report);
  facts.directed = o.graph.saysDirections();
  std::optional<Structure> structure;
  if (o.structure) structure = structureOf(problem);
  const Structure* const more = structure ? &*structure : nullptr;
  o.output.say(textOf(facts, more));
  if (json != nullptr) json->finish(jsonOf(facts, more));
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addGraphFile(flags, o->graph).required = true;
  addEdges(flags, o->graph);
  flags.heading("Output");
  flags.flag(
      "--structure", o->structure,
      "also say what components the graph has, how many edges its vertices have, whether the "
      "weights are a metric, which method would be taken, and what solving would take");
  addJson(flags, o->output, "the description");
  addQuiet(flags, o->output.quiet);
  flags.example("apsp info data/tiny.gr", "describes a graph of the repository");
  flags.example("apsp info data/tiny.gr --structure", "says how it is built and how to solve it");
  flags.example("apsp info dense.npy --zero no-edge --json",
                "prints the facts about a matrix from NetworkX or SciPy as JSON");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command infoCommand = {"info", "describe a graph file", define};
