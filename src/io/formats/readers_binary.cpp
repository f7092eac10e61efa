// Readers of binary files: .bin and NumPy. They check the file's size against its header before
// they allocate, and name the byte of a fault.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "core/memory.h"
#include "io/formats/internal.h"
#include "io/input.h"
#include "io/weights.h"

static_assert(sizeof(Edge) == 3 * sizeof(int), "binary edge lists are read straight into edges");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "binary files are little-endian");

namespace {

// ---- .bin ----------------------------------------------------------------------------------

Graph binEdges(Input& in, int n, std::size_t count) {
  const std::size_t start = in.offset();
  requireHostBytes(count * sizeof(Edge), "the edge list");
  std::vector<Edge> edges(count);
  in.readExact(edges.data(), count * sizeof(Edge));
  for (std::size_t k = 0; k < count; ++k) {
    const Edge& e = edges[k];
    const std::size_t byte = start + k * sizeof(Edge);
    for (const int vertex : {e.from, e.to})
      if (vertex < 0 || vertex >= n)
        in.failAt(byte, fmt::format("vertex {} is outside 0..{}", vertex, n - 1));
    if (e.weight < 0 || e.weight >= kInf)
      in.failAt(byte, badWeight(e.from, e.to, std::to_string(e.weight)));
  }
  return fromEdges(n, std::move(edges));
}

/// What denseWeight() takes: int stays, narrower and wider integers become int64, reals double.
template <class Stored>
auto widened(Stored value) {
  if constexpr (std::is_same_v<Stored, int>)
    return value;
  else if constexpr (std::is_floating_point_v<Stored>)
    return static_cast<double>(value);
  else if constexpr (sizeof value < sizeof(std::int64_t) || std::is_signed_v<Stored>)
    return std::int64_t{value};
  else
    return static_cast<std::int64_t>(std::min<Stored>(value, INT64_MAX));
}

template <class Stored>
void swapBytes(Stored& value) {
  char* bytes = reinterpret_cast<char*>(&value);
  std::reverse(bytes, bytes + sizeof value);
}

struct Order {
  bool bigEndian = false, fortran = false;
};

/// row = toWeight(stored), widened; false where one of them is kBad.
template <class Stored, class ToWeight>
bool convertRow(const std::vector<Stored>& stored, int* row, ToWeight toWeight) {
  int signs = 0;
#pragma omp simd reduction(| : signs)
  for (std::size_t j = 0; j < stored.size(); ++j) {
    row[j] = toWeight(widened(stored[j]));
    signs |= row[j];
  }
  return signs >= 0;
}

/// n² stored values, whose number the size has promised. One row at a time: it stays in the cache
/// between the system call and its check.
template <class Stored>
Graph readValues(Input& in, int n, Order order, std::optional<Dtype> asked) {
  constexpr bool kReal = std::is_floating_point_v<Stored>;
  Matrix matrix(n);
  std::vector<Stored> stored(static_cast<std::size_t>(n));
  int i = 0;
  WeightType type(kReal ? asked : Dtype::kInt32,
                  [&] { toFloats(stored.size() * static_cast<std::size_t>(i), matrix.data()); });
  for (; i < n; ++i) {
    const std::size_t start = in.offset();
    in.readExact(stored.data(), stored.size() * sizeof(Stored));
    if (order.bigEndian)
      for (Stored& value : stored) swapBytes(value);
    int* row = matrix.row(i);
    if (type.whole() && convertRow(stored, row, [](auto x) { return denseWeight(x); })) continue;
    if (type.becomeFloat() &&
        convertRow(stored, row, [](auto x) { return realWeight(denseEntry(x)); }))
      continue;
    const int j = static_cast<int>(std::find(row, row + n, kBad) - row);
    const std::string found = fmt::format("{}", widened(stored[j]));
    in.failAt(start + j * sizeof(Stored), order.fortran ? badWeight(j, i, found, type.asked())
                                                        : badWeight(i, j, found, type.asked()));
  }
  if (order.fortran) transpose(matrix);
  return fromMatrix(std::move(matrix), type.dtype());
}

/// A .bin in the one of the layouts allowed whose size its header gives; an edge list where both
/// do.
Graph binAs(Input& in, bool edges, bool dense) {
  int header[2];
  const std::size_t size = in.settledSize();
  if (size < sizeof header)
    in.failAt(0,
              fmt::format("expected a header of {} bytes, the file has {}", sizeof header, size));
  in.readExact(header, sizeof header);
  for (int i = 0; i < 2; ++i)
    if (header[i] < 0)
      in.failAt(i * sizeof(int), fmt::format("the header has a negative count, {}", header[i]));

  const std::size_t n = static_cast<std::size_t>(header[0]);
  const std::size_t count = static_cast<std::size_t>(header[1]);
  const std::size_t edgesSize = sizeof header + count * sizeof(Edge);
  const std::size_t denseSize = sizeof header + n * n * sizeof(int);
  if (edges && size == edgesSize) return binEdges(in, header[0], count);
  if (dense && n == count && size == denseSize) return readValues<int>(in, header[0], {}, {});

  std::string expected;
  if (edges) expected = fmt::format("an edge list of {} bytes", edgesSize);
  if (edges && dense) expected += " or ";
  if (dense)
    expected += n == count ? fmt::format("a matrix of {} bytes", denseSize) : "a square matrix";
  in.failAt(0, fmt::format("after the header {} {} expected {}, the file has {} bytes", n, count,
                           expected, size));
}

// ---- NumPy ---------------------------------------------------------------------------------

struct NpyType {
  const char* name;
  std::size_t bytes;
  Graph (*read)(Input&, int, Order, std::optional<Dtype>);
};
constexpr NpyType kNpyTypes[] = {
    {"i1", 1, readValues<std::int8_t>},  {"u1", 1, readValues<std::uint8_t>},
    {"i2", 2, readValues<std::int16_t>}, {"u2", 2, readValues<std::uint16_t>},
    {"i4", 4, readValues<int>},          {"u4", 4, readValues<std::uint32_t>},
    {"i8", 8, readValues<std::int64_t>}, {"u8", 8, readValues<std::uint64_t>},
    {"f4", 4, readValues<float>},        {"f8", 8, readValues<double>},
};

/// The Python dictionary at the head of a .npy file.
std::string npyHeader(Input& in) {
  constexpr std::size_t kMagicBytes = 8;
  const std::size_t size = in.settledSize();
  char magic[kMagicBytes] = {};
  if (in.read(magic, sizeof magic) < sizeof magic || std::memcmp(magic, "\x93NUMPY", 6) != 0)
    in.failAt(0, "is not a NumPy file");
  const int version = magic[6];
  if (version < 1 || version > 3)
    in.failAt(6, fmt::format("NumPy format {}, expected 1 to 3", version));
  std::uint32_t length = 0;
  in.readExact(&length, version == 1 ? 2 : 4);
  if (length > size - in.offset())
    in.failAt(kMagicBytes, fmt::format("the header needs {} bytes, the file has {}",
                                       in.offset() + length, size));
  std::string header(length, '\0');
  in.readExact(header.data(), length);
  return header;
}

/// What follows `'key':` in the header, up to `end` and with it.
std::string npyValue(const Input& in, const std::string& header, const char* key, char end) {
  const std::string label = fmt::format("'{}':", key);
  const std::size_t at = header.find(label);
  if (at == std::string::npos) in.failAt(0, fmt::format("the NumPy header has no '{}'", key));
  const std::size_t begin = header.find_first_not_of(' ', at + label.size());
  if (begin == std::string::npos)
    in.failAt(0, fmt::format("the NumPy header ends after '{}'", key));
  const std::size_t stop = header.find(end, begin + 1);
  return header.substr(begin, stop == std::string::npos ? stop : stop + 1 - begin);
}

const NpyType& npyType(const Input& in, const std::string& descr) {
  for (const NpyType& type : kNpyTypes)
    if (descr.size() == 5 && descr.compare(2, 2, type.name) == 0 && std::strchr("<>=|", descr[1]))
      return type;
  in.failAt(0,
            fmt::format("NumPy dtype {}, expected integers or float32 or float64", quoted(descr)));
}

/// n of the shape `(n, n)`.
int npySize(const Input& in, const std::string& shape) {
  std::uint64_t sides[2] = {};
  const char *at = shape.data() + 1, *end = shape.data() + shape.size();
  bool good = shape[0] == '(';
  for (int i = 0; i < 2 && good; ++i) {
    const auto [stop, error] = std::from_chars(at, end, sides[i]);
    good = error == std::errc() && *stop == ",)"[i];
    at = stop + 1;
    while (good && at < end && *at == ' ') ++at;
  }
  constexpr std::uint64_t kMost = 1 << 30;
  if (!good || at != end || sides[0] != sides[1] || sides[0] > kMost)
    in.failAt(0, fmt::format("NumPy shape {}, expected (n, n)", quoted(shape)));
  return static_cast<int>(sides[0]);
}

}  // namespace

Graph readBin(Input& in, const ReadOptions&) {
  return binAs(in, true, true);
}

Graph readBinEdges(Input& in, const ReadOptions&) {
  return binAs(in, true, false);
}

Graph readBinDense(Input& in, const ReadOptions&) {
  return binAs(in, false, true);
}

Graph readNpy(Input& in, const ReadOptions& options) {
  const std::string header = npyHeader(in);
  const std::string descr = npyValue(in, header, "descr", '\'');
  const std::string order = npyValue(in, header, "fortran_order", 'e');
  const std::string shape = npyValue(in, header, "shape", ')');
  const NpyType& type = npyType(in, descr);
  const int n = npySize(in, shape);
  if (order != "True" && order != "False")
    in.failAt(0, fmt::format("NumPy fortran_order {}, expected True or False", quoted(order)));
  const std::size_t expected =
      in.offset() + type.bytes * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (in.size() != expected)
    in.failAt(0, fmt::format("NumPy dtype {} and shape {} need {} bytes, the file has {}",
                             quoted(descr), quoted(shape), expected, in.size()));
  return type.read(in, n, {descr[1] == '>', order == "True"}, options.dtype);
}
