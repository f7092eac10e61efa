#include "targets.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "base/error.h"
#include "base/graph.h"
#include "io/compression.h"
#include "io/formats/format.h"
#include "io/formats/formats.h"
#include "io/formats/recognise.h"
#include "io/input.h"
#include "io/output.h"
#include "system/number.h"
#include "tests/support/packed.h"

// AddressSanitizer's functions. Without it they are missing, and the heap is not watched.
extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(void (*onMalloc)(const volatile void*,
                                                                             std::size_t),
                                                            void (*onFree)(const volatile void*));
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

// ---- files and pipes in memory --------------------------------------------------------------

/// A file without a name in any directory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes = {}) : fd_(memfd_create("fuzz", 0)) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    require(written == static_cast<ssize_t>(bytes.size()), "no file in memory");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int fd() const { return fd_; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

/// Replaces standard input or output by another file until the end of the scope.
class Redirected {
 public:
  Redirected(int standard, int fd) : standard_(standard), saved_(::dup(standard)) {
    ::dup2(fd, standard);
  }
  ~Redirected() {
    ::dup2(saved_, standard_);
    ::close(saved_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int standard_, saved_;
};

// ---- the heap -------------------------------------------------------------------------------

std::atomic<std::ptrdiff_t> heapNow, heapPeak;

void onMalloc(const volatile void*, std::size_t bytes) {
  const std::ptrdiff_t now = heapNow += static_cast<std::ptrdiff_t>(bytes);
  std::ptrdiff_t peak = heapPeak;
  while (now > peak && !heapPeak.compare_exchange_weak(peak, now)) {
  }
}

void onFree(const volatile void* block) {
  if (block != nullptr)
    heapNow -= static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(block));
}

Matrix& unused() {
  static Matrix matrix;
  return matrix;
}

/// The hooks are installed after a first OpenMP loop, because OpenMP keeps what it allocates there.
[[maybe_unused]] const bool watched =
    (transpose(unused()), true) && __sanitizer_install_malloc_and_free_hooks != nullptr &&
    __sanitizer_install_malloc_and_free_hooks(onMalloc, onFree) != 0;

/// How many bytes the file has unpacked; none if it cannot be unpacked, or has none.
std::optional<std::size_t> unpackedBytes(const MemoryFile& file) {
  char block[1 << 12];
  try {
    Input in(file.path());
    in.unpack("");
    while (in.read(block, sizeof block) > 0) continue;
    return in.offset();
  } catch (const Error&) {
    return {};
  }
}

/// The bytes of heap that reading a file may take: a multiple of its size, unpacked. The worst case
/// are lines `2 1` of a symmetric pattern that is read as int64: 4 bytes become two edges of 16
/// bytes, in a vector that grows to twice its size beside the old one. With --labels, 3 bytes
/// become an entry of a table.
std::ptrdiff_t heapAllowed(const MemoryFile& file, std::string_view bytes, bool labels = false) {
  // Three of 64 KiB: compressed, looked at, and a text's; names and messages are short.
  constexpr std::size_t kBuffers = (1 << 18) + (1 << 12);
  const std::size_t kDeflated = 1032;  // the bytes that one byte in an archive may stand for
  const std::size_t kTimes = bytes.substr(0, 2) == "PK" ? 28 * kDeflated : labels ? 70 : 28;
  const Compression* compression = compressionOf(bytes);
  const std::size_t unpacker = compression != nullptr ? compression->mostMemory : 0;
  const std::size_t most = std::max(bytes.size(), unpackedBytes(file).value_or(0));
  return static_cast<std::ptrdiff_t>(kBuffers + unpacker + kTimes * most);
}

// ---- graphs ---------------------------------------------------------------------------------

/// Whether it is a finite weight, and not −0.0.
template <class T>
bool isValid(T weight, bool negative) {
  if (weight == 0 && std::signbit(static_cast<double>(weight))) return false;
  return weight < kInfinity<T> && (negative ? weight > -kInfinity<T> : weight >= 0);
}

/// requireContract() of a graph with weights of T.
template <class T>
void requireContractOf(const Graph& graph, bool negative) {
  require(graph.n >= 0, "n is negative");
  if (graph.dense()) {
    require(graph.matrix().n() == graph.n, "n is not the matrix's");
    for (int i = 0; i < graph.n; ++i) {
      const T* row = graph.matrix().row<T>(i);
      require(row[i] == 0, "the diagonal is not 0");
      require(std::all_of(row, row + graph.n,
                          [=](T w) { return w == kInfinity<T> || isValid(w, negative); }),
              "an entry is neither a weight nor infinity");
    }
    return;
  }
  const Edge<T>* last = nullptr;
  for (const Edge<T>& e : graph.edges<T>()) {
    require(e.from >= 0 && e.from < graph.n && e.to >= 0 && e.to < graph.n, "a vertex is no id");
    require(isValid(e.weight, negative), "a weight is none");
    require(e.from != e.to, "a self-loop is kept");
    require(!last || std::tie(last->from, last->to) < std::tie(e.from, e.to),
            "edges are not in order, each once");
    last = &e;
  }
}

/// Throws unless the graph is as graph.h and apsp.h promise. negative: weights may be.
void requireContract(const Graph& graph, bool negative) {
  withType(graph.dtype(), [&](auto zero) { requireContractOf<decltype(zero)>(graph, negative); });
}

/// All edges, of a graph of any type.
std::vector<AnyEdge> allEdges(const Graph& graph) {
  std::vector<AnyEdge> all;
  forEachEdge(graph, [&](const auto& e) { all.push_back({e.from, e.to, e.weight}); });
  return all;
}

void requireSame(const Graph& a, const Graph& b, const char* what) {
  const auto same = [](const AnyEdge& e, const AnyEdge& f) {
    return e.from == f.from && e.to == f.to && e.weight == f.weight;
  };
  const std::vector<AnyEdge> left = allEdges(a), right = allEdges(b);
  require(a.n == b.n && a.dtype() == b.dtype() &&
              std::equal(left.begin(), left.end(), right.begin(), right.end(), same),
          what);
}

using Read = std::optional<FileGraph>;

void requireSame(const Read& a, const Read& b, const char* what) {
  require(a.has_value() == b.has_value(), what);
  if (a) requireSame(*a, *b, what);
}

/// The graph in a file; none if the file is refused as it must be. Throws if the graph breaks the
/// contract, if the message is bad, or if more than `allowed` bytes of heap were taken.
Read read(const std::string& path, const ReadOptions& options, std::ptrdiff_t allowed) {
  constexpr std::size_t kLongestMessage = 300;
  const std::ptrdiff_t before = heapPeak = heapNow.load();
  Read graph;
  try {
    graph = readGraph(path, options);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (error.code != ErrorCode::kInput) throw;
    const auto control = [](unsigned char c) { return c < ' ' || c == 127; };
    require(message.size() <= kLongestMessage, "a long message: " + message);
    require(std::none_of(message.begin(), message.end(), control), "not one line: " + message);
    require(message.find(path == "-" ? "<stdin>:" : path + ":") == 0, "no path: " + message);
  }
  const std::ptrdiff_t taken = heapPeak - before;
  require(taken <= allowed, fmt::format("{} bytes of heap, {} are allowed", taken, allowed));
  if (graph) requireContract(*graph, options.negative);
  return graph;
}

/// Reads the same bytes from a pipe, whose size is not known beforehand.
Read readPipe(std::string_view bytes, const ReadOptions& options, std::ptrdiff_t allowed) {
  int ends[2];
  require(::pipe(ends) == 0, "no pipe");
  const Redirected input(STDIN_FILENO, ends[0]);
  ::close(ends[0]);
  const ssize_t written = ::write(ends[1], bytes.data(), bytes.size());
  ::close(ends[1]);
  require(written == static_cast<ssize_t>(bytes.size()), "the pipe is full");
  return read("-", options, allowed);
}

void requireRoundTrip(const Graph& graph, const std::string& format, bool negative = false) {
  const MemoryFile file;
  {
    const Redirected output(STDOUT_FILENO, file.fd());
    OutputFile out("-");
    writeGraph(out, graph, format);
  }
  ReadOptions options{format, 0, -1, graph.dtype()};
  options.negative = negative;
  requireSame(graph, readGraph(file.path(), options), "written and read back");
}

/// The same graph with the weights of another type.
Graph as(const Graph& graph, Dtype dtype) {
  Graph other = emptyGraph(graph.n, dtype);
  withType(graph.dtype(), [&](auto from) {
    withType(dtype, [&](auto to) {
      other.body = converted<decltype(to)>(toEdges<decltype(from)>(graph));
    });
  });
  return other;
}

/// Whether a type holds all weights of a graph as they are.
bool holds(Dtype dtype, const Graph& graph) {
  bool all = true;
  forEachEdge(graph, [&](const auto& e) {
    withType(dtype, [&](auto zero) {
      using T = decltype(zero);
      using From = decltype(e.weight);
      if constexpr (std::is_integral_v<T>) {
        // Of doubles, only those that are exact count as whole.
        const double size = std::abs(static_cast<double>(e.weight));
        const bool exact = std::is_integral_v<From> || size <= 0x1p53;
        all = all && exact && size < static_cast<double>(kInfinity<T>) &&
              static_cast<From>(static_cast<T>(exact ? e.weight : 0)) == e.weight;
      } else {
        all = all && static_cast<From>(static_cast<T>(e.weight)) == e.weight;
      }
    });
  });
  return all;
}

/// The graph, but if it is a matrix as edges without those that weigh kInf: with some types asked
/// for that is a weight, and with others it is none.
Graph withoutKInf(const Graph& graph) {
  if (!graph.dense()) return as(graph, graph.dtype());
  return withType(graph.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Edges<T> edges = toEdges<T>(graph);
    const auto isKInf = [](const Edge<T>& e) { return static_cast<double>(e.weight) == kInf; };
    edges.erase(std::remove_if(edges.begin(), edges.end(), isKInf), edges.end());
    return fromEdges(graph.n, std::move(edges));
  });
}

/// Throws unless --dtype f64 reads every file that auto reads, i64 and i32 every file whose weights
/// these types hold, and f32 every file whose weights are not too large, as the same graph; and
/// auto takes the narrowest type. asked: the graphs by type.
void requireTypesAgree(const Read& any, const std::array<Read, 4>& asked) {
  const auto& [ints, floats, longs, doubles] = asked;
  if (!any) return require(!ints || ints->dense(), "i32 takes what auto refuses");
  require(doubles.has_value(), "f64 refuses what auto takes");
  const Dtype dtype = any->dtype();
  const bool all =
      any->report.dropped.duplicates + any->report.dropped.selfLoops == 0;  // weights are there
  require(!ints || dtype == Dtype::kInt32, "i32 takes what is no int32");
  // A type that is asked for must hold edges that are dropped, too.
  require(!all || ints || dtype != Dtype::kInt32, "i32 refuses int32");
  require(!all || longs || !isWhole(dtype), "i64 refuses whole weights");
  require(!all || dtype == Dtype::kInt32 || countEdges(*any) == 0 || !holds(Dtype::kInt32, *any),
          "int32 would be enough");
  if (ints) requireSame(*any, *ints, "i32 reads another graph than auto");
  const auto requireSameAs = [&](const Graph& other, const char* what) {
    requireSame(as(withoutKInf(*any), other.dtype()), withoutKInf(other), what);
  };
  if (longs && isWhole(dtype)) requireSameAs(*longs, "i64 reads another graph than auto");
  requireSameAs(*doubles, "f64 is not the nearest double");
  if (floats) requireSame(as(*any, Dtype::kFloat32), *floats, "f32 is not the nearest float");
}

/// Throws unless --negative reads every graph as the same graph, but for −1 in a matrix, and what
/// it reads can be written and read back. On the diagonal −1 is a negative cycle then, and the file
/// is refused.
void requireNegativeAgrees(const MemoryFile& file, ReadOptions options, std::ptrdiff_t allowed,
                           const Read& any, const char* written) {
  options.negative = true;
  options.dtype.reset();
  const Read signedOne = read(file.path(), options, allowed);
  if (any && any->report.minusOnes == 0 && signedOne)
    requireSame(any, signedOne, "--negative reads another graph");
  if (signedOne) requireRoundTrip(*signedOne, written, true);
}

Read readEveryWay(std::string_view bytes, ReadOptions options, const char* written) {
  const MemoryFile file(bytes);
  const std::ptrdiff_t allowed = heapAllowed(file, bytes, options.labels);
  Read any = read(file.path(), options, allowed);
  requireSame(any, readPipe(bytes, options, allowed), "a pipe is read otherwise");
  std::array<Read, 4> asked;
  for (const Dtype dtype : kDtypes) {
    options.dtype = dtype;
    asked[static_cast<std::size_t>(dtype)] = read(file.path(), options, allowed);
  }
  requireTypesAgree(any, asked);
  requireNegativeAgrees(file, options, allowed, any, written);
  if (any) requireRoundTrip(*any, written);
  // Rounding may make a graph of what is none.
  const Read& real = asked[static_cast<std::size_t>(Dtype::kFloat32)];
  if (!any && real) requireRoundTrip(*real, "mtx");
  return any;
}

void requireRefused(const std::string& bytes, const ReadOptions& options, const char* what) {
  const MemoryFile file(bytes);
  require(!read(file.path(), options, heapAllowed(file, bytes)), what);
}

/// Throws unless the file, whose header states its size, is refused with a byte more or less.
void requireExactSize(std::string_view bytes, const ReadOptions& options) {
  const std::string whole(bytes);
  requireRefused(whole.substr(0, whole.size() - 1), options, "it is taken without its last byte");
  requireRefused(whole + '\0', options, "it is taken with one byte too many");
}

// ---- targets --------------------------------------------------------------------------------

/// Any format: read in every way, written, and read back. A binary file is refused with a byte more
/// or less.
Read fuzzFormat(const Format& format, std::string_view bytes) {
  const char* const written = format.write != nullptr ? format.name : "mtx";
  Read graph = readEveryWay(bytes, {format.name}, written);
  if (graph && !format.text) requireExactSize(bytes, {format.name});
  return graph;
}

/// bin is the one of its two layouts that fits.
void fuzzBin(std::string_view bytes) {
  const Read either = fuzzFormat(kBin, bytes);
  const Read edges = fuzzFormat(kBinEdges, bytes), dense = fuzzFormat(kBinDense, bytes);
  constexpr std::size_t kBoth = 44;  // n = 3 as three edges, which it then is, or as nine weights
  requireSame(either, edges || bytes.size() == kBoth ? edges : dense, "bin is neither layout");
}

void requireNames(const FileGraph& graph) {
  const std::string& names = graph.report.names;
  const auto lines = std::count(names.begin(), names.end(), '\n');
  require(lines == graph.n, "as many names as vertices");
}

/// A table of edges: with --columns and --decimal comma, and the first reading or a refusal if it
/// may be a matrix, too.
void fuzzTable(const Format& format, std::string_view bytes) {
  const Read table = fuzzFormat(format, bytes);
  const Read list = readEveryWay(bytes, {"el"}, "mtx");
  if (table && list) requireSame(table, list, "a table has other edges than a list");
  ReadOptions options{format.name};
  options.decimalComma = true;
  readEveryWay(bytes, options, "mtx");
  options.labels = true;
  for (const char* columns : {"1,2", "3,1,2", "from,to,weight"}) {
    options.columns = columns;
    if (const Read picked = readEveryWay(bytes, options, "mtx")) requireNames(*picked);
  }
}

/// Graphs whose edges have attributes: also with the weight in another one, and without weights.
void fuzzAttributes(const Format& format, std::string_view bytes) {
  fuzzFormat(format, bytes);
  ReadOptions options{format.name};
  options.weight = "length";
  readEveryWay(bytes, options, "mtx");
  options.weight = "";
  options.unweighted = true;
  const Read ones = readEveryWay(bytes, options, "mtx");
  if (!ones) return;
  forEachEdge(*ones, [](const auto& e) { require(e.weight == 1, "--unweighted keeps a weight"); });
}

/// A graph of n vertices with the edges that `map` makes of those of a list.
template <class Map>
Graph mapped(const Graph& graph, int n, Map map) {
  return withEdges(graph, [&](auto edges) {
    for (auto& e : edges) e = map(e);
    return fromEdges(n, std::move(edges));
  });
}

/// With the ids that --compact tells, the edges are those of the file. A comment `# Nodes: N` does
/// not count with --compact.
void fuzzNumbering(std::string_view bytes, const Read& whole) {
  ReadOptions options{"el"};
  options.labels = true;
  if (const Read labelled = readEveryWay(bytes, options, "mtx")) requireNames(*labelled);
  options.labels = false;
  options.compact = true;
  const Read compact = readEveryWay(bytes, options, "mtx");
  require(compact || !whole, "--compact refuses it");
  if (!compact) return;
  requireNames(*compact);
  if (!whole) return;
  std::vector<int> ids;
  std::istringstream names(compact->report.names);
  for (int id; names >> id;) ids.push_back(id);
  require(std::is_sorted(ids.begin(), ids.end()), "ids are not in order");
  const auto renamed = [&](const auto& e) {
    return std::decay_t<decltype(e)>{ids.at(e.from), ids.at(e.to), e.weight};
  };
  requireSame(*whole, mapped(*compact, whole->n, renamed), "--compact has other edges");
}

/// Without a header, ids from 1 are the ids from 0 plus one. A header or a comment with n does not
/// count with --skip-lines and --vertices. The largest int is an id from 1, but not from 0.
void fuzzEdgeList(std::string_view bytes) {
  fuzzAttributes(kEdgeList, bytes);
  fuzzNumbering(bytes, fuzzFormat(kEdgeList, bytes));
  ReadOptions options{"el", 1};
  options.skipLines = 0;
  const Read fromOne = readEveryWay(bytes, options, "mtx");
  if (!fromOne || fromOne->n == INT_MAX) return;
  options.base = 0;
  options.vertices = fromOne->n + 1;
  const Read fromZero = readEveryWay(bytes, options, "mtx");
  require(fromZero.has_value(), "ids from 1 are none from 0");
  const auto shifted = [](const auto& e) {
    return std::decay_t<decltype(e)>{e.from + 1, e.to + 1, e.weight};
  };
  requireSame(*fromZero, mapped(*fromOne, fromZero->n, shifted), "base 1 is not base 0");
}

/// The bytes as they are, and packed in two members, because the fuzzer would not find a checksum.
/// pack: null without the library.
void fuzzPacked(std::string_view bytes, std::string (*pack)(std::string_view)) {
  const Read plain = readEveryWay(bytes, {"el"}, "mtx");
  if (pack == nullptr) return;
  const std::size_t half = bytes.size() / 2;
  const std::string members = pack(bytes.substr(0, half)) + pack(bytes.substr(half));
  const Read packed = readEveryWay(members, {"el"}, "mtx");
  const bool twice = compressionOf(bytes) != nullptr;  // gzip in gzip is no text
  if (!twice) requireSame(plain, packed, "compressed it is another graph");
  if (packed) requireExactSize(members, {"el"});
}

/// Without --format the graph is that of the format that is recognised, and every message about
/// what is unpacked names --format.
void fuzzRecognised(std::string_view bytes) {
  const Read graph = readEveryWay(bytes, {}, "mtx");
  const MemoryFile file(bytes);
  if (!unpackedBytes(file)) return require(!graph, "it cannot be unpacked, and is a graph");
  try {
    readGraph(file.path());
  } catch (const Error& error) {
    const std::string message = error.what();
    return require(message.find("--format") != message.npos, "it names no --format: " + message);
  }
  Input in(file.path());
  in.unpack("");
  const Format& format = recogniseFormat(in, -1);
  requireSame(graph, read(file.path(), {format.name}, heapAllowed(file, bytes)), format.name);
}

/// Whether the text is a whole number in decimal digits, without leading zeros or a plus sign.
bool plainNumber(std::string_view text) {
  const bool minus = !text.empty() && text[0] == '-';
  const std::string_view digits = text.substr(minus);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
         (digits[0] != '0' || text == "0");
}

/// Compares two numbers by their text, because arithmetic could overflow.
bool atMost(const std::string& a, const std::string& b) {
  const bool negative = a[0] == '-';
  if (negative != (b[0] == '-')) return negative;
  const bool below = a.size() == b.size() ? a <= b : a.size() < b.size();
  return negative ? a == b || !below : below;
}

template <class T>
void requireNumber(std::string_view text, T low, T high) {
  const std::string own(text);
  const bool is =
      plainNumber(own) && atMost(std::to_string(low), own) && atMost(own, std::to_string(high));
  const std::optional<T> number = wholeNumber(text, low, high);
  require(number.has_value() == is, "taken or refused wrongly: " + own);
  require(!number || std::to_string(*number) == own, "another number than " + own);
}

void fuzzNumber(std::string_view text) {
  for (const auto& [low, high] :
       {std::pair{0, 1}, {0, INT_MAX}, {1, kInf - 1}, {1, 4096}, {INT_MIN, INT_MAX}})
    requireNumber(text, low, high);
  requireNumber<std::uint64_t>(text, 0, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

const std::vector<Target>& fuzzTargets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> all = {{"recognise", fuzzRecognised}, {"number", fuzzNumber}};
    for (const Compression& compression : kCompressions) {
      const char* const extension = compression.extension;
      const auto pack = packerFor(extension);
      const auto run = [=](std::string_view bytes) { fuzzPacked(bytes, pack); };
      all.push_back({extension + 1, run, {extension}});
    }
    for (const Format* format : formatTable()) {
      if (format->read == nullptr || format == &kBinEdges || format == &kBinDense) continue;
      Target target{format->name, [=](std::string_view bytes) { fuzzFormat(*format, bytes); }};
      if (format == &kBin) target.run = fuzzBin;
      if (format == &kEdgeList) target.run = fuzzEdgeList;
      if (format == &kCsv || format == &kTsv)
        target.run = [=](std::string_view bytes) { fuzzTable(*format, bytes); };
      if (std::string_view(format->name) == "graphml" || format == &kNodeLink)
        target.run = [=](std::string_view bytes) { fuzzAttributes(*format, bytes); };
      for (const auto& extensions : {format->extensions, format->onlyRead})
        for (const char* extension : extensions)
          if (extension != nullptr) target.extensions.push_back(extension);
      all.push_back(std::move(target));
    }
    return all;
  }();
  return targets;
}
