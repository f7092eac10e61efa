#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "apsp.h"
#include "core/error.h"
#include "core/memory.h"
#include "io/formats/internal.h"

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// Text on its way to a file, handed over in chunks.
class TextOutput {
 public:
  /// prints: how often print() will be called
  TextOutput(OutputFile& out, std::uint64_t prints) : out_(out), progress_("", prints) {
    out.announce(0);
  }
  template <class Pattern, class... Values>
  void print(const Pattern& pattern, const Values&... values) {
    fmt::format_to(std::back_inserter(text_), pattern, values...);
    ++printed_;
    if (text_.size() >= kChunkBytes) flush();
  }
  void flush() {
    out_.write(text_.data(), text_.size());
    text_.clear();
    progress_.advance(std::exchange(printed_, 0));
  }

 private:
  OutputFile& out_;
  Progress progress_;
  std::uint64_t printed_ = 0;  // since the last chunk
  fmt::basic_memory_buffer<char, 4096> text_;
};

std::size_t countEdges(const Graph& graph) {
  if (!graph.dense()) return graph.edges().size();
  const int* matrix = graph.matrix().data();
  const std::size_t size = graph.matrix().size();
  const int none = infinity(graph.dtype);
  std::size_t count = 0;
#pragma omp parallel for simd reduction(+ : count)
  for (std::size_t i = 0; i < size; ++i) count += matrix[i] < none;
  return count - static_cast<std::size_t>(graph.n);  // the diagonal
}

/// n² weights row-major; an edge list is laid out one row at a time.
void writeRows(OutputFile& out, const Graph& graph) {
  if (graph.dense()) return out.write(graph.matrix().data(), graph.matrix().size() * sizeof(int));
  requireHostBytes(sizeof(int) * static_cast<std::size_t>(graph.n), "a row of the matrix");
  std::vector<int> row(static_cast<std::size_t>(graph.n));
  auto e = graph.edges().begin();
  for (int i = 0; i < graph.n; ++i) {
    std::fill(row.begin(), row.end(), infinity(graph.dtype));
    row[i] = 0;
    for (; e != graph.edges().end() && e->from == i; ++e) row[e->to] = e->weight;
    out.write(row.data(), row.size() * sizeof(int));
  }
}

/// The header of a C-order n×n array, padded with blanks so that the data is aligned; announces
/// both.
void writeNpyHeader(OutputFile& out, int n, Dtype dtype) {
  constexpr std::size_t kAlignment = 64, kPrefix = 10;  // magic, version, length
  std::string text =
      fmt::format("{{'descr': '{1}', 'fortran_order': False, 'shape': ({0}, {0}), }}", n,
                  dtype == Dtype::kInt32 ? "<i4" : "<f4");
  const std::size_t total = (kPrefix + text.size() + kAlignment) / kAlignment * kAlignment;
  text.resize(total - kPrefix - 1, ' ');
  text += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(text.size() % 256);
  prefix += static_cast<char>(text.size() / 256);
  out.announce(total + matrixBytes(n));
  out.write(prefix.data(), prefix.size());
  out.write(text.data(), text.size());
}

void writeDistancesNpy(OutputFile& out, int n, const int* distances, Dtype dtype) {
  writeNpyHeader(out, n, dtype);
  out.write(distances, matrixBytes(n));
}

void writeDistancesBin(OutputFile& out, int n, const int* distances, Dtype) {
  out.announce(matrixBytes(n));
  out.write(distances, matrixBytes(n));
}

void writeDistancesTsv(OutputFile& out, int n, const int* distances, Dtype dtype) {
  const std::uint64_t rows = static_cast<std::uint64_t>(n);
  TextOutput text(out, 2 * rows * rows);  // a distance and what follows it
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j, ++distances) {
      if (j > 0) text.print(FMT_COMPILE("\t"));
      if (*distances == infinity(dtype)) {
        text.print(FMT_COMPILE("inf"));
      } else {
        withNumber(*distances, dtype, [&](auto d) { text.print(FMT_COMPILE("{}"), d); });
      }
    }
    text.print(FMT_COMPILE("\n"));
  }
  text.flush();
}

struct DistancesFormat {
  const char* extension;
  bool reals;      ///< holds float32 distances
  int entryBytes;  ///< of a distance, at least
  void (*write)(OutputFile&, int, const int*, Dtype);
};
constexpr DistancesFormat kDistancesFormats[] = {
    {".npy", true, sizeof(int), writeDistancesNpy},
    {".bin", false, sizeof(int), writeDistancesBin},
    {".tsv", true, 2, writeDistancesTsv}};  // a digit and what parts it from the next

const DistancesFormat& findDistancesFormat(const std::string& path, Dtype dtype) {
  std::string choices;
  for (const DistancesFormat& format : kDistancesFormats) {
    if (dtype != Dtype::kInt32 && !format.reals) continue;
    if (endsWith(path, format.extension)) return format;
    choices += std::string(" ") + format.extension;
  }
  throw Error(Exit::kUsage, fmt::format("{}: {}distances are written by extension, one of{}", path,
                                        dtype == Dtype::kInt32 ? "" : "real ", choices));
}

}  // namespace

void writeBin(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph), n = static_cast<std::size_t>(graph.n);
  // A dense 3×3 file has the size of an edge list too, and would be read as one.
  const bool asEdges = n == 3 || (3 * edges <= n * n && edges <= INT_MAX);
  asEdges ? writeBinEdges(out, graph) : writeBinDense(out, graph);
}

void writeBinEdges(OutputFile& out, const Graph& graph) {
  const std::size_t count = countEdges(graph);
  if (count > INT_MAX)
    throw Error(Exit::kUsage,
                fmt::format("{}: {} edges are more than a binary edge list can count, "
                            "write bin-dense",
                            out.path(), count));
  const int header[] = {graph.n, static_cast<int>(count)};
  out.announce(sizeof header + count * sizeof(Edge));
  out.write(header, sizeof header);
  if (!graph.dense()) return out.write(graph.edges().data(), count * sizeof(Edge));

  std::vector<Edge> chunk;
  const auto flush = [&] {
    out.write(chunk.data(), chunk.size() * sizeof(Edge));
    chunk.clear();
  };
  forEachEdge(graph, [&](const Edge& e) {
    chunk.push_back(e);
    if (chunk.size() * sizeof(Edge) >= kChunkBytes) flush();
  });
  flush();
}

void writeBinDense(OutputFile& out, const Graph& graph) {
  const int header[] = {graph.n, graph.n};
  out.announce(sizeof header + matrixBytes(graph.n));
  out.write(header, sizeof header);
  writeRows(out, graph);
}

void writeGr(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph);
  TextOutput text(out, 1 + edges);
  text.print(FMT_COMPILE("p sp {} {}\n"), graph.n, edges);
  forEachEdge(graph, [&](const Edge& e) {
    text.print(FMT_COMPILE("a {} {} {}\n"), e.from + 1, e.to + 1, e.weight);
  });
  text.flush();
}

void writeMtx(OutputFile& out, const Graph& graph) {
  const std::size_t edges = countEdges(graph);
  TextOutput text(out, 1 + edges);
  text.print(FMT_COMPILE("%%MatrixMarket matrix coordinate {2} general\n{0} {0} {1}\n"), graph.n,
             edges, graph.dtype == Dtype::kInt32 ? "integer" : "real");
  forEachEdge(graph, [&](const Edge& e) {
    withNumber(e.weight, graph.dtype, [&](auto weight) {
      // #: 5.0, lest a real weight in digits alone be taken for a whole one.
      text.print(FMT_COMPILE("{} {} {:#}\n"), e.from + 1, e.to + 1, weight);
    });
  });
  text.flush();
}

void writeNpy(OutputFile& out, const Graph& graph) {
  writeNpyHeader(out, graph.n, graph.dtype);
  writeRows(out, graph);
}

void checkDistancesFormat(const std::string& path, Dtype dtype) {
  findDistancesFormat(path, dtype);
}

std::uint64_t distancesBytes(const std::string& path, int n) {
  const std::uint64_t side = static_cast<std::uint64_t>(n);
  return side * side * findDistancesFormat(path, Dtype::kInt32).entryBytes;
}

void writeDistances(OutputFile& out, int n, const int* distances, Dtype dtype) {
  findDistancesFormat(out.path(), dtype).write(out, n, distances, dtype);
  out.commit();
}
