// npy: NumPy's binary format, versions 1 to 3. A square matrix of integers or reals, in either byte
// order, in C or Fortran order. Graphs and distances are written as little-endian int32 or float32
// in C order.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/utf8.h"
#include "io/formats/matrices.h"

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// ---- Reading ---------------------------------------------------------------------------------

/// A type of stored values.
struct Type {
  const char* name;
  std::size_t bytes;
  Graph (*read)(Input&, int, Order, std::optional<Dtype>, Zero);
};
constexpr Type kTypes[] = {
    {"i1", 1, readValues<std::int8_t>},  {"u1", 1, readValues<std::uint8_t>},
    {"i2", 2, readValues<std::int16_t>}, {"u2", 2, readValues<std::uint16_t>},
    {"i4", 4, readValues<int>},          {"u4", 4, readValues<std::uint32_t>},
    {"i8", 8, readValues<std::int64_t>}, {"u8", 8, readValues<std::uint64_t>},
    {"f4", 4, readValues<float>},        {"f8", 8, readValues<double>},
};

/// Reads the header, a Python dictionary as text.
std::string readHeader(Input& in) {
  constexpr std::uint32_t kLongest = 65535;  // of a header that could be ours: see typeOf, sizeOf
  char magic[8] = {};                        // with two bytes of version
  const std::size_t got = in.read(magic, sizeof magic);
  if (got < sizeof magic || std::string_view(magic, kMagic.size()) != kMagic)
    in.failAt(0, "is not a NumPy file");
  const int version = magic[6];
  if (version < 1 || version > 3)
    in.failAt(6, fmt::format("NumPy format {}, expected 1 to 3", version));
  std::uint32_t length = 0;
  in.readExact(&length, version == 1 ? 2 : 4);
  if (in.size() > 0 && length > in.size() - in.offset())
    in.failAt(sizeof magic, fmt::format("the header needs {} bytes, the file has {}",
                                        in.offset() + length, in.size()));
  if (length > kLongest)
    in.failAt(sizeof magic,
              fmt::format("the header has {} bytes, expected at most {}", length, kLongest));
  std::string header(length, '\0');
  in.readExact(header.data(), length);
  return header;
}

/// The text after `'key':` in the header, up to and including `end`.
std::string valueOf(const Input& in, const std::string& header, const char* key, char end) {
  const std::string label = fmt::format("'{}':", key);
  const std::size_t at = header.find(label);
  if (at == std::string::npos) in.failAt(0, fmt::format("the NumPy header has no '{}'", key));
  const std::size_t begin = header.find_first_not_of(' ', at + label.size());
  if (begin == std::string::npos)
    in.failAt(0, fmt::format("the NumPy header ends after '{}'", key));
  const std::size_t stop = header.find(end, begin + 1);
  return header.substr(begin, stop == std::string::npos ? stop : stop + 1 - begin);
}

/// The dtype, as `descr` has it between quotes, for a message.
std::string quoted(const std::string& descr) {
  const bool closed = descr.size() > 1 && descr.front() == '\'' && descr.back() == '\'';
  return inQuotes(closed ? std::string_view(descr).substr(1, descr.size() - 2) : descr);
}

const Type& typeOf(const Input& in, const std::string& descr) {
  for (const Type& type : kTypes)
    if (descr.size() == 5 && descr.compare(2, 2, type.name) == 0 && std::strchr("<>=|", descr[1]))
      return type;
  in.failAt(0, fmt::format("NumPy dtype {}, expected integers, float32 or float64: save "
                           "m.astype('float32')",
                           quoted(descr)));
}

/// n of the shape `(n, n)`.
int sizeOf(const Input& in, const std::string& shape) {
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
    in.failAt(0, fmt::format("NumPy shape {}, expected (n, n)", inQuotes(shape)));
  return static_cast<int>(sides[0]);
}

StoredDistances findNpyDistances(Input& in) {
  const std::string header = readHeader(in);
  const std::string descr = valueOf(in, header, "descr", '\'');
  const int n = sizeOf(in, valueOf(in, header, "shape", ')'));
  const bool ints = descr == "'<i4'", rows = valueOf(in, header, "fortran_order", 'e') == "False";
  if (!(ints || descr == "'<f4'") || !rows)
    in.fail("distances are looked up in int32 or float32 rows, as -o writes them");
  const std::size_t bytes = in.offset() + matrixBytes(n);
  if (in.size() != bytes)
    in.fail(fmt::format("{} distances need {} bytes, the file has {}", n, bytes, in.size()));
  return {n, ints ? Dtype::kInt32 : Dtype::kFloat32, in.offset()};
}

Graph read(Input& in, const ReadOptions& options) {
  const std::string header = readHeader(in);
  const std::string descr = valueOf(in, header, "descr", '\'');
  const std::string order = valueOf(in, header, "fortran_order", 'e');
  const std::string shape = valueOf(in, header, "shape", ')');
  const Type& type = typeOf(in, descr);
  const int n = sizeOf(in, shape);
  if (order != "True" && order != "False")
    in.failAt(0, fmt::format("NumPy fortran_order {}, expected True or False", inQuotes(order)));
  // The size of a pipe is known only after all of it is in memory, which may be large.
  const bool sized = in.size() > 0;
  if (!sized) reportSize(options, n);
  const std::size_t size = in.settledSize();
  const std::size_t expected =
      in.offset() + type.bytes * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (size != expected)
    in.failAt(0, fmt::format("NumPy dtype {} and shape {} need {} bytes, the file has {}",
                             quoted(descr), inQuotes(shape), expected, size));
  if (sized) reportSize(options, n);
  return type.read(in, n, {descr[1] == '>', order == "True"}, options.dtype, options.zero);
}

// ---- Writing ---------------------------------------------------------------------------------

/// Announces the bytes of a file that holds n×n values, and writes its header. Blanks at the end of
/// the header align the values.
void writeHeader(OutputFile& out, int n, Dtype dtype) {
  constexpr std::size_t kAlignment = 64, kPrefix = 10;  // kPrefix: magic, version and length
  std::string header =
      fmt::format("{{'descr': '{1}', 'fortran_order': False, 'shape': ({0}, {0}), }}", n,
                  dtype == Dtype::kInt32 ? "<i4" : "<f4");
  const std::size_t total = (kPrefix + header.size() + kAlignment) / kAlignment * kAlignment;
  header.resize(total - kPrefix - 1, ' ');
  header += '\n';
  std::string prefix = std::string(kMagic) + '\x01' + '\0';
  prefix += static_cast<char>(header.size() % 256);
  prefix += static_cast<char>(header.size() / 256);
  out.announce(total + matrixBytes(n));
  out.write(prefix.data(), prefix.size());
  out.write(header.data(), header.size());
}

void write(OutputFile& out, const Graph& graph) {
  writeHeader(out, graph.n, graph.dtype);
  writeWeights(out, graph);
}

void writeNpyDistances(OutputFile& out, int n, const DistanceRows& rows, Dtype dtype) {
  writeHeader(out, n, dtype);
  writeValues(out, n, rows);
}

bool recognises(std::string_view begin) {
  return begin.substr(0, kMagic.size()) == kMagic;
}

}  // namespace

constexpr Format kNpy = [] {
  Format format;
  format.name = "npy";
  format.extensions = {".npy"};
  format.reals = true;
  format.zerosUnclear = true;
  format.recognises = recognises;
  format.read = read;
  format.write = write;
  format.writeDistances = writeNpyDistances;
  format.beginDistances = writeHeader;
  format.findDistances = findNpyDistances;
  format.distanceBytes = sizeof(int);
  return format;
}();
