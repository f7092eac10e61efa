// metis: the text format of METIS, Chaco and others for undirected graphs. A line
// `n m [FORMAT [WEIGHTS]]`, then a line for each vertex: what the FORMAT announces, then its
// neighbours; vertices from 1. Lines that begin with % are comments. A blank line is a vertex
// without neighbours.
//
// FORMAT has up to three digits, each 0 or 1. The last one says that the weight of the edge follows
// each neighbour; without it every edge weighs 1. The one before says that a line begins with the
// weights of the vertex: WEIGHTS of them, or one. The first digit says that the size of the vertex
// comes before these. Sizes and weights of vertices are whole numbers, which do not matter here.
//
// An edge is in the lines of both ends, with the same weight, and counts as one of the m edges.
// Source: the manual of METIS 5.1, section 4.1.1.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <tuple>
#include <utility>

#include "base/size.h"
#include "io/formats/announced.h"
#include "io/formats/format.h"
#include "io/formats/read_lists.h"
#include "io/formats/undirected.h"
#include "io/text.h"

namespace {

/// What the first line says.
struct Header {
  int n = 0;
  std::size_t entries = 0;   // in all lists: each edge is in two
  std::int64_t numbers = 0;  // before the list of each vertex: its size and its weights
  bool weights = false;      // of edges
};

/// Goes to the next line that is no comment, which may be blank; false at the end of the file.
bool nextLine(Text& text) {
  bool more = text.nextOrBlank();
  while (more && !text.atEnd() && text.first() == '%') more = text.nextOrBlank();
  return more;
}

/// Reads the digits of FORMAT.
void readFormat(Text& text, Header& header, bool& vertexWeights) {
  const std::string_view digits = text.field();
  const bool good = digits.size() <= 3 && digits.find_first_not_of("01") == digits.npos;
  if (!good)
    text.fail("expected a format of up to three digits 0 or 1, for example 001, found " +
              text.found());
  const auto has = [&](std::size_t place) {  // from the last digit
    return digits.size() > place && digits[digits.size() - 1 - place] == '1';
  };
  header.weights = has(0);
  vertexWeights = has(1);
  header.numbers = has(2) + has(1);
}

Header readHeader(Text& text) {
  bool more = nextLine(text);
  while (more && text.atEnd()) more = nextLine(text);
  if (!more) text.fail("the file ends before its line 'n m'");
  Header header;
  bool vertexWeights = false;
  header.n = text.count("a vertex count");
  const std::int64_t edges = text.number();
  if (edges < 0) text.fail("expected an edge count, found " + text.found());
  header.entries = 2 * asSize(edges);
  if (!text.atEnd()) readFormat(text, header, vertexWeights);
  if (!text.atEnd()) {
    const int count = text.count("a number of vertex weights");
    if (!vertexWeights || count == 0)
      text.fail(
          fmt::format("the number of vertex weights is {}, but the format says that there are "
                      "{}",
                      count, vertexWeights ? "some" : "none"));
    header.numbers += count - 1;
  }
  text.endOfLine();
  return header;
}

class Reader {
 public:
  Reader(Input& in, const ReadOptions& options)
      : text_(in, options.skipLines, SIZE_MAX),
        options_(options),
        type_(readType(options, kWholeNumbers)),
        edges_(type_.dtype()) {}

  FileGraph read() {
    constexpr std::size_t kShortestEntry = 2;  // "1 "
    header_ = readHeader(text_);
    reportSize(options_, header_.n, static_cast<std::int64_t>(header_.entries));
    edges_.reserve(header_.entries, text_, kShortestEntry);
    for (int vertex = 0; vertex < header_.n; ++vertex) {
      if (!nextLine(text_))
        text_.fail(fmt::format(
            "the file ends after the {}, its header announces {}",
            counted(static_cast<std::uint64_t>(vertex), "line of a vertex", "lines of vertices"),
            header_.n));
      readVertex(vertex);
    }
    while (nextLine(text_))
      if (!text_.atEnd()) text_.fail(moreThan(asSize(header_.n), "vertex", "vertices"));
    if (edges_.size() != header_.entries)
      text_.fail(fmt::format(
          "the lines of the vertices have {}, its header announces {}, which is "
          "twice as many entries",
          counted(edges_.size(), "entry", "entries"), counted(header_.entries / 2, "edge")));
    requireBothWays();
    FileGraph graph = edges_.graph(header_.n, options_, 1);
    graph.report.unweighted = !header_.weights;
    graph.report.countsFromOne = true;
    return graph;
  }

 private:
  /// The line of a vertex. That of a later vertex follows at once, unless a later place says
  /// something else.
  struct Place {
    int vertex;
    std::size_t line;
  };

  void readVertex(int vertex) {
    if (places_.empty() || text_.line() != lineOf(places_.back(), vertex))
      append(places_, Place{vertex, text_.line()});
    for (std::int64_t k = 0; k < header_.numbers; ++k)
      if (text_.number() < 0)
        text_.fail("expected the size or a weight of the vertex, found " + text_.found());
    const std::size_t first = edges_.size();
    while (!text_.atEnd()) {
      if (edges_.size() == header_.entries)
        text_.fail(fmt::format("more than twice the {} of the header",
                               counted(header_.entries / 2, "edge")));
      const int to = text_.vertex(1, header_.n);
      edges_.add(vertex, to, header_.weights ? text_.weight(vertex, to, 1, type_) : type_.one());
    }
    edges_.with([&](auto& edges) {
      std::sort(edges.begin() + static_cast<std::ptrdiff_t>(first), edges.end(),
                [](const auto& a, const auto& b) {
                  return std::tie(a.to, a.weight) < std::tie(b.to, b.weight);
                });
    });
  }

  static std::size_t lineOf(const Place& place, int vertex) {
    return place.line + asSize(vertex - place.vertex);
  }

  std::size_t lineOf(int vertex) const {
    const auto after = std::upper_bound(places_.begin(), places_.end(), vertex,
                                        [](int v, const Place& place) { return v < place.vertex; });
    return lineOf(after[-1], vertex);
  }

  /// Throws if an edge is in the line of one end only, or has two weights.
  void requireBothWays() {
    const std::optional<OneWay> found =
        edges_.with([&](const auto& edges) { return findOneWay(header_.n, edges); });
    if (!found) return;
    const auto& [e, reverse] = *found;
    const std::int64_t from = std::int64_t{e.from} + 1, to = std::int64_t{e.to} + 1;
    if (reverse)
      text_.failAt(lineOf(e.from),
                   fmt::format("edge {}-{} weighs {} here and {} in line {}", from, to,
                               textOf(e.weight), textOf(*reverse), lineOf(e.to)));
    text_.failAt(lineOf(e.from),
                 fmt::format("edge {}-{} is here, but not in line {}, which is that "
                             "of vertex {}: each edge must be in both lines",
                             from, to, lineOf(e.to), to));
  }

  Text text_;
  const ReadOptions& options_;
  Header header_;
  ReadType type_;
  ReadEdges edges_;
  std::vector<Place> places_;
};

FileGraph read(Input& in, const ReadOptions& options) {
  return Reader(in, options).read();
}

void write(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph);
  TextOutput text(out, 1 + edges + asSize(graph.n));
  text.print(FMT_COMPILE("{} {} 001\n"), graph.n, edges / 2);
  int vertex = 0;
  bool first = true;
  const auto endLines = [&](int until) {
    for (; vertex < until; ++vertex, first = true) text.print(FMT_COMPILE("\n"));
  };
  forEachEdge(graph, [&](const auto& e) {
    endLines(e.from);
    text.print(FMT_COMPILE("{}{} {}"), std::exchange(first, false) ? "" : " ",
               std::int64_t{e.to} + 1, e.weight);
  });
  endLines(graph.n);
  text.flush();
}

}  // namespace

constexpr Format kMetis = [] {
  Format format;
  format.name = "metis";
  format.extensions = {".graph", ".metis"};
  format.text = true;
  format.dtypes = kWholeDtypes;
  format.undirected = true;
  format.read = read;
  format.write = write;
  return format;
}();
