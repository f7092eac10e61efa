// gr: the text format of the 9th DIMACS Challenge on shortest paths. A line `p sp n m`, then m
// lines `a u v w`, the edge u→v of whole weight w; vertices from 1. Lines that begin with `c` are
// comments. Source: http://www.diag.uniroma1.it/challenge9/format.shtml
#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/size.h"
#include "io/formats/announced.h"
#include "io/formats/format.h"
#include "io/formats/read_lists.h"
#include "io/text.h"

namespace {

FileGraph read(Input& in, const ReadOptions& options) {
  constexpr std::size_t kShortestArc = 8;  // "a 1 2 3\n"
  Text text(in, options.skipLines);
  ReadType type = readType(options, kWholeNumbers);
  ReadEdges edges(type.dtype());
  int n = -1;
  std::int64_t arcs = 0;
  while (text.next()) {
    const std::string_view kind = text.field();
    if (kind == "c") continue;
    if (kind == "p" && n < 0) {
      if (text.field() != "sp") text.fail("expected 'p sp n m', found " + text.found());
      n = text.count("a vertex count");
      arcs = text.number();
      if (arcs < 0) text.fail("expected an arc count, found " + text.found());
      reportSize(options, n, arcs);
      edges.reserve(asSize(arcs), text, kShortestArc);
    } else if (kind == "a" && n >= 0) {
      if (edges.size() == asSize(arcs)) text.fail(moreThan(asSize(arcs), "arc", ""));
      const int from = text.vertex(1, n), to = text.vertex(1, n);
      edges.add(from, to, text.weight(from, to, 1, type));
    } else {
      text.fail(fmt::format("expected {}, found {}",
                            n < 0 ? "'c' or 'p sp n m'" : "'c' or 'a u v w'", text.found()));
    }
    text.endOfLine();
  }
  if (n < 0) text.fail("the file ends before its line 'p sp n m'");
  checkCount(text, edges.size(), asSize(arcs), "arc", "");
  FileGraph graph = edges.graph(n, options, 1);
  graph.report.countsFromOne = !options.compact;
  return graph;
}

void write(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph);
  TextOutput text(out, 1 + edges);
  text.print(FMT_COMPILE("p sp {} {}\n"), graph.n, edges);
  forEachEdge(graph, [&](const auto& e) {
    text.print(FMT_COMPILE("a {} {} {}\n"), e.from + 1, e.to + 1, e.weight);
  });
  text.flush();
}

/// The first line is a comment or the header.
bool recognises(std::string_view begin) {
  const std::string_view field = begin.substr(0, begin.find_first_of(" \t\r\n"));
  return field == "c" || field == "p";
}

}  // namespace

constexpr Format kGr = [] {
  Format format;
  format.name = "gr";
  format.extensions = {".gr"};
  format.text = true;
  format.dtypes = kWholeDtypes;
  format.recognises = recognises;
  format.read = read;
  format.write = write;
  return format;
}();
