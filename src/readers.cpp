// Readers of graph files. An Input is the open file; binary readers check its size against the
// header before they allocate, text readers take it line by line through a Text, which also
// unpacks gzip. Both name the place of a fault.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apsp.h"
#include "error.h"
#include "formats_internal.h"

static_assert(sizeof(Edge) == 3 * sizeof(int), "binary edge lists are read straight into edges");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "binary files are little-endian");

/// The bytes of a file, or of standard input for `-`.
class Input {
 public:
  explicit Input(const std::string& path) : name_(path == "-" ? "<stdin>" : path) {
    const bool standard = path == "-";
    struct stat status {};
    // stat before open: opening a FIFO blocks.
    if ((standard ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0)
      failErrno();
    if (S_ISDIR(status.st_mode)) fail("is a directory");
    if (S_ISREG(status.st_mode)) {
      const off_t start = standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
      size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size - start));
      if (size_ == 0) fail("is empty");
    } else if (!standard) {
      fail("is not a regular file: feed it to standard input and read -");
    }
    fd_ = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) failErrno();
  }
  ~Input() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Bytes in all, as the file system tells; 0 for a pipe.
  std::size_t size() const { return size_; }
  std::size_t offset() const { return offset_; }

  /// As size(), but a pipe is taken into memory to learn it.
  std::size_t settledSize() {
    constexpr std::size_t kFirst = 1 << 16;
    for (std::size_t capacity = kFirst; size_ == 0; capacity *= 2) {
      requireHostBytes(capacity, "holding standard input");
      const std::size_t had = held_.size();
      held_.resize(capacity);
      const std::size_t got = readSystem(held_.data() + had, capacity - had);
      if (got < capacity - had) size_ = had + got;
      if (had + got == 0) fail("is empty");
    }
    return size_;
  }

  /// Up to `bytes` bytes; fewer only at the end.
  std::size_t read(void* data, std::size_t bytes) {
    std::size_t got = 0;
    if (held_.empty()) {
      got = readSystem(static_cast<char*>(data), bytes);
    } else {
      got = std::min(bytes, size_ - offset_);
      std::copy_n(held_.data() + offset_, got, static_cast<char*>(data));
    }
    offset_ += got;
    return got;
  }

  /// Exactly `bytes` bytes, which the size has promised.
  void readExact(void* data, std::size_t bytes) {
    const std::size_t at = offset_, got = read(data, bytes);
    if (got < bytes)
      failAt(at + got, fmt::format("the file ends, {} more bytes expected", bytes - got));
  }

  const std::string& name() const { return name_; }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(Exit::kInput, name_ + ": " + message);
  }
  [[noreturn]] void failAt(std::size_t byte, const std::string& message) const {
    fail(fmt::format("byte {}: {}", byte, message));
  }

 private:
  [[noreturn]] void failErrno() const {
    fail(std::string("cannot be read: ") + std::strerror(errno));
  }

  std::size_t readSystem(char* data, std::size_t bytes) {
    std::size_t got = 0;
    while (got < bytes) {
      const ssize_t now = ::read(fd_, data + got, bytes - got);
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) failErrno();
      if (now == 0) break;
      got += static_cast<std::size_t>(now);
    }
    return got;
  }

  std::string name_;
  int fd_ = -1;
  std::size_t size_ = 0, offset_ = 0;
  std::vector<char> held_;  // all of a pipe, where its size was asked for
};

namespace {

template <class Words>
std::string joined(const Words& words, const char* between) {
  std::string text;
  for (const auto& word : words) (text += text.empty() ? "" : between) += word;
  return text;
}

// ---- Weights -------------------------------------------------------------------------------

constexpr int kBad = -1;

/// An entry of a dense matrix as a weight or kInf; kBad where it is neither. T: int, int64, double.
template <class T>
int denseWeight(T entry) {
  if constexpr (std::is_floating_point_v<T>) {
    if (entry == std::numeric_limits<T>::infinity()) return kInf;
    if (!(entry >= -1 && entry <= kInf)) return kBad;  // NaN too
    if (static_cast<T>(static_cast<int>(entry)) != entry) return kBad;
  }
  const int none = entry == -1 || entry == kInf ? kInf : kBad;
  return entry >= 0 && entry < kInf ? static_cast<int>(entry) : none;
}

std::string badWeight(std::int64_t from, std::int64_t to, const std::string& found) {
  return fmt::format("edge {}->{}: expected a whole weight in 0..{}, found {}", from, to, kInf - 1,
                     found);
}

/// The matrix as a graph: the diagonal becomes 0, entries on it other than 0 and kInf are
/// self-loops.
Graph fromMatrix(Matrix matrix) {
  Graph graph;
  graph.n = matrix.n();
  for (int i = 0; i < graph.n; ++i) {
    int& entry = matrix.row(i)[i];
    graph.selfLoops += entry != 0 && entry != kInf;
    entry = 0;
  }
  graph.body = std::move(matrix);
  return graph;
}

/// In place, tile by tile.
void transpose(Matrix& matrix) {
  constexpr int kTile = 32;
  const int n = matrix.n();
#pragma omp parallel for schedule(dynamic)
  for (int top = 0; top < n; top += kTile)
    for (int left = 0; left <= top; left += kTile)
      for (int i = top; i < std::min(top + kTile, n); ++i)
        for (int j = left; j < std::min(left + kTile, i); ++j)
          std::swap(matrix.row(i)[j], matrix.row(j)[i]);
}

// ---- Text ----------------------------------------------------------------------------------

/// Unpacks gzip, one member after the other.
class Unpacker {
 public:
  /// packed: what has been read of `in` so far.
  Unpacker(Input& in, std::vector<char> packed, std::size_t bytes)
      : in_(in), packed_(std::move(packed)) {
    constexpr int kGzipWindow = 15 + 16;
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK)
      throw Error(Exit::kMemory, "zlib needs more memory");
    offer(bytes);
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Fills `room` bytes, or fewer at the end of the last member.
  std::size_t read(char* out, std::size_t room) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) offer(in_.read(packed_.data(), packed_.size()));
      if (stream_.avail_in == 0 && inMember_)
        in_.failAt(in_.offset(), "the gzip data is truncated");
      if (stream_.avail_in == 0) break;
      if (!inMember_) inflateReset(&stream_);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      inMember_ = result != Z_STREAM_END;
      if (inMember_ && result != Z_OK && result != Z_BUF_ERROR)
        in_.failAt(in_.offset() - stream_.avail_in, "the gzip data is corrupt");
    }
    return room - stream_.avail_out;
  }

 private:
  void offer(std::size_t bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(bytes);
  }

  Input& in_;
  std::vector<char> packed_;
  z_stream stream_{};
  bool inMember_ = true;
};

/// The lines of a text file, plain or gzipped, and the blank-separated fields of the current one.
class Text {
 public:
  explicit Text(Input& in) : in_(in), buffer_(kBufferBytes) {
    constexpr std::string_view kGzip = "\x1f\x8b", kByteOrderMark = "\xef\xbb\xbf";
    end_ = in_.read(buffer_.data(), buffer_.size());
    if (startsWith(kGzip)) {
      unpacker_.emplace(in_, buffer_, end_);
      end_ = unpacker_->read(buffer_.data(), buffer_.size());
    } else if (endsWith(in_.name(), ".gz")) {
      in_.failAt(0, "is not gzip data, though named .gz");
    }
    if (end_ == 0) in_.fail("is empty");
    if (startsWith(kByteOrderMark)) begin_ = kByteOrderMark.size();
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  /// Goes to the next line that is not blank; false at the end.
  bool next() {
    while (nextLine())
      if (!atEnd()) return true;
    return false;
  }

  /// The first character of the line that next() went to.
  char first() const { return *at_; }

  bool atEnd() {
    while (at_ != lineEnd_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    return at_ == lineEnd_;
  }

  /// The next field, empty at the end of the line.
  std::string_view word() {
    field_ = atEnd() ? lineEnd_ : at_;
    while (at_ != lineEnd_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return {field_, static_cast<std::size_t>(at_ - field_)};
  }

  /// The next field as a whole number ≥ 0; −1 where it is not one or has over 18 digits.
  std::int64_t number() {
    constexpr int kMostDigits = 18;
    field_ = atEnd() ? lineEnd_ : at_;
    std::int64_t value = 0;
    while (at_ != lineEnd_ && *at_ >= '0' && *at_ <= '9') {
      if (at_ - field_ == kMostDigits) return -1;
      value = value * 10 + (*at_++ - '0');
    }
    const bool whole = at_ != field_ && (at_ == lineEnd_ || *at_ == ' ' || *at_ == '\t');
    return whole ? value : -1;
  }

  /// A number in 0..INT_MAX of a header.
  int count(const char* what) {
    const std::int64_t value = number();
    if (value < 0 || value > INT_MAX)
      fail(fmt::format("expected {} in 0..{}, found {}", what, INT_MAX, found()));
    return static_cast<int>(value);
  }

  /// A vertex id in first..last, as 0-based vertex.
  int vertex(int first, std::int64_t last) {
    const std::int64_t id = number();
    if (id < first || id > last) failVertex(id, first, last);
    return static_cast<int>(id - first);
  }

  /// The weight of the edge between 0-based vertices, for a message in ids from `first`.
  int weight(int from, int to, int first) {
    const std::int64_t value = number();
    if (value < 0 || value >= kInf) failWeight(from, to, first);
    return static_cast<int>(value);
  }

  /// A signed number, whole or real, as an entry of a dense matrix; kBad where it is none.
  int entry(bool real) {
    std::string_view text = word();
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);  // as in +Inf
    return real ? parsed<double>(text) : parsed<std::int64_t>(text);
  }

  void endOfLine() {
    if (!word().empty()) fail("expected the end of the line, found " + found());
  }

  /// The field last asked for, for a message: short and printable.
  std::string found() {
    constexpr std::size_t kLongest = 40;
    at_ = field_;
    std::string text(word());
    if (text.empty()) return "the end of the line";
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    for (char& c : text)
      if (c < ' ' || c > '~') c = '?';
    return "'" + text + "'";
  }

  [[noreturn]] void failWeight(int from, int to, int first) {
    fail(badWeight(std::int64_t{from} + first, std::int64_t{to} + first, found()));
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(Exit::kInput, fmt::format("{}:{}: {}", in_.name(), line_, message));
  }

  /// An upper bound on the unpacked bytes; deflate packs at most 1032 to 1.
  std::size_t mostBytes() const {
    constexpr std::size_t kMostPacked = 1032;
    if (in_.size() == 0) return std::numeric_limits<std::size_t>::max();
    return unpacker_ ? in_.size() * kMostPacked : in_.size();
  }
  std::size_t fileBytes() const { return in_.size(); }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

  [[noreturn]] void failVertex(std::int64_t id, int first, std::int64_t last) {
    if (id < 0) fail(fmt::format("expected a vertex in {}..{}, found {}", first, last, found()));
    fail(fmt::format("vertex {} is outside {}..{}", id, first, last));
  }

  template <class T>
  static int parsed(std::string_view text) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? denseWeight(value) : kBad;
  }

  /// The bytes in the buffer from `at` on.
  std::string_view bytesFrom(std::size_t at) const { return {buffer_.data() + at, end_ - at}; }
  bool startsWith(std::string_view mark) const {
    return bytesFrom(0).substr(0, mark.size()) == mark;
  }

  bool nextLine() {
    ++line_;
    for (std::size_t scanned = 0;;) {
      const std::size_t length = bytesFrom(begin_ + scanned).find('\n');
      if (length != std::string_view::npos) return setLine(scanned + length, 1);
      scanned = end_ - begin_;
      if (refill()) continue;
      if (scanned > 0) return setLine(scanned, 0);
      --line_;
      return false;
    }
  }

  /// Makes the next `length` bytes, less a carriage return, the current line.
  bool setLine(std::size_t length, std::size_t lineBreak) {
    at_ = field_ = buffer_.data() + begin_;
    lineEnd_ = at_ + length;
    begin_ += length + lineBreak;
    if (length > 0 && lineEnd_[-1] == '\r') --lineEnd_;
    return true;
  }

  /// Moves the unfinished line to the front and fills the rest of the buffer; false at the end.
  bool refill() {
    std::copy(buffer_.begin() + begin_, buffer_.begin() + end_, buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size())
      fail(fmt::format("the line is longer than {} bytes", buffer_.size()));
    char* const room = buffer_.data() + end_;
    const std::size_t bytes = buffer_.size() - end_;
    const std::size_t got = unpacker_ ? unpacker_->read(room, bytes) : in_.read(room, bytes);
    end_ += got;
    return got > 0;
  }

  Input& in_;
  std::optional<Unpacker> unpacker_;  // where the file is gzipped
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of buffer_
  const char *at_ = nullptr, *field_ = nullptr, *lineEnd_ = nullptr;
  std::size_t line_ = 0;
};

void reserve(std::vector<Edge>& edges, std::size_t count) {
  requireHostBytes(count * sizeof(Edge), "the edge list");
  edges.reserve(count);
}

void add(std::vector<Edge>& edges, const Edge& edge) {
  constexpr std::size_t kFirst = 1024;
  if (edges.size() == edges.capacity()) reserve(edges, std::max(kFirst, 2 * edges.size()));
  edges.push_back(edge);
}

/// Room for the edges that a header announces, but no more than the file has bytes for.
void reserveAnnounced(std::vector<Edge>& edges, std::size_t announced, const Text& text) {
  constexpr std::size_t kShortestLine = 8;  // "a 1 2 3\n"
  reserve(edges, std::min(announced, text.fileBytes() / kShortestLine));
}

void checkCount(const Text& text, std::size_t found, std::size_t announced, const char* what) {
  if (found != announced)
    text.fail(
        fmt::format("the file ends after {} {}, its header announces {}", found, what, announced));
}

// ---- Matrix Market -------------------------------------------------------------------------

struct MtxKind {
  bool array, real, pattern, symmetric;
};

/// The next word of the banner, in lower case; an index into `choices`.
std::size_t bannerWord(Text& text, std::initializer_list<std::string_view> choices) {
  std::string word(text.word());
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto choice = std::find(choices.begin(), choices.end(), word);
  if (choice != choices.end()) return static_cast<std::size_t>(choice - choices.begin());
  text.fail(fmt::format("Matrix Market banner: expected {}, found {}", joined(choices, " or "),
                        text.found()));
}

MtxKind mtxBanner(Text& text) {
  text.next();
  bannerWord(text, {"%%matrixmarket"});
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

Graph mtxCoordinates(Text& text, const MtxKind& kind, int n) {
  const std::int64_t entries = text.number();
  if (entries < 0) text.fail("expected a number of entries, found " + text.found());
  text.endOfLine();
  std::vector<Edge> edges;
  reserveAnnounced(edges, static_cast<std::size_t>(entries), text);
  std::int64_t found = 0;
  for (; text.next(); ++found) {
    if (found == entries) text.fail(fmt::format("more than the {} entries of the header", entries));
    Edge e{};
    e.from = text.vertex(1, n);
    e.to = text.vertex(1, n);
    e.weight = kind.pattern ? 1 : kind.real ? text.entry(true) : text.weight(e.from, e.to, 1);
    if (e.weight == kBad || e.weight == kInf) text.failWeight(e.from, e.to, 1);
    text.endOfLine();
    add(edges, e);
    if (kind.symmetric && e.from != e.to) add(edges, {e.to, e.from, e.weight});
  }
  checkCount(text, found, entries, "entries");
  return fromEdges(n, std::move(edges));
}

/// Column after column; of a symmetric matrix the part on and below the diagonal.
Graph mtxArray(Text& text, const MtxKind& kind, int n) {
  text.endOfLine();
  const std::size_t size = static_cast<std::size_t>(n);
  const std::size_t entries = kind.symmetric ? size * (size + 1) / 2 : size * size;
  constexpr std::size_t kShortestLine = 2;  // "0\n"
  if (entries > text.mostBytes() / kShortestLine + 1)
    text.fail(fmt::format("the header announces {} entries, more than the file can hold", entries));

  Matrix columns(n);
  std::size_t found = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = kind.symmetric ? j : 0; i < n; ++i, ++found) {
      if (!text.next()) checkCount(text, found, entries, "entries");
      const int entry = text.entry(kind.real);
      if (entry == kBad) text.failWeight(i, j, 1);
      text.endOfLine();
      columns.row(j)[i] = entry;
      if (kind.symmetric) columns.row(i)[j] = entry;
    }
  }
  if (text.next()) text.fail(fmt::format("more than the {} entries of the header", entries));
  transpose(columns);
  return fromMatrix(std::move(columns));
}

// ---- Binary --------------------------------------------------------------------------------

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

/// n² stored values, whose number the size has promised. One row at a time: it stays in the cache
/// between the system call and its check.
template <class Stored>
Graph readValues(Input& in, int n, Order order) {
  Matrix matrix(n);
  std::vector<Stored> stored(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const std::size_t start = in.offset();
    in.readExact(stored.data(), stored.size() * sizeof(Stored));
    if (order.bigEndian)
      for (Stored& value : stored) swapBytes(value);
    int* row = matrix.row(i);
    int signs = 0;
#pragma omp simd reduction(| : signs)
    for (int j = 0; j < n; ++j) {
      row[j] = denseWeight(widened(stored[j]));
      signs |= row[j];
    }
    if (signs >= 0) continue;  // no kBad among them
    const int j = static_cast<int>(std::find(row, row + n, kBad) - row);
    const std::string found = fmt::format("{}", widened(stored[j]));
    in.failAt(start + j * sizeof(Stored),
              order.fortran ? badWeight(j, i, found) : badWeight(i, j, found));
  }
  if (order.fortran) transpose(matrix);
  return fromMatrix(std::move(matrix));
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
  if (dense && n == count && size == denseSize) return readValues<int>(in, header[0], {});

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
  Graph (*read)(Input&, int, Order);
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
  in.failAt(0, fmt::format("NumPy dtype {}, expected integers or float32 or float64", descr));
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
    in.failAt(0, fmt::format("NumPy shape {}, expected (n, n)", shape));
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

Graph readNpy(Input& in, const ReadOptions&) {
  const std::string header = npyHeader(in);
  const std::string descr = npyValue(in, header, "descr", '\'');
  const std::string order = npyValue(in, header, "fortran_order", 'e');
  const std::string shape = npyValue(in, header, "shape", ')');
  const NpyType& type = npyType(in, descr);
  const int n = npySize(in, shape);
  if (order != "True" && order != "False")
    in.failAt(0, fmt::format("NumPy fortran_order {}, expected True or False", order));
  const std::size_t expected =
      in.offset() + type.bytes * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (in.size() != expected)
    in.failAt(0, fmt::format("NumPy dtype {} and shape {} need {} bytes, the file has {}", descr,
                             shape, expected, in.size()));
  return type.read(in, n, {descr[1] == '>', order == "True"});
}

Graph readGr(Input& in, const ReadOptions&) {
  Text text(in);
  std::vector<Edge> edges;
  int n = -1;
  std::int64_t arcs = 0;
  while (text.next()) {
    const std::string_view kind = text.word();
    if (kind[0] == 'c') continue;
    if (kind == "p" && n < 0) {
      if (text.word() != "sp") text.fail("expected 'p sp n m', found " + text.found());
      n = text.count("a vertex count");
      arcs = text.number();
      if (arcs < 0) text.fail("expected an arc count, found " + text.found());
      reserveAnnounced(edges, static_cast<std::size_t>(arcs), text);
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

Graph readMtx(Input& in, const ReadOptions&) {
  Text text(in);
  const MtxKind kind = mtxBanner(text);
  const int n = mtxSize(text);
  return kind.array ? mtxArray(text, kind, n) : mtxCoordinates(text, kind, n);
}

Graph readEl(Input& in, const ReadOptions& options) {
  Text text(in);
  const int first = options.base;
  const int mostVertices = options.vertices < 0 ? INT_MAX : options.vertices;
  const std::int64_t last = std::int64_t{mostVertices} - 1 + first;
  std::vector<Edge> edges;
  int n = std::max(0, options.vertices);
  while (text.next()) {
    if (text.first() == '#' || text.first() == '%') continue;
    Edge e{};
    e.from = text.vertex(first, last);
    e.to = text.vertex(first, last);
    e.weight = text.atEnd() ? 1 : text.weight(e.from, e.to, first);
    text.endOfLine();
    add(edges, e);
    n = std::max({n, e.from + 1, e.to + 1});
  }
  return fromEdges(n, std::move(edges));
}

const Format& findFormat(const std::string& path, const std::string& name) {
  const bool packed = endsWith(path, ".gz");
  const std::string unpacked = packed ? path.substr(0, path.size() - 3) : path;
  for (const Format& format : kFormats) {
    if (name == format.name) return format;
    if (!name.empty() || (packed && !format.text)) continue;
    for (const char* extension : format.extensions)
      if (extension && endsWith(unpacked, extension)) return format;
  }
  if (path == "-" && name.empty())
    throw Error(Exit::kUsage, "standard input has no extension: name its format, one of " +
                                  joined(formatNames(), " "));
  const std::string what =
      name.empty() ? "unknown extension, name a format" : "unknown format '" + name + "'";
  throw Error(Exit::kUsage,
              fmt::format("{}: {}: one of {}", path, what, joined(formatNames(), " ")));
}

Graph readGraph(const std::string& path, const ReadOptions& options) {
  const Format& format = findFormat(path, options.format);
  Input in(path);
  return format.read(in, options);
}

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}
