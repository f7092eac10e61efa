#include "commands/centrality.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/quantity.h"
#include "io/csv.h"
#include "io/output.h"
#include "paths/summary.h"
#include "results/names.h"
#include "search/betweenness.h"
#include "solver/range.h"
#include "system/nearest.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

constexpr char kOfVertices[] = "betweenness", kOfEdges[] = "edge-betweenness";
constexpr char kCloseness[] = "closeness", kHarmonic[] = "harmonic";

bool asksFor(const QuestionFlags& o, const char* name) {
  return std::find(o.centrality.begin(), o.centrality.end(), name) != o.centrality.end();
}

/// A column of the table: of each vertex a number.
struct ValueColumn {
  std::string name;
  std::vector<double> values;
};

/// Stores the names that are asked for, each once. Returns "", or what is wrong with them.
std::string takeNames(const std::vector<std::string>& words, QuestionFlags& o) {
  const std::vector<std::string> known = {kOfVertices, kOfEdges, kCloseness, kHarmonic};
  o.centrality.clear();
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      return fmt::format("unknown word '{}': {}", word, suggestion(word, known));
    if (!asksFor(o, word.c_str())) o.centrality.push_back(word);
  }
  return "";
}

/// Counts the paths through vertices or edges of a graph that is held as edges, and says how.
Betweenness countPaths(const SolveFlags& o, const Graph& graph, bool edges) {
  const QuestionFlags& asked = o.questions;
  BetweennessOptions options;
  options.edges = edges;
  options.directed = o.graph.directed;
  options.samples = asked.samples;
  if (asked.error)
    options.samples =
        samplesFor(*asked.error, graph.n, edges ? graph.edgeCount() : asSize(graph.n));
  Betweenness found = betweennessOf(graph, options);
  o.output.say(fmt::format("{:<10}{:.3f} ms, {} of {}, {}\n", "paths", found.milliseconds,
                           withCommas(asSize(found.sources)), counted(asSize(graph.n), "source"),
                           found.undirected ? "undirected: each pair counts once" : "directed"));
  return found;
}

double normalized(double value, double most) {
  return most > 0 ? value / most : 0;
}

/// The lines of edges with their values.
std::string edgesText(const SolveFlags& o, const Graph& graph, const Names& names) {
  const Betweenness found = countPaths(o, graph, true);
  std::string text = csvLine({"from", "to", "betweenness", "normalized"});
  const double most = mostOfEdge(graph.n, found.undirected);
  for (std::size_t e = 0; e < found.edges.size(); ++e)
    if (const auto [from, to] = graph.ends()[e]; !found.undirected || from < to)
      text += csvLine({names(from), names(to), fmt::format("{}", found.edges[e]),
                       fmt::format("{}", normalized(found.edges[e], most))});
  return text;
}

void addBetweenness(const SolveFlags& o, const Graph& graph, std::vector<ValueColumn>& columns) {
  const Betweenness found = countPaths(o, graph, false);
  const double most = mostOfVertex(graph.n, found.undirected);
  ValueColumn shares{"normalized", {}};
  for (const double value : found.vertices) shares.values.push_back(normalized(value, most));
  columns.push_back({kOfVertices, found.vertices});
  columns.push_back(std::move(shares));
}

/// Throws RangeError if a distance that the summary lacks is only too large for its type.
void checkRangeOf(const Distances& found, const Solver& solver, const ProblemGraph& graph) {
  const GraphStats input = graph.statistics(cpuDevice);
  if (!mayReachInfinity(graph.n(), graph.dtype(), toDouble(input.maxWeight))) return;
  const GraphStats output = reachOf(found);
  checkRange(solver, {graph}, Execution{cpuDevice}, input, found, output,
             pairsOf(found) - output.edges);
}

/// The summary of all distances. They are not kept if the method finds them row by row.
Summary summaryOfAll(const SolveFlags& o, const ProblemGraph& graph) {
  const Solver& solver = findSolver("apsp", DeviceKind::kCpu);
  Execution where{cpuDevice};
  where.keepsPlan = where.streams = true;
  where.sink = [](int, int, ConstElements) {};
  where.summarises = Summarise::kAll;
  Summary summary;
  const double milliseconds = millisecondsOf([&] {
    const auto run = solver.prepare({graph}, where);
    run->reset();
    run->solve();
    checkRangeOf(run->distances(), solver, graph);
    summary = summaryOf(run->distances());
  });
  o.output.say(fmt::format("{:<10}{:.3f} ms, all distances\n", "solve", milliseconds));
  return summary;
}

ValueColumn columnOf(const std::string& name, const Summary& summary) {
  const bool close = name == kCloseness;
  ValueColumn column{name, {}};
  for (const VertexSummary& each : summary.vertices)
    column.values.push_back((close ? each.networkxCloseness() : each.networkxHarmonic()).value());
  return column;
}

/// The same. An error names vertices as the file does.
Summary summaryOfNamed(const SolveFlags& o, const ProblemGraph& graph, const std::string& names) {
  try {
    return summaryOfAll(o, graph);
  } catch (const TooFar& error) {
    throw RangeError(tooFarText(error, shortNames(names)));
  }
}

/// The lines of vertices with their values, in the order that was asked for.
std::string verticesText(const SolveFlags& o, const Source& source, const Graph& graph,
                         const Names& names) {
  std::vector<ValueColumn> columns;
  std::optional<Summary> summary;
  for (const std::string& name : o.questions.centrality) {
    if (name == kOfVertices) {
      addBetweenness(o, graph, columns);
      continue;
    }
    if (!summary) summary = summaryOfNamed(o, source.graph, source.report.names);
    columns.push_back(columnOf(name, *summary));
  }
  std::vector<std::string> fields = {"vertex"};
  for (const ValueColumn& column : columns) fields.push_back(column.name);
  std::string text = csvLine(fields);
  for (int v = 0; v < graph.n; ++v) {
    fields = {names(v)};
    for (const ValueColumn& column : columns)
      fields.push_back(fmt::format("{}", column.values[asSize(v)]));
    text += csvLine(fields);
  }
  return text;
}

/// "" if the text is an error that can be kept, else what is wrong with it.
std::string readError(const std::string& text, std::optional<double>& to) {
  const std::string wrong = readDistance(text, to);
  if (wrong.empty() && *to == 0)
    return "'0': expected a number above 0; without --error it is exact";
  return wrong;
}

}  // namespace

void addCentrality(Flags& flags, QuestionFlags& o) {
  flags
      .add({"--centrality", Flag::Values::kComma, "NAME[,NAME]",
            "count the shortest paths through each vertex (betweenness) or edge "
            "(edge-betweenness), or find how near each vertex is to the others (closeness, "
            "harmonic: as --summary has them for NetworkX), as CSV in -o's file",
            [&o](const std::vector<std::string>& words) { return takeNames(words, o); }})
      .choices = {kOfVertices, kOfEdges, kCloseness, kHarmonic};
  Flag& samples = flags.number(
      "--samples", [&o](int count) { o.samples = count; }, 1, INT32_MAX,
      "estimate betweenness from so many sources [all]");
  samples.needs = "--centrality";
  samples.excludes = "--error";
  flags
      .add({"--error", Flag::Values::kOne, "E",
            "estimate betweenness from as many sources as keep each normalized value within E "
            "with probability 0.9",
            [&o](const std::vector<std::string>& words) { return readError(words[0], o.error); }})
      .needs = "--centrality";
}

void checkCentrality(const QuestionFlags& o) {
  const bool edges = asksFor(o, kOfEdges);
  if (edges && o.centrality.size() > 1)
    throw Error(ErrorCode::kUsage,
                fmt::format("--centrality {} has a line for each edge, and the others have one for "
                            "each vertex: ask for it alone",
                            kOfEdges));
  if ((o.samples || o.error) && !edges && !asksFor(o, kOfVertices))
    throw Error(ErrorCode::kUsage, fmt::format("{} has no effect on {}, only on {} and {}: leave "
                                               "it out",
                                               o.samples ? "--samples" : "--error",
                                               o.centrality.front(), kOfVertices, kOfEdges));
}

Exit answerCentrality(const SolveFlags& o, const Source& source) {
  const auto file = std::make_unique<OutputFile>(o.distances);
  const Graph& held = source.graph.onHost();
  const Graph list = held.dense() ? asEdges(held) : Graph();
  const Graph& graph = held.dense() ? list : held;
  const Names names(graph.n, source.report.names);
  const std::string text = asksFor(o.questions, kOfEdges) ? edgesText(o, graph, names)
                                                          : verticesText(o, source, graph, names);
  file->finish(tableFor(o.distances, text));
  o.output.say(fmt::format("write     {}\n", oneLine(o.distances)));
  return Exit::kOk;
}
