// Readers of text: DIMACS shortest paths, Matrix Market, edge list. They take it line by line
// through a Text, trust a header for no more than the file has bytes for, and name the line of a
// fault.
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <utility>

#include "apsp.h"
#include "core/memory.h"
#include "io/formats/internal.h"
#include "io/text.h"
#include "io/weights.h"

namespace {

template <class T>
void reserve(std::vector<T>& items, std::size_t count) {
  requireHostBytes(count * sizeof(T), "what the file holds");
  items.reserve(count);
}

template <class T>
void add(std::vector<T>& items, const T& item) {
  constexpr std::size_t kFirst = 1024;
  if (items.size() == items.capacity()) reserve(items, std::max(kFirst, 2 * items.size()));
  items.push_back(item);
}

/// Room for what a header announces, but no more than the file has bytes for. A gzipped file and a
/// pipe may hold more than that, and the header may lie: then the room grows with what is read.
template <class T>
void reserveAnnounced(std::vector<T>& items, std::size_t announced, const Text& text,
                      std::size_t shortestLine) {
  reserve(items, std::min(announced, text.fileBytes() / shortestLine));
}

constexpr std::size_t kShortestArc = 8;    // "a 1 2 3\n"
constexpr std::size_t kShortestEntry = 2;  // "0\n"

void checkCount(const Text& text, std::size_t found, std::size_t announced, const char* what) {
  if (found != announced)
    text.fail(
        fmt::format("the file ends after {} {}, its header announces {}", found, what, announced));
}

// ---- Matrix Market -------------------------------------------------------------------------

struct MtxKind {
  bool array, real, pattern, symmetric;
};

/// The next word of the banner, in upper or lower case; an index into `choices`.
std::size_t bannerWord(Text& text, std::initializer_list<std::string_view> choices) {
  const std::string_view word = text.word();
  const auto choice = std::find_if(choices.begin(), choices.end(), [&](std::string_view c) {
    return c.size() == word.size() && ::strncasecmp(c.data(), word.data(), c.size()) == 0;
  });
  if (choice != choices.end()) return static_cast<std::size_t>(choice - choices.begin());
  text.fail(fmt::format("Matrix Market banner: expected {}, found {}", joined(choices, " or "),
                        text.found()));
}

MtxKind mtxBanner(Text& text) {
  text.next();
  bannerWord(text, {"%%MatrixMarket"});
  bannerWord(text, {"matrix"});
  MtxKind kind{};
  kind.array = bannerWord(text, {"coordinate", "array"}) == 1;
  const std::size_t field = kind.array ? bannerWord(text, {"integer", "real"})
                                       : bannerWord(text, {"integer", "real", "pattern"});
  kind.real = field == 1;
  kind.pattern = field == 2;
  kind.symmetric = bannerWord(text, {"general", "symmetric"}) == 1;
  text.endOfLine();
  return kind;
}

/// The size line: n of an n×n matrix.
int mtxSize(Text& text) {
  bool more = text.next();
  while (more && text.first() == '%') more = text.next();
  if (!more) text.fail("the file ends before its size line");
  const int rows = text.count("a row count");
  const int columns = text.count("a column count");
  if (rows != columns)
    text.fail(fmt::format("the matrix is {} x {}, expected a square one", rows, columns));
  return rows;
}

Graph mtxCoordinates(Text& text, const MtxKind& kind, int n, std::optional<Dtype> asked) {
  const std::int64_t entries = text.number();
  if (entries < 0) text.fail("expected a number of entries, found " + text.found());
  text.endOfLine();
  std::vector<Edge> edges;
  WeightType type(asked, [&] { toFloats(edges); });
  reserveAnnounced(edges, static_cast<std::size_t>(entries), text, kShortestArc);
  std::int64_t found = 0;
  for (; text.next(); ++found) {
    if (found == entries) text.fail(fmt::format("more than the {} entries of the header", entries));
    Edge e{};
    e.from = text.vertex(1, n);
    e.to = text.vertex(1, n);
    e.weight = kind.pattern ? 1
               : kind.real  ? text.weight(e.from, e.to, 1, type)
                            : text.weight(e.from, e.to, 1);
    text.endOfLine();
    if (e.weight == infinity(type.dtype())) continue;
    add(edges, e);
    if (kind.symmetric && e.from != e.to) add(edges, {e.to, e.from, e.weight});
  }
  checkCount(text, found, entries, "entries");
  return fromEdges(n, std::move(edges), type.dtype());
}

/// Column after column; of a symmetric matrix the part on and below the diagonal.
Graph mtxArray(Text& text, const MtxKind& kind, int n, std::optional<Dtype> asked) {
  text.endOfLine();
  const std::size_t size = static_cast<std::size_t>(n);
  const std::size_t announced = kind.symmetric ? size * (size + 1) / 2 : size * size;
  std::vector<int> entries;
  WeightType type(asked, [&] { toFloats(entries.size(), entries.data()); });
  reserveAnnounced(entries, announced, text, kShortestEntry);
  for (int j = 0; j < n; ++j) {
    for (int i = kind.symmetric ? j : 0; i < n; ++i) {
      if (!text.next()) checkCount(text, entries.size(), announced, "entries");
      const int entry = kind.real ? text.entry(type) : text.entry();
      if (entry == kBad) text.failWeight(i, j, 1, type.asked());
      text.endOfLine();
      add(entries, entry);
    }
  }
  if (text.next()) text.fail(fmt::format("more than the {} entries of the header", announced));

  Matrix columns(n);  // its size is that of what was read
  auto next = entries.begin();
  for (int j = 0; j < n; ++j)
    for (int i = kind.symmetric ? j : 0; i < n; ++i) {
      columns.row(j)[i] = *next++;
      if (kind.symmetric) columns.row(i)[j] = columns.row(j)[i];
    }
  transpose(columns);
  return fromMatrix(std::move(columns), type.dtype());
}

}  // namespace

Graph readGr(Input& in, const ReadOptions&) {
  Text text(in);
  std::vector<Edge> edges;
  int n = -1;
  std::int64_t arcs = 0;
  while (text.next()) {
    const std::string_view kind = text.word();
    if (kind == "c") continue;
    if (kind == "p" && n < 0) {
      if (text.word() != "sp") text.fail("expected 'p sp n m', found " + text.found());
      n = text.count("a vertex count");
      arcs = text.number();
      if (arcs < 0) text.fail("expected an arc count, found " + text.found());
      reserveAnnounced(edges, static_cast<std::size_t>(arcs), text, kShortestArc);
    } else if (kind == "a" && n >= 0) {
      if (edges.size() == static_cast<std::size_t>(arcs))
        text.fail(fmt::format("more than the {} arcs of the header", arcs));
      Edge e{};
      e.from = text.vertex(1, n);
      e.to = text.vertex(1, n);
      e.weight = text.weight(e.from, e.to, 1);
      add(edges, e);
    } else {
      text.fail(fmt::format("expected {}, found {}",
                            n < 0 ? "'c' or 'p sp n m'" : "'c' or 'a u v w'", text.found()));
    }
    text.endOfLine();
  }
  if (n < 0) text.fail("the file ends before its line 'p sp n m'");
  checkCount(text, edges.size(), static_cast<std::size_t>(arcs), "arcs");
  return fromEdges(n, std::move(edges));
}

Graph readMtx(Input& in, const ReadOptions& options) {
  Text text(in);
  const MtxKind kind = mtxBanner(text);
  const int n = mtxSize(text);
  const std::optional<Dtype> asked = kind.real ? options.dtype : Dtype::kInt32;
  return kind.array ? mtxArray(text, kind, n, asked) : mtxCoordinates(text, kind, n, asked);
}

Graph readEl(Input& in, const ReadOptions& options) {
  Text text(in);
  const int first = options.base;
  const int mostVertices = options.vertices < 0 ? INT_MAX : options.vertices;
  const std::int64_t last = std::int64_t{mostVertices} - 1 + first;
  std::vector<Edge> edges;
  WeightType type(options.dtype, [&] { toFloats(edges); });
  int n = std::max(0, options.vertices);
  while (text.next()) {
    if (text.first() == '#' || text.first() == '%') continue;
    Edge e{};
    e.from = text.vertex(first, last);
    e.to = text.vertex(first, last);
    e.weight = text.atEnd() ? type.word(1) : text.weight(e.from, e.to, first, type);
    text.endOfLine();
    if (e.weight != infinity(type.dtype())) add(edges, e);
    n = std::max({n, e.from + 1, e.to + 1});
  }
  return fromEdges(n, std::move(edges), type.dtype());
}
