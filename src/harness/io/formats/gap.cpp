// sg and wsg: the binary formats of the GAP Benchmark Suite, which its program `converter` writes.
// All numbers are little-endian and follow each other without padding:
//
//   1 byte            whether the graph is directed, 0 or 1
//   int64, int64      the number of edges m, then of vertices n; vertices from 0
//   (n + 1) × int64   the offsets: the edges from vertex v are those from offsets[v] up to, not
//                     including, offsets[v + 1]
//   m × int32         where each edge leads; in a wsg, each number is followed by the weight, int32
//
// In a directed graph the offsets, and the vertices (and weights), of the edges into each vertex
// follow. In an undirected graph every edge is there in both directions, and counts twice in m.
// An edge of a sg weighs 1. Source: the README and the class CSRGraph of
// https://github.com/sbeamer/gapbs
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "io/formats/announced.h"
#include "io/formats/compact.h"
#include "io/formats/format.h"
#include "io/formats/matrices.h"
#include "io/formats/undirected.h"
#include "io/weights.h"

namespace {

constexpr std::size_t kChunkEdges = std::size_t{1} << 17;  // that are in memory as in the file

// ---- Reading ---------------------------------------------------------------------------------

struct Header {
  bool directed = false;
  std::int64_t edges = 0, n = 0;
};

Header readHeader(Input& in) {
  constexpr std::size_t kBytes = 17;
  constexpr std::int64_t kMostEdges = INT64_C(1) << 48;  // so that no size in bytes overflows
  char bytes[kBytes] = {};
  if (const std::size_t got = in.read(bytes, kBytes); got < kBytes)
    in.failAt(0, fmt::format("expected a header of {} bytes, the file has {}", kBytes, got));
  if (bytes[0] != 0 && bytes[0] != 1)
    in.failAt(0, fmt::format("expected 0 or 1 for undirected or directed, found {}",
                             static_cast<unsigned char>(bytes[0])));
  Header header;
  header.directed = bytes[0] == 1;
  std::copy_n(bytes + 1, sizeof header.edges, reinterpret_cast<char*>(&header.edges));
  std::copy_n(bytes + 9, sizeof header.n, reinterpret_cast<char*>(&header.n));
  if (header.edges < 0 || header.edges > kMostEdges)
    in.failAt(
        1, fmt::format("expected a number of edges in 0..{}, found {}", kMostEdges, header.edges));
  if (header.n < 0 || header.n > INT_MAX)
    in.failAt(9,
              fmt::format("expected a number of vertices in 0..{}, found {}", INT_MAX, header.n));
  return header;
}

std::vector<std::int64_t> readOffsets(Input& in, const Header& header) {
  const std::size_t start = in.offset(), count = asSize(header.n) + 1;
  std::vector<std::int64_t> offsets = readItems<std::int64_t>(in, count, "the offsets in the file");
  std::int64_t last = 0;
  for (std::size_t v = 0; v < count; ++v) {
    const std::int64_t most = v == 0 ? 0 : header.edges;
    const std::int64_t least = v + 1 == count ? header.edges : last;
    if (offsets[v] < least || offsets[v] > most)
      in.failAt(start + v * sizeof(std::int64_t),
                fmt::format("offset {} is {}, expected one in {}..{}", v, offsets[v], least, most));
    last = offsets[v];
  }
  return offsets;
}

using FileEdge = Edge<std::int32_t>;

/// Reads the lists of all vertices. Calls visit(FileEdge) for each entry; `from` is the vertex that
/// has the list.
template <class Visit>
void readLists(Input& in, const Header& header, bool weighted, const ReadOptions& options,
               Visit visit) {
  const std::vector<std::int64_t> offsets = readOffsets(in, header);
  const std::size_t width = weighted ? 2 : 1, edges = asSize(header.edges);
  std::vector<int> chunk;
  int vertex = 0;
  for (std::size_t first = 0; first < edges; first += kChunkEdges) {
    const std::size_t start = in.offset();
    chunk.resize(width * std::min(kChunkEdges, edges - first));
    in.readExact(chunk.data(), chunk.size() * sizeof(int));
    for (std::size_t k = 0; k < chunk.size(); k += width) {
      const std::int64_t edge = static_cast<std::int64_t>(first + k / width);
      while (offsets[asSize(vertex) + 1] <= edge) ++vertex;
      const FileEdge e{vertex, chunk[k], weighted ? chunk[k + 1] : 1};
      if (e.to < 0 || e.to >= header.n)
        in.failAt(start + k * sizeof(int),
                  fmt::format("vertex {} is outside 0..{}", e.to, header.n - 1));
      if (!isWeight<std::int32_t>(e.weight, options.negative))
        in.failAt(start + k * sizeof(int), badWeight(e.from, e.to, std::to_string(e.weight),
                                                     readType(options, kShortNumbers).accepted()));
      visit(e);
    }
  }
}

/// The sum of the hashes of edges, which does not depend on their order.
class HashSum {
 public:
  void add(int from, int to, int weight) {
    sum_ += edgeHash(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
                     static_cast<std::uint64_t>(weight));
  }
  bool operator!=(const HashSum& other) const { return sum_ != other.sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// Throws unless the edges, which the lists of the vertices have in order, are there both ways.
void requireBothWays(const Input& in, int n, Edges<std::int32_t>& edges) {
  for (auto first = edges.begin(), last = first; first != edges.end(); first = last) {
    last =
        std::find_if(first, edges.end(), [&](const FileEdge& e) { return e.from != first->from; });
    std::sort(first, last, [](const FileEdge& a, const FileEdge& b) {
      return std::tie(a.to, a.weight) < std::tie(b.to, b.weight);
    });
  }
  if (const std::optional<OneWay> found = findOneWay(n, edges))
    in.failAt(0, fmt::format("the graph is undirected, but edge {}->{} has {}", found->edge.from,
                             found->edge.to,
                             found->reverse ? "another weight than its reverse" : "no reverse"));
}

void requireSize(Input& in, const Header& header, bool weighted, const ReadOptions& options) {
  const auto report = [&] { reportSize(options, static_cast<int>(header.n), header.edges); };
  const bool sized = in.size() > 0;
  if (!sized) report();  // a pipe may come to its end much later
  in.settleSmallSize();
  const std::size_t lists = sizeof(std::int64_t) * (asSize(header.n) + 1) +
                            sizeof(int) * (weighted ? 2 : 1) * asSize(header.edges);
  const std::size_t expected = in.offset() + (header.directed ? 2 : 1) * lists;
  if (in.size() > 0 && in.size() != expected)
    in.failAt(0,
              fmt::format("{} edges and {} vertices of {} graph {} weights need {} bytes, the "
                          "file has {}",
                          header.edges, header.n, header.directed ? "a directed" : "an undirected",
                          weighted ? "with" : "without", expected, in.size()));
  if (sized) report();
}

FileGraph readLayout(Input& in, const ReadOptions& options, bool weighted) {
  const Header header = readHeader(in);
  requireSize(in, header, weighted, options);
  const int n = static_cast<int>(header.n);
  Edges<std::int32_t> edges;
  if (in.size() > 0) reserveRoom(edges, asSize(header.edges));
  HashSum out, into;
  readLists(in, header, weighted, options, [&](const FileEdge& e) {
    out.add(e.from, e.to, e.weight);
    append(edges, e);
  });
  if (header.directed) {
    const std::size_t start = in.offset();
    readLists(in, header, weighted, options,
              [&](const FileEdge& e) { into.add(e.to, e.from, e.weight); });
    if (into != out)
      in.failAt(start,
                "the lists of the edges into each vertex have other edges than those before");
  } else {
    requireBothWays(in, n, edges);
  }
  in.requireEnd();
  FileGraph graph = graphOf(n, std::move(edges), options, 0);
  graph.report.unweighted = !weighted;
  return graph;
}

FileGraph readUnweighted(Input& in, const ReadOptions& options) {
  return readLayout(in, options, false);
}

FileGraph readWeighted(Input& in, const ReadOptions& options) {
  return readLayout(in, options, true);
}

// ---- Writing ---------------------------------------------------------------------------------

/// Writes the offsets and the lists of the vertices where the edges begin.
void writeLists(OutputFile& out, const Graph& graph, bool weighted) {
  const std::size_t n = asSize(graph.n);
  requireHostBytes(sizeof(std::int64_t) * (n + 1), "the offsets of the file");
  std::vector<std::int64_t> offsets(n + 1);
  forEachEdge(graph, [&](const auto& e) { ++offsets[asSize(e.from) + 1]; });
  for (std::size_t v = 0; v < n; ++v) offsets[v + 1] += offsets[v];
  out.write(offsets.data(), offsets.size() * sizeof(std::int64_t));
  std::vector<int> chunk;
  const auto flush = [&] {
    out.write(chunk.data(), chunk.size() * sizeof(int));
    chunk.clear();
  };
  forEachEdge(graph, [&](const auto& e) {
    chunk.push_back(e.to);
    if (weighted) chunk.push_back(static_cast<std::int32_t>(e.weight));
    if (chunk.size() >= kChunkEdges) flush();
  });
  flush();
}

/// The graph with all edges reversed.
Graph inverseOf(const Graph& graph) {
  requireHostBytes(countEdges(graph) * sizeof(FileEdge), "the edges of the file reversed");
  Edges<std::int32_t> edges = toEdges<std::int32_t>(graph);
  for (FileEdge& e : edges) std::swap(e.from, e.to);
  return fromEdges(graph.n, std::move(edges));
}

void writeLayout(OutputFile& out, const Graph& graph, bool weighted) {
  const bool directed = !isUndirected(graph);
  const std::int64_t sizes[] = {static_cast<std::int64_t>(countEdges(graph)), graph.n};
  const char flag = directed ? 1 : 0;
  const std::size_t lists = sizeof(std::int64_t) * (asSize(graph.n) + 1) +
                            sizeof(int) * (weighted ? 2 : 1) * countEdges(graph);
  out.announce(sizeof flag + sizeof sizes + (directed ? 2 : 1) * lists);
  out.write(&flag, sizeof flag);
  out.write(sizes, sizeof sizes);
  writeLists(out, graph, weighted);
  if (directed) writeLists(out, inverseOf(graph), weighted);
}

void writeUnweighted(OutputFile& out, const Graph& graph) {
  writeLayout(out, graph, false);
}

void writeWeighted(OutputFile& out, const Graph& graph) {
  writeLayout(out, graph, true);
}

}  // namespace

constexpr Format kSg = [] {
  Format format;
  format.name = "sg";
  format.extensions = {".sg"};
  format.weighted = false;
  format.read = readUnweighted;
  format.write = writeUnweighted;
  return format;
}();

constexpr Format kWsg = [] {
  Format format;
  format.name = "wsg";
  format.extensions = {".wsg"};
  format.read = readWeighted;
  format.write = writeWeighted;
  return format;
}();
