#include <fmt/format.h>

#include "base/quantity.h"
#include "cli/groups.h"
#include "commands/commands.h"
#include "io/ids.h"
#include "system/exit.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

struct Arguments {
  GraphFlags graph;
  std::string to, format;
  bool force = false;
  OutputFlags output;
};

Exit run(Arguments& o) {
  checkGraphFormat(o.to, o.format);
  const FileGraph graph = readGraph(o.graph.file, o.graph.read);
  warnOfZeros(o.graph.file, graph.report);
  checkGraphFormat(o.to, o.format, graph.dtype());  // now that the type of the weights is known
  OutputFile out(o.to);
  const bool named = keepsNames(o.to, graph.dtype(), graph.report.names, o.format);
  IdsBeside ids(o.to, named ? "" : graph.report.names, o.force);
  writeGraph(out, graph, o.format, named ? graph.report.names : "");
  ids.commit();
  const OutputFlags& output = o.output;
  o.output.settle(o.to);
  output.say(fitted(fmt::format("{}: {}, {}\n", oneLine(o.to),
                                counted(static_cast<std::uint64_t>(graph.n), "vertex", "vertices"),
                                counted(graphStats(graph).edges, "edge"))));
  sayNotes(output, o.graph, graph.report, graph.dtype(), &graph);
  sayUnclearZeros(output, o.to, graph, o.format);
  sayIds(output, ids);
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
  addForce(flags, o->force);
  addQuiet(flags, o->output.quiet);
  flags.example("apsp convert graph.gr graph.bin",
                "writes a DIMACS graph in the course's binary format");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command convertCommand = {"convert", "convert a graph file to another format", define};
