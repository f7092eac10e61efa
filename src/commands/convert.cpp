#include <fmt/format.h>

#include "cli/groups.h"
#include "commands/commands.h"
#include "core/quantity.h"
#include "io/ids.h"

namespace {

struct Arguments {
  GraphFlags graph;
  std::string to, format;
};

Exit run(const Arguments& o) {
  checkGraphFormat(o.to, o.format);
  const Graph graph = readGraph(o.graph.file, o.graph.read);
  warnOfZeros(o.graph.file, graph);
  checkGraphFormat(o.to, o.format, graph.dtype);  // now that the type of the weights is known
  OutputFile out(o.to);
  const std::unique_ptr<OutputFile> ids = openIds(o.to, graph);
  writeGraph(out, graph, o.format);
  commitIds(ids.get(), o.to);
  OutputFlags output;
  output.settle(o.to);
  output.say(fmt::format("{}: {}, {}\n", o.to,
                         counted(static_cast<std::uint64_t>(graph.n), "vertex", "vertices"),
                         counted(graphStats(graph).edges, "edge")));
  sayNotes(output, o.graph.file, graph);
  sayUnclearZeros(output, o.to, graph, o.format);
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  addGraphFile(flags, o->graph).required = true;
  addEdges(flags, o->graph);
  Flag& to = flags.text("TO", o->to, "", "graph file to write, or - for standard output");
  to.required = true;
  to.writes = writtenBeside(o->to);
  flags.heading("Output");
  addFormatTo(flags, o->format, "format of TO");
  flags.example("apsp convert graph.gr graph.bin",
                "writes a DIMACS graph in the course's binary format");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command convertCommand = {"convert", "convert a graph file to another format", define};
