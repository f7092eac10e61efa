#include "paths/path.h"
#include "base/negative_cycle.h"
#include "results/names.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "base/quantity.h"
#include "base/size.h"
#include "cli/groups.h"
#include "commands/commands.h"
#include "commands/path_answer.h"
#include "commands/path_queries.h"
#include "commands/shown_column.h"
#include "io/json.h"
#include "negative/reached.h"
#include "results/stored.h"
#include "system/exit.h"
#include "system/screen.h"
#include "verify/bellman_ford.h"
#include "verify/distances_to.h"
#include "verify/verify.h"

namespace {

struct Arguments {
  GraphFlags graph;
  std::vector<std::string> vertices;  // FROM TO FROM TO ...
  std::string pairs, distances;       // files
  std::string queries;                // a file or -, which is answered line by line
  std::string order;                  // the file that keeps the order of elimination; "": none
  bool paths = false;                 // with paths
  std::string table;                  // a file for all paths
  OutputFlags output;
};

std::vector<PathAnswer> queriesOf(const Arguments& o, const Names& names) {
  VertexWords ends(names);
  for (const std::string& word : o.vertices) ends.take(word, "");
  const std::vector<int> vertices = ends.vertices();
  std::vector<PathAnswer> queries;
  for (std::size_t i = 0; i + 1 < vertices.size(); i += 2)
    queries.push_back({vertices[i], vertices[i + 1]});
  if (o.pairs.empty()) return queries;
  for (const auto& [from, to] : readPairs(o.pairs, names)) queries.push_back({from, to});
  return queries;
}

/// Throws Error(kInput) if these are not the distances to the target. The file does not say which
/// graph it belongs to. toTarget, tolerance, real: as followDistances() takes them.
template <class Sum>
void requireNoShortcut(const Arguments& o, const Leaving& leaving, const Names& names,
                       const std::vector<Sum>& toTarget, int target, double tolerance,
                       const SignedError& real) {
  const std::string fault =
      fmt::format("{}: these are not the distances of {}: ", o.distances, o.graph.file);
  constexpr char kAdvice[] = ": solve it again, with -o";
  if (toTarget[asSize(target)] != 0)
    throw Error(ErrorCode::kInput, fmt::format("{}the one from {} to itself is not 0{}", fault,
                                               names(target), kAdvice));
  if (const auto edge = findShortcut(leaving, toTarget, target, tolerance, real))
    throw Error(ErrorCode::kInput,
                fmt::format("{}the edge {} -> {} makes the way to {} shorter{}", fault,
                            names(edge->from), names(edge->to), names(target), kAdvice));
}

/// Of the graph. A negative cycle that no question reaches does not matter. Throws NegativeCycle
/// with the names of the file.
std::unique_ptr<DistancesTo> solverOf(const FileGraph& graph, bool negative,
                                      const Selection& asked) {
  if (!negative) return std::make_unique<DistancesTo>(graph);
  try {
    return withEdgesFor(
        &asked, graph, [](const Graph& some) { return std::make_unique<DistancesTo>(some, true); });
  } catch (const NegativeCycle& error) {
    throw Error(error.code, negativeCycleText(error.cycle, shortNames(graph.report.names)));
  }
}

/// Answers all questions, those about one target after the other. Sum: what the lengths of paths
/// are added up in, std::int64_t if the weights are whole, else double.
template <class Sum>
void answer(const Arguments& o, const FileGraph& graph, const Names& names,
            std::vector<PathAnswer>& queries) {
  std::map<int, std::vector<PathAnswer*>> byTarget;
  Selection asked;
  for (PathAnswer& query : queries) {
    byTarget[query.to].push_back(&query);
    asked.sources.push_back(query.from);
  }
  const Leaving leaving(graph);
  const bool given = !o.distances.empty();
  const auto stored = given ? std::make_unique<StoredMatrix>(o.distances, graph) : nullptr;
  const auto solver = given ? nullptr : solverOf(graph, o.graph.read.negative, asked);
  const double off = given ? tolerance(graph.n, graph.dtype(), 2) : 0;
  SignedError real;
  if (o.graph.read.negative && !isWhole(graph.dtype()))
    real = signedToleranceFor(given ? nullptr : &asked, graph, 1);
  for (auto& [target, some] : byTarget) {
    const std::vector<Sum> distances =
        given ? stored->column<Sum>(target) : solver->vertex<Sum>(target);
    if (given && !stored->saysGraph())
      requireNoShortcut(o, leaving, names, distances, target, off, real);
    for (PathAnswer* query : some) {
      query->reachable = distances[asSize(query->from)] != kInfinity<Sum>;
      if (!query->reachable) continue;
      auto path = followDistances(leaving, distances, query->from, target, off, real);
      if (!path)
        throw Error(ErrorCode::kInput,
                    fmt::format("{}: no path from {} to {} has the distance there: these are not "
                                "the distances of {}",
                                o.distances, names(query->from), names(target), o.graph.file));
      query->path = std::move(*path);
    }
  }
}

/// Throws Error(kUsage) if there is something that a stream of questions does not take.
void refuseBesideQueries(const Arguments& o) {
  const struct {
    const char* what;
    bool given;
  } idle[] = {{"FROM TO", !o.vertices.empty()},
              {"--pairs", !o.pairs.empty()},
              {"--distances", !o.distances.empty()},
              {"--json", !o.output.json.empty()},
              {"-o", !o.table.empty()},
              {"--show", !o.graph.read.show.empty()},
              {"--negative", o.graph.read.negative}};
  for (const auto& each : idle)
    if (each.given)
      throw Error(ErrorCode::kUsage,
                  fmt::format("--queries answers lines of pairs, with weights from 0 on: leave "
                              "out {}",
                              each.what));
  if (o.queries == "-" && o.graph.file == "-")
    throw Error(ErrorCode::kUsage,
                "GRAPH and --queries are both standard input: give a file for one of them");
  if (isStandardOutput(o.order))
    throw Error(ErrorCode::kUsage, "--order is kept in a file: leave out standard output");
}

Exit run(Arguments& o) {
  if (!o.queries.empty()) {
    refuseBesideQueries(o);
    const FileGraph graph = readGraph(o.graph.file, o.graph.read);
    answerQueries(o.queries, graph, Names(graph.n, graph.report.names), o.paths, o.order);
    return Exit::kOk;
  }
  if (o.vertices.size() % 2 != 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("vertex '{}' has no other end: give pairs FROM TO", o.vertices.back()));
  if (o.vertices.empty() && o.pairs.empty())
    throw Error(ErrorCode::kUsage,
                "give the ends of a path, FROM TO, or --pairs FILE, or --queries FILE");
  if (!o.table.empty()) checkPathsFormat(o.table);
  o.output.settle(o.table);
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  const auto table = o.table.empty() ? nullptr : std::make_unique<OutputFile>(o.table);
  ShownColumn shown(o.graph.read.show, o.graph.read.undirected);
  o.graph.read.takeShown = [&](const AnyEdge& edge, const std::string& text) {
    shown.take(edge, text);
  };
  FileGraph graph = readGraph(o.graph.file, o.graph.read);
  if (!o.distances.empty() && !o.graph.read.dtype) roundAsStored(graph, o.distances);
  const Names names(graph.n, graph.report.names);
  if (o.graph.read.compact) shown.renumber(names, graph.n, o.graph.read.base);
  std::vector<PathAnswer> queries = queriesOf(o, names);
  isWhole(graph.dtype()) ? answer<std::int64_t>(o, graph, names, queries)
                         : answer<double>(o, graph, names, queries);
  const PathTelling telling = {graph.dtype(), names, names.any(),
                               graph.report.countsFromOne && !names.any(), shown};
  for (const PathAnswer& query : queries) o.output.say(textOf(query, telling));
  if (table != nullptr) writePaths(*table, queries, telling);
  if (json != nullptr) {
    Json all = Json::array();
    for (const PathAnswer& query : queries) all.push_back(jsonOf(query, telling));
    json->finish(jsonText(all));
  }
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addGraphFile(flags, o->graph).required = true;
  flags.arguments("FROM TO", o->vertices,
                  "the ends of a path, as many pairs as wanted; vertices count from 0, or have the "
                  "names of --labels and --compact, or the numbers of --ids file");
  addEdges(flags, o->graph);
  flags.heading("Distances");
  flags
      .text(
          "--pairs", o->pairs, "FILE",
          "a text file with a pair FROM TO in each line, which blanks or a comma separate; a name "
          "with a blank or a comma may be in quotes")
      .reads = fileIn(o->pairs);
  flags
      .text("--distances", o->distances, "FILE",
            "distances of this graph that -o has written, .npy or .bin; without it, they are "
            "computed for each TO")
      .reads = fileIn(o->distances);
  flags.heading("Stream");
  flags
      .text("--queries", o->queries, "FILE",
            "answer each line FROM TO with a line FROM TO DISTANCE as soon as it is read; - is "
            "standard input. The graph is prepared once")
      .reads = fileIn(o->queries);
  flags.flag("--paths", o->paths, "add the vertices of a shortest path to each of these answers")
      .needs = "--queries";
  Flag& order = flags.text("--order", o->order, "FILE",
                           "prepare the graph in the order of elimination that FILE has, or find "
                           "an order and write FILE "
                           "if there is none, as apsp GRAPH --order does");
  order.needs = "--queries";
  order.writes = fileIn(o->order);
  flags.heading("Output");
  Flag& table =
      flags.text("-o,--output", o->table, "FILE",
                 "write a line for each edge of the paths, with the names of its ends, to "
                 "a .csv or .tsv file; - is standard output");
  table.writes = fileIn(o->table);
  Flag& show = flags.text("--show", o->graph.read.show, "COLUMN",
                          "the column of a table of edges, for example the names of roads, that is "
                          "told beside each edge");
  show.take = [take = show.take, o](const std::vector<std::string>& values) {
    o->graph.read.given.emplace_back("--show");
    return take(values);
  };
  addJson(flags, o->output, "the paths");
  addQuiet(flags, o->output.quiet);
  flags.example("apsp path data/tiny.gr 0 3", "prints a shortest path from vertex 0 to vertex 3");
  flags.example("apsp path roads.gr --pairs trips.txt --distances d.npy --json",
                "prints many paths as JSON, and solves nothing again");
  flags.example("apsp path roads.csv A B --labels --columns from,to,km --show road -o way.csv",
                "writes the edges of a path with their roads as a table");
  flags.example("apsp path roads.gr --queries -", "answers pairs that another program writes");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command pathCommand = {"path", "print shortest paths between vertices", define};
