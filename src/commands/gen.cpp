#include <fmt/format.h>

#include "cli/groups.h"
#include "commands/commands.h"
#include "core/quantity.h"
#include "core/screen.h"
#include "generate/generate.h"

namespace {

struct Arguments {
  GraphFlags graph;
  std::string out, format;
};

Exit run(const Arguments& o) {
  refuseIdleOptions(o.graph);
  checkGraphFormat(o.out, o.format, o.graph.spec.dtype);
  OutputFile out(o.out);
  const Graph graph = generate(o.graph.spec);
  writeGraph(out, graph, o.format);
  if (!isStandardOutput(o.out))
    show(fmt::format("{}: {}, {} edges\n", o.out, describe(o.graph.spec),
                     withCommas(graphStats(graph).edges)));
  return Exit::kOk;
}

Body define(Flags& flags) {
  const auto o = std::make_shared<Arguments>();
  flags.text("-o,--output", o->out, "FILE", "graph file to write, or - for standard output")
      .required = true;
  addFormatTo(flags, o->format, "format of FILE");
  addGenerating(flags, o->graph).required = true;
  addDtype(flags, o->graph);
  flags.example("apsp gen --n 2000 --family sparse --degree 4 -o graph.gr",
                "writes a sparse random graph with 2000 vertices in the DIMACS format");
  return [o] { return run(*o); };
}

}  // namespace

extern const Command genCommand = {"gen", "generate a graph file", define};
