#include "paths/path.h"
#include "base/negative_cycle.h"
#include "results/names.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "base/quantity.h"
#include "cli/groups.h"
#include "commands/commands.h"
#include "io/json.h"
#include "results/stored.h"
#include "system/screen.h"
#include "verify/bellman_ford.h"
#include "verify/distances_to.h"
#include "verify/verify.h"

namespace {

struct Arguments {
  GraphFlags graph;
  std::vector<std::string> vertices;  // FROM TO FROM TO ...
  std::string pairs, distances;       // files
  OutputFlags output;
};

/// A question, and its answer.
struct Query {
  int from, to;
  bool reachable = false;
  Path path = {};
};

std::vector<Query> queriesOf(const Arguments& o, const Names& names) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i + 1 < o.vertices.size(); i += 2)
    queries.push_back({names.find(o.vertices[i], ""), names.find(o.vertices[i + 1], "")});
  if (o.pairs.empty()) return queries;
  for (const auto& [from, to] : readPairs(o.pairs, names)) queries.push_back({from, to});
  return queries;
}

/// Throws Error(kInput) if these are not the distances to the target. The file does not say which
/// graph it belongs to. toTarget, tolerance, real: as followDistances() takes them.
void requireNoShortcut(const Arguments& o, const Leaving& leaving, const Names& names,
                       const std::vector<double>& toTarget, int target, double tolerance,
                       const SignedError& real) {
  const std::string fault =
      fmt::format("{}: these are not the distances of {}: ", o.distances, o.graph.file);
  constexpr char kAdvice[] = ": solve it again, with -o";
  if (toTarget[static_cast<std::size_t>(target)] != 0)
    throw Error(Exit::kInput, fmt::format("{}the one from {} to itself is not 0{}", fault,
                                          names(target), kAdvice));
  if (const auto edge = findShortcut(leaving, toTarget, target, tolerance, real))
    throw Error(Exit::kInput,
                fmt::format("{}the edge {} -> {} makes the way to {} shorter{}", fault,
                            names(edge->from), names(edge->to), names(target), kAdvice));
}

/// Throws NegativeCycle with the names of the file.
std::unique_ptr<DistancesTo> solverOf(const Graph& graph, bool negative) {
  try {
    return std::make_unique<DistancesTo>(graph, negative);
  } catch (const NegativeCycle& error) {
    throw Error(error.code, negativeCycleText(error.cycle, error.dtype, shortNames(graph.names)));
  }
}

/// Answers all questions, those about one target after the other.
void answer(const Arguments& o, const Graph& graph, const Names& names,
            std::vector<Query>& queries) {
  std::map<int, std::vector<Query*>> byTarget;
  for (Query& query : queries) byTarget[query.to].push_back(&query);
  const Leaving leaving(graph);
  const bool given = !o.distances.empty();
  const auto stored = given ? std::make_unique<StoredMatrix>(o.distances, graph) : nullptr;
  const auto solver = given ? nullptr : solverOf(graph, o.graph.read.negative);
  const double off = given ? tolerance(graph.n, graph.dtype, 2) : 0;
  SignedError real;
  if (o.graph.read.negative && graph.dtype == Dtype::kFloat32) real = SignedTolerance(graph, 1);
  for (auto& [target, asked] : byTarget) {
    const std::vector<double> distances = given ? stored->column(target) : solver->vertex(target);
    if (given && !stored->saysGraph())
      requireNoShortcut(o, leaving, names, distances, target, off, real);
    for (Query* query : asked) {
      query->reachable = !std::isinf(distances[static_cast<std::size_t>(query->from)]);
      if (!query->reachable) continue;
      auto path = followDistances(leaving, distances, query->from, target, off, real);
      if (!path)
        throw Error(Exit::kInput,
                    fmt::format("{}: no path from {} to {} has the distance there: these are not "
                                "the distances of {}",
                                o.distances, names(query->from), names(target), o.graph.file));
      query->path = std::move(*path);
    }
  }
}

/// The length, as a weight is printed.
std::string lengthText(const Path& path, Dtype dtype) {
  const double length = lengthOf(path, dtype);
  return dtype == Dtype::kInt32 ? fmt::format("{:.0f}", length)
                                : weightText(toWord(static_cast<float>(length)), dtype);
}

std::string textOf(const Query& query, Dtype dtype, const Names& names) {
  const std::string ends = fmt::format("{} -> {}", names(query.from), names(query.to));
  if (!query.reachable) return ends + ": no path\n";
  const Path& path = query.path;
  std::string text = fmt::format("{}: length {}, {}\n", ends, lengthText(path, dtype),
                                 counted(path.weights.size(), "edge"));
  for (std::size_t i = 0; i < path.weights.size(); ++i)
    text += fmt::format("  {} -> {}  {}\n", names(path.vertices[i]), names(path.vertices[i + 1]),
                        weightText(path.weights[i], dtype));
  return text;
}

Json jsonOf(const Query& query, Dtype dtype, const Names& names, bool named) {
  const auto vertex = [&](int v) { return named ? jsonString(names(v)) : Json(v); };
  Json json = Json::object();
  json["from"] = vertex(query.from);
  json["to"] = vertex(query.to);
  json["length"] = query.reachable ? jsonValue(kNumber, lengthText(query.path, dtype)) : Json();
  Json vertices = Json::array(), weights = Json::array();
  for (const int v : query.path.vertices) vertices.push_back(vertex(v));
  for (const int w : query.path.weights)
    weights.push_back(jsonValue(kNumber, weightText(w, dtype)));
  json["vertices"] = query.reachable ? vertices : Json();
  json["weights"] = query.reachable ? weights : Json();
  return json;
}

Exit run(Arguments& o) {
  if (o.vertices.size() % 2 != 0)
    throw Error(Exit::kUsage,
                fmt::format("vertex '{}' has no other end: give pairs FROM TO", o.vertices.back()));
  if (o.vertices.empty() && o.pairs.empty())
    throw Error(Exit::kUsage, "give the ends of a path, FROM TO, or --pairs FILE");
  o.output.settle();
  const std::unique_ptr<OutputFile> json = o.output.openJson();
  const Graph graph = readGraph(o.graph.file, o.graph.read);
  const Names names(graph.n, graph.names);
  std::vector<Query> queries = queriesOf(o, names);
  answer(o, graph, names, queries);
  for (const Query& query : queries) o.output.say(textOf(query, graph.dtype, names));
  if (json != nullptr) {
    Json all = Json::array();
    for (const Query& query : queries)
      all.push_back(jsonOf(query, graph.dtype, names, !graph.names.empty()));
    json->finish(jsonText(all));
  }
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addGraphFile(flags, o->graph).required = true;
  flags.arguments("FROM TO", o->vertices,
                  "the ends of a path, as many pairs as wanted; vertices count from 0, or have the "
                  "names of --labels and --compact");
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
  flags.heading("Output");
  addJson(flags, o->output, "the paths");
  flags.example("apsp path data/tiny.gr 0 3", "prints a shortest path from vertex 0 to vertex 3");
  flags.example("apsp path roads.gr --pairs trips.txt --distances d.npy --json",
                "prints many paths as JSON, and solves nothing again");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command pathCommand = {"path", "print shortest paths between vertices", define};
