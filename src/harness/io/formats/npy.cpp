// npy: NumPy's binary format, versions 1 to 3. A square matrix of integers or reals, in either byte
// order, in C or Fortran order; or of bool, where True is an edge of weight 1. Graphs and distances
// are written as little-endian numbers of their type in C order. Source:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/formats/matrices.h"
#include "io/formats/matrix_file.h"
#include "io/formats/npy_header.h"
#include "system/utf8.h"

namespace {

// ---- Reading ---------------------------------------------------------------------------------

/// A type of stored values.
struct Type {
  const char* name;
  std::size_t bytes;
  FileGraph (*read)(Input&, int, StorageOrder, std::optional<Dtype>, Zero, bool negative,
                    int unreached);
};
constexpr Type kTypes[] = {
    {"i1", 1, readValues<std::int8_t>},  {"u1", 1, readValues<std::uint8_t>},
    {"i2", 2, readValues<std::int16_t>}, {"u2", 2, readValues<std::uint16_t>},
    {"i4", 4, readValues<std::int32_t>}, {"u4", 4, readValues<std::uint32_t>},
    {"i8", 8, readValues<std::int64_t>}, {"u8", 8, readValues<std::uint64_t>},
    {"f2", 2, readValues<Half>},         {"f4", 4, readValues<float>},
    {"f8", 8, readValues<double>},       {"b1", 1, readValues<Truth>},
};

const Type& typeOf(const Input& in, const NpyHeader& header) {
  for (const Type& type : kTypes)
    if (header.type() == type.name) return type;
  in.failAt(0, fmt::format("NumPy dtype {}, expected integers, bool, float16, float32 or "
                           "float64: save m.astype('float32')",
                           npyType(header)));
}

/// n of the shape `(n, n)`.
int sizeOf(const Input& in, const NpyHeader& header) {
  constexpr std::uint64_t kMost = 1 << 30;
  const auto& sides = header.shape;
  if (!sides || sides->size() != 2 || sides->at(0) != sides->at(1) || sides->at(0) > kMost)
    in.failAt(0, fmt::format("NumPy shape {}, expected (n, n)", inQuotes(header.shapeText)));
  return static_cast<int>(sides->at(0));
}

StoredDistances findNpyDistances(Input& in) {
  const NpyHeader header = readNpyHeader(in);
  StoredDistances found;
  found.n = sizeOf(in, header);
  for (const Element element : kElements)
    if (header.type() == npyName(element) + 1) found.element = element;
  if (!found.element || header.bigEndian() || isFortran(in, header))
    in.fail(
        "distances are looked up in rows of int32, int64, float32, float64, uint8 or uint16, "
        "as -o writes them");
  const std::size_t bytes =
      in.offset() + sizeOf(*found.element) * asSize(found.n) * asSize(found.n);
  if (in.size() != bytes)
    in.fail(fmt::format("distances of {} need {} bytes, the file has {}",
                        counted(asSize(found.n), "vertex", "vertices"), bytes, in.size()));
  found.from = in.offset();
  if (header.mark) found.graph = header.mark->graph;
  if (header.mark && header.mark->unreached != 0) found.unreached = header.mark->unreached;
  return found;
}

/// Of distances: where these have the number that stands for "no path", the graph has no edge.
void dropUnreached(Graph& graph, int number) {
  Matrix& matrix = std::get<Matrix>(graph.body);
  withElements(matrix.data(), [&](auto* elements) {
    using T = NumberAt<decltype(elements)>;
    std::replace(elements, elements + matrix.size(), static_cast<T>(number), kInfinity<T>);
  });
}

FileGraph read(Input& in, const ReadOptions& options) {
  const NpyHeader header = readNpyHeader(in);
  const Type& type = typeOf(in, header);
  if (header.type() == "b1" && options.zero == Zero::kEdge)
    throw Error(ErrorCode::kUsage, in.name() +
                                       ": in a matrix of bool, False is no edge: leave out "
                                       "--zero edge");
  const int n = sizeOf(in, header);
  const bool fortran = isFortran(in, header);
  const bool sized = in.size() > 0;
  if (!sized) reportSize(options, n);  // a pipe may come to its end much later
  in.settleSmallSize();
  const std::size_t expected = in.offset() + type.bytes * asSize(n) * asSize(n);
  if (in.size() > 0 && in.size() != expected)
    in.failAt(0, fmt::format("NumPy dtype {} and shape {} need {} bytes, the file has {}",
                             npyType(header), inQuotes(header.shapeText), expected, in.size()));
  if (sized) reportSize(options, n);
  const int unreached = header.mark ? header.mark->unreached : 0;
  FileGraph graph = type.read(in, n, {header.bigEndian(), fortran}, options.dtype, options.zero,
                              options.negative, unreached);
  in.requireEnd();
  if (unreached > 0) dropUnreached(graph, unreached);  // of narrow elements
  return graph;
}

std::optional<MatrixLayout> findNpyMatrix(Input& in, const ReadOptions& options) {
  const StoredDistances elements = findNpyDistances(in);
  const std::optional<Dtype> element = dtypeOf(*elements.element);
  const bool rounded = options.roundReals && !options.dtype && element == Dtype::kFloat64;
  if (elements.unreached || rounded || !element) return std::nullopt;
  MatrixLayout matrix{elements.n, *element, elements.from};
  matrix.zero = options.zero;
  matrix.dtype = options.dtype;
  return matrix;
}

// ---- Writing ---------------------------------------------------------------------------------

std::optional<NpyMark> markOf(const DistancesForm& form) {
  if (!form.graph) return std::nullopt;
  return NpyMark{*form.graph, static_cast<std::int32_t>(form.number().value_or(0))};
}

/// Announces the bytes of a file that holds such values, and writes its header.
void writeHeader(OutputFile& out, const DistancesForm& form) {
  const Element element = form.element();
  const std::string header = npyHeader(
      npyName(element), fmt::format("{}, {}", form.shape.rows, form.shape.columns), markOf(form));
  out.announce(header.size() +
               sizeOf(element) * asSize(form.shape.rows) * asSize(form.shape.columns));
  out.write(header.data(), header.size());
}

void write(OutputFile& out, const Graph& graph) {
  writeHeader(out, {graph.n, graph.dtype()});
  writeWeights(out, graph);
}

void writeNpyDistances(OutputFile& out, const DistancesForm& form, const ForEachRows& forEachRows) {
  writeHeader(out, form);
  writeValues(out, form, forEachRows);
}

bool recognises(std::string_view begin) {
  return begin.substr(0, kNpyMagic.size()) == kNpyMagic;
}

}  // namespace

constexpr Format kNpy = [] {
  Format format;
  format.name = "npy";
  format.extensions = {".npy"};
  format.dtypes = kAllDtypes;
  format.zerosUnclear = true;
  format.recognises = recognises;
  format.read = read;
  format.write = write;
  format.writeDistances = writeNpyDistances;
  format.beginDistances = writeHeader;
  format.findDistances = findNpyDistances;
  format.findMatrix = findNpyMatrix;
  format.narrow = true;
  format.tables = true;
  return format;
}();
