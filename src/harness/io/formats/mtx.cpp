// mtx: Matrix Market, text. A banner `%%MatrixMarket matrix KIND NUMBERS SYMMETRY`, comments that
// begin with %, a size line, then one entry a line:
//
//   coordinate   size `n n entries`, then `i j w`, the edge i→j of weight w; vertices from 1
//   array        size `n n`, then all n² entries, column after column
//
// NUMBERS: integer, unsigned-integer (SciPy writes it), real or pattern (coordinate only: no w,
// each weight is 1). SYMMETRY: general, or symmetric, where an entry stands for itself and its
// mirror image. Graphs are written as general coordinates. Source:
// https://math.nist.gov/MatrixMarket/formats.html
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>

#include "base/size.h"
#include "io/formats/announced.h"
#include "io/formats/format.h"
#include "io/formats/matrices.h"
#include "io/text.h"
#include "io/weights.h"

namespace {

/// What the first line of the file says.
struct Banner {
  bool array, real, pattern, symmetric;
};

constexpr std::string_view kBanner = "%%MatrixMarket";

/// Without its percent signs, and blanks behind them. Some files have one of them, because their
/// writer took two for one.
std::string_view withoutPercent(std::string_view banner) {
  return banner.substr(std::min(banner.find_first_not_of("% \t"), banner.size()));
}

bool sameWord(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// Reads a field of the banner, in upper or lower case. Returns its index in `choices`.
std::size_t bannerField(Text& text, std::initializer_list<std::string_view> choices) {
  const std::string_view field = text.field();
  const auto choice = std::find_if(choices.begin(), choices.end(),
                                   [&](std::string_view c) { return sameWord(c, field); });
  if (choice != choices.end()) return asSize(choice - choices.begin());
  text.fail(fmt::format("Matrix Market banner: expected {}, found {}", fmt::join(choices, " or "),
                        text.found()));
}

Banner readBanner(Text& text) {
  text.next();
  const std::string_view line = text.rest();
  text.enter(withoutPercent(line));
  if (line.substr(0, 1) != "%" || !sameWord(text.field(), withoutPercent(kBanner))) {
    text.enter(line);
    (void)text.field();
    text.fail(fmt::format("Matrix Market banner: expected {}, found {}", kBanner, text.found()));
  }
  bannerField(text, {"matrix"});
  Banner banner{};
  banner.array = bannerField(text, {"coordinate", "array"}) == 1;
  const std::size_t field =
      banner.array ? bannerField(text, {"integer", "unsigned-integer", "real"})
                   : bannerField(text, {"integer", "unsigned-integer", "real", "pattern"});
  banner.real = field == 2;
  banner.pattern = field == 3;
  banner.symmetric = bannerField(text, {"general", "symmetric"}) == 1;
  text.endOfLine();
  return banner;
}

/// Reads n from the size line of an n×n matrix.
int readSize(Text& text) {
  bool more = text.next();
  while (more && text.first() == '%') more = text.next();
  if (!more) text.fail("the file ends before its size line");
  const int rows = text.count("a row count");
  const int columns = text.count("a column count");
  if (rows != columns)
    text.fail(fmt::format("the matrix is {} x {}, expected a square one", rows, columns));
  return rows;
}

FileGraph readCoordinates(Text& text, const Banner& banner, int n, ReadType type,
                          const ReadOptions& options) {
  constexpr std::size_t kShortestEntry = 4;  // "1 2\n" of a pattern
  const std::int64_t entries = text.number();
  if (entries < 0) text.fail("expected a number of entries, found " + text.found());
  text.endOfLine();
  reportSize(options, n, banner.symmetric ? 2 * entries : entries);
  ReadEdges edges(type.dtype());
  edges.reserve(asSize(entries), text, kShortestEntry);
  std::int64_t found = 0;
  for (; text.next(); ++found) {
    if (found == entries) text.fail(moreThan(asSize(entries), "entry", "entries"));
    const int from = text.vertex(1, n), to = text.vertex(1, n);
    const Number weight = banner.pattern ? type.one() : text.weight(from, to, 1, type);
    text.endOfLine();
    edges.add(from, to, weight);
    if (banner.symmetric && from != to) edges.add(to, from, weight);
  }
  checkCount(text, asSize(found), asSize(entries), "entry", "entries");
  FileGraph graph = edges.graph(n, options, 1);
  graph.report.unweighted = banner.pattern;
  return graph;
}

/// The matrix of entries column after column, as readArray() reads them.
template <class T>
FileGraph fromColumns(int n, const Entries<T>& entries, bool symmetric, Zero zero,
                      std::size_t minusOnes) {
  Matrix columns(n, kDtype<T>);  // as large as the entries that were read
  auto next = entries.begin();
  for (int j = 0; j < n; ++j)
    for (int i = symmetric ? j : 0; i < n; ++i) {
      columns.row<T>(j)[i] = *next++;
      if (symmetric) columns.row<T>(i)[j] = columns.row<T>(j)[i];
    }
  transpose(columns);
  Zeros zeros(zero);
  for (int i = 0; i < n; ++i) zeros.take(i, n, columns.row<T>(i));
  FileGraph graph = fromMatrix(std::move(columns), zeros);
  graph.report.minusOnes = minusOnes;
  return graph;
}

/// Reads the entries column after column. A symmetric matrix has those on and below the diagonal
/// only.
FileGraph readArray(Text& text, const Banner& banner, int n, ReadType type,
                    const ReadOptions& options) {
  constexpr std::size_t kShortestEntry = 2;  // "0\n"
  text.endOfLine();
  const std::size_t size = asSize(n);
  const std::size_t announced = banner.symmetric ? size * (size + 1) / 2 : size * size;
  ReadEntries entries(type.dtype());
  entries.reserve(announced, text, kShortestEntry);
  std::size_t minusOnes = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = banner.symmetric ? j : 0; i < n; ++i) {
      if (!text.next()) checkCount(text, entries.size(), announced, "entry", "entries");
      const std::optional<Number> entry = i == j ? text.diagonal(type) : text.entry(type);
      if (!entry) text.failWeight(i, j, 1, type.accepted());
      const bool minusOne = isInfinite(*entry) && text.lastField()[0] == '-';
      if (minusOne && i != j) minusOnes += banner.symmetric ? 2 : 1;
      text.endOfLine();
      entries.add(*entry);
    }
  }
  if (text.next()) text.fail(moreThan(announced, "entry", "entries"));

  if (type.unclear()) text.fail(unclearEntryText(type.dtype(), banner.real));
  return entries.with([&](const auto& list) {
    return fromColumns(n, list, banner.symmetric, options.zero, minusOnes);
  });
}

FileGraph read(Input& in, const ReadOptions& options) {
  Text text(in, options.skipLines);
  const Banner banner = readBanner(text);
  const int n = readSize(text);
  if (banner.array) reportSize(options, n);
  const ReadType type = readType(options, banner.real ? kTextNumbers : kWholeNumbers);
  FileGraph graph = banner.array ? readArray(text, banner, n, type, options)
                                 : readCoordinates(text, banner, n, type, options);
  graph.report.countsFromOne = !options.compact;
  return graph;
}

void write(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph);
  TextOutput text(out, 1 + edges);
  text.print(FMT_COMPILE("%%MatrixMarket matrix coordinate {2} general\n{0} {0} {1}\n"), graph.n,
             edges, isWhole(graph.dtype()) ? "integer" : "real");
  forEachEdge(graph, [&](const auto& e) {
    // # writes 5.0 instead of 5: a reader may refuse digits only that exceed an int32.
    text.print(FMT_COMPILE("{} {} {:#}\n"), e.from + 1, e.to + 1, e.weight);
  });
  text.flush();
}

bool recognises(std::string_view begin) {
  const std::string_view mark = withoutPercent(kBanner), own = withoutPercent(begin);
  const std::string_view rest = own.substr(std::min(own.size(), mark.size()));
  return begin.substr(0, 1) == "%" && sameWord(own.substr(0, mark.size()), mark) &&
         (rest.empty() || std::isspace(static_cast<unsigned char>(rest[0])) != 0);
}

}  // namespace

constexpr Format kMtx = [] {
  Format format;
  format.name = "mtx";
  format.extensions = {".mtx"};
  format.text = true;
  format.dtypes = kAllDtypes;
  format.recognises = recognises;
  format.marked = true;
  format.read = read;
  format.write = write;
  return format;
}();
