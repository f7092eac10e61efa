#include <fmt/format.h>

#include <algorithm>

#include "cli/groups.h"
#include "commands/commands.h"
#include "core/quantity.h"
#include "io/ids.h"

namespace {

/// What `apsp info` says beyond a tally.
struct Extra {
  std::uint64_t zeroWeights = 0;
  std::uint64_t reversedHash = 0;  ///< the tally's hash if every edge were reversed
  int lightest = 0;
};

Extra extraOf(const Graph& graph, const GraphStats& all) {
  Extra extra;
  extra.lightest = all.maxWeight;
  forEachEdge(graph, [&](const Edge& e) {
    extra.zeroWeights += e.weight == 0;
    extra.lightest = std::min(extra.lightest, e.weight);
    extra.reversedHash +=
        edgeHash(static_cast<std::uint64_t>(e.to), static_cast<std::uint64_t>(e.from),
                 static_cast<std::uint64_t>(e.weight));
  });
  return extra;
}

Exit run(const GraphFlags& o) {
  const Graph graph = readGraph(o.file, o.read);
  const GraphStats all = graphStats(graph);
  const Extra extra = extraOf(graph, all);
  const double n = graph.n, edges = static_cast<double>(all.edges);
  fmt::print("file        {}\n", o.file);
  fmt::print("held as     {}\n", graph.dense() ? "matrix" : "edge list");
  fmt::print("vertices    {}\n", withCommas(static_cast<std::uint64_t>(graph.n)));
  fmt::print("edges       {}\n", withCommas(all.edges));
  fmt::print("density     {:.4g} % of all pairs, mean degree {:.2f}\n",
             n > 1 ? 100.0 * edges / (n * (n - 1)) : 0.0, n > 0 ? edges / n : 0.0);
  fmt::print("weights     {}, {} to {}, {} are 0\n", nameOf(graph.dtype),
             weightText(extra.lightest, graph.dtype), weightText(all.maxWeight, graph.dtype),
             withCommas(extra.zeroWeights));
  fmt::print("undirected  {}\n",
             extra.reversedHash == all.hash ? "yes, every edge has its equal backwards" : "no");
  fmt::print("dropped     {} parallel edges, {} self-loops\n", withCommas(graph.duplicates),
             withCommas(graph.selfLoops));
  if (!graph.dense())
    fmt::print("unused      {} vertices have no edge; --compact leaves them out\n",
               withCommas(static_cast<std::uint64_t>(unusedIds(graph))));
  fmt::print("hash        {:016x}\n", all.hash);
  fmt::print("to solve    2 matrices of {}B\n", withPrefix(4 * n * n));
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<GraphFlags>();
  addGraphFile(flags, *o).required = true;
  addDtype(flags, *o);
  flags.example("apsp info data/tiny.gr", "describes a graph of the repository");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command infoCommand = {"info", "describe a graph file", define};
