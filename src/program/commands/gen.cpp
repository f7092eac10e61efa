#include <fmt/format.h>

#include "base/error.h"
#include "base/quantity.h"
#include "cli/groups.h"
#include "commands/commands.h"
#include "generate/generate.h"
#include "io/ids.h"
#include "system/exit.h"
#include "system/screen.h"
#include "system/utf8.h"

namespace {

struct Arguments {
  GraphFlags graph;
  std::string out, format;
  bool force = false;
  OutputFlags output;
};

Exit run(Arguments& o) {
  refuseIdleOptions(o.graph);
  if (o.graph.several())
    throw Error(ErrorCode::kUsage,
                fmt::format("gen writes one graph: --n takes one number here, not {}",
                            o.graph.sizes.size()));
  o.graph.spec.n = o.graph.sizes.front();
  if (o.graph.read.negative && !isNegative(o.graph.spec))
    throw Error(ErrorCode::kUsage,
                fmt::format("--negative has no effect on the family {}, which has no negative "
                            "weights: leave it out",
                            familyOf(o.graph.spec).name));
  checkGraphFormat(o.out, o.format, o.graph.spec.dtype);
  OutputFile out(o.out);
  IdsBeside ids(o.out, "", o.force);
  const Graph graph = generate(o.graph.spec);
  writeGraph(out, graph, o.format);
  ids.commit();
  OutputFlags& output = o.output;
  output.settle(o.out);
  output.say(fitted(fmt::format("{}: {}, {}\n", oneLine(o.out), describe(o.graph.spec),
                                counted(graphStats(graph).edges, "edge"))));
  sayUnclearZeros(output, o.out, graph, o.format);
  sayIds(output, ids);
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  Flag& out =
      flags.text("-o,--output", o->out, "FILE", "graph file to write, or - for standard output");
  out.required = true;
  out.writes = writtenBeside(o->out);
  addFormatTo(flags, o->format, "format of FILE");
  addForce(flags, o->force);
  addQuiet(flags, o->output.quiet);
  Flag& n = addGenerating(flags, o->graph);
  n.required = true;
  n.value = "N";
  n.what = "number of vertices";
  addEdges(flags, o->graph);
  flags.example("apsp gen --n 2000 --family sparse --degree 4 -o graph.gr",
                "writes a sparse random graph with 2000 vertices in the DIMACS format");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command genCommand = {"gen", "generate a graph file", define};
