// bin: little-endian int32 numbers, and no other type. There are two layouts:
//
//   edges   `V E`, then E × `from to weight`, vertices from 0: 8 + 12·E bytes
//   dense   `n n`, then n² weights in row-major order: 8 + 4·n² bytes
//
// The size of the file tells them apart. Both fit if n = 3 and E = 3; then it is an edge list.
// bin-edges and bin-dense read and write one layout only. Distances in .bin are n² numbers without
// a header; they are no graph file.
#include <fmt/format.h>

#include <climits>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/formats/compact.h"
#include "io/formats/matrices.h"
#include "io/formats/matrix_file.h"

using FileEdge = Edge<std::int32_t>;
static_assert(sizeof(FileEdge) == 3 * sizeof(int),
              "binary edge lists are read straight into edges");

namespace {

// ---- Reading ---------------------------------------------------------------------------------

FileGraph readEdges(Input& in, int n, std::size_t count, const ReadOptions& options) {
  const std::size_t start = in.offset();
  Edges<std::int32_t> edges = readItems<FileEdge>(in, count, "the edge list");
  in.requireEnd();
  for (std::size_t k = 0; k < count; ++k) {
    const FileEdge& e = edges[k];
    const std::size_t byte = start + k * sizeof(FileEdge);
    for (const int vertex : {e.from, e.to})
      if (vertex < 0 || vertex >= n)
        in.failAt(byte, fmt::format("vertex {} is outside 0..{}", vertex, n - 1));
    if (!isWeight<std::int32_t>(e.weight, options.negative))
      in.failAt(byte, badWeight(e.from, e.to, std::to_string(e.weight),
                                readType(options, kShortNumbers).accepted()));
  }
  return graphOf(n, std::move(edges), options, 0);
}

/// The course's format defines 0 as a weight, so it is not unclear what zeros mean.
Zero zeroOf(const ReadOptions& options) {
  return options.zero == Zero::kUnclear ? Zero::kEdge : options.zero;
}

/// Reads the layout that fits the size of the file, of those that are allowed.
FileGraph readLayout(Input& in, const ReadOptions& options, bool edges, bool dense) {
  int header[2];
  if (const std::size_t got = in.read(header, sizeof header); got < sizeof header)
    in.failAt(0, fmt::format("expected a header of {} bytes, the file has {}", sizeof header, got));
  for (int i = 0; i < 2; ++i)
    if (header[i] < 0)
      in.failAt(i * sizeof(int), fmt::format("the header has a negative count, {}", header[i]));
  const std::size_t n = asSize(header[0]);
  const std::size_t count = asSize(header[1]);
  const std::size_t edgesSize = sizeof header + count * sizeof(FileEdge);
  const std::size_t denseSize = sizeof header + n * n * sizeof(int);
  const bool reported = in.size() == 0;  // a pipe may come to its end much later
  if (reported) reportSize(options, header[0], header[1]);
  in.settleSmallSize();
  const bool sized = in.size() > 0;
  const bool isEdges = edges && (sized                 ? in.size() == edgesSize
                                 : dense && n == count ? in.hasJust(count * sizeof(FileEdge))
                                                       : true);
  const bool isDense = dense && n == count && (!sized || in.size() == denseSize);
  if (isEdges || isDense) {
    if (!reported) reportSize(options, header[0], isEdges ? header[1] : ReadOptions::kMatrix);
    if (isEdges) return readEdges(in, header[0], count, options);
    FileGraph graph = readValues<std::int32_t>(in, header[0], {}, options.dtype, zeroOf(options),
                                               options.negative, 0);
    in.requireEnd();
    return graph;
  }
  std::string expected;
  if (edges) expected = fmt::format("an edge list of {} bytes", edgesSize);
  if (edges && dense) expected += " or ";
  if (dense)
    expected += n == count ? fmt::format("a matrix of {} bytes", denseSize) : "a square matrix";
  if (sized) expected += fmt::format(", the file has {}", counted(in.size(), "byte"));
  in.failAt(0, fmt::format("after the header {} {} expected {}", n, count, expected));
}

FileGraph readEither(Input& in, const ReadOptions& options) {
  return readLayout(in, options, true, true);
}

FileGraph readEdgeList(Input& in, const ReadOptions& options) {
  return readLayout(in, options, true, false);
}

FileGraph readDense(Input& in, const ReadOptions& options) {
  return readLayout(in, options, false, true);
}

std::optional<MatrixLayout> findBinMatrix(Input& in, const ReadOptions& options) {
  int header[2];
  in.readExact(header, sizeof header);
  const int n = header[0];
  constexpr int kAlsoEdges = 3;  // the size of the file does not tell what it is then
  if (n < 1 || n != header[1] || n == kAlsoEdges ||
      in.size() != sizeof header + matrixBytes(n, Dtype::kInt32))
    return std::nullopt;
  MatrixLayout matrix{n, Dtype::kInt32, sizeof header};
  matrix.zero = zeroOf(options);
  matrix.dtype = options.dtype;
  return matrix;
}

// ---- Writing ---------------------------------------------------------------------------------

void writeEdges(OutputFile& out, const Graph& graph) {
  const std::size_t count = countEdges(graph);
  if (count > INT_MAX)
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {} edges are more than a binary edge list can count, "
                            "write bin-dense",
                            out.path(), count));
  const int header[] = {graph.n, static_cast<int>(count)};
  out.announce(sizeof header + count * sizeof(FileEdge));
  out.write(header, sizeof header);
  if (!graph.dense())
    return out.write(graph.edges<std::int32_t>().data(), count * sizeof(FileEdge));

  constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  Edges<std::int32_t> chunk;
  const auto flush = [&] {
    out.write(chunk.data(), chunk.size() * sizeof(FileEdge));
    chunk.clear();
  };
  forEachEdge(graph, [&](const auto& e) {
    chunk.push_back({e.from, e.to, static_cast<std::int32_t>(e.weight)});
    if (chunk.size() * sizeof(FileEdge) >= kChunkBytes) flush();
  });
  flush();
}

void writeDense(OutputFile& out, const Graph& graph) {
  const int header[] = {graph.n, graph.n};
  out.announce(sizeof header + matrixBytes(graph.n, graph.dtype()));
  out.write(header, sizeof header);
  writeWeights(out, graph);
}

/// Writes the smaller layout, edges if both have the same size.
void writeSmaller(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph), n = asSize(graph.n);
  // A dense file of n = 3 has the size of an edge list, and would be read as one.
  const bool asEdges = n == 3 || (3 * edges <= n * n && edges <= INT_MAX);
  asEdges ? writeEdges(out, graph) : writeDense(out, graph);
}

/// There is nothing before the elements.
void beginBinDistances(OutputFile& out, const DistancesForm& form) {
  out.announce(matrixBytes(form.shape.rows, form.dtype));
}

void writeBinDistances(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows) {
  beginBinDistances(out, form);
  writeValues(out, form, forEachRows);
}

StoredDistances findBinDistances(Input& in) {
  const int n =
      static_cast<int>(std::lround(std::sqrt(static_cast<double>(in.size() / sizeof(int)))));
  if (n == 0 || matrixBytes(n, Dtype::kInt32) != in.size())
    in.fail(fmt::format("{} no square matrix of distances",
                        counted(in.size(), "byte is", "bytes are")));
  return {n};
}

}  // namespace

constexpr Format kBin = [] {
  Format format;
  format.name = "bin";
  format.extensions = {".bin"};
  format.read = readEither;
  format.write = writeSmaller;
  format.writeDistances = writeBinDistances;
  format.beginDistances = beginBinDistances;
  format.findDistances = findBinDistances;
  format.findMatrix = findBinMatrix;
  return format;
}();

constexpr Format kBinEdges = [] {
  Format format;
  format.name = "bin-edges";
  format.read = readEdgeList;
  format.write = writeEdges;
  return format;
}();

constexpr Format kBinDense = [] {
  Format format;
  format.name = "bin-dense";
  format.read = readDense;
  format.write = writeDense;
  return format;
}();
