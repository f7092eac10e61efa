// Which files can be read by rows: .npy in C order and dense .bin, uncompressed, with little-endian
// elements of one of the four types. Row i then begins at a byte that is known, and is read by
// itself. All others are read by readGraph(), from front to back. So is a file with options that
// look at more than one row: the reverse of an edge is in another row, for example.
//
// The type of the weights depends on all of them, if none is asked for. So each row is counted as
// each of the types that they may become, and who has counted all rows knows which types hold them.
#include "io/formats/matrix_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/size.h"
#include "io/formats/matrices.h"
#include "system/utf8.h"

static_assert(std::is_trivially_copyable_v<MatrixLayout>, "ranks send it as bytes");
static_assert(std::is_trivially_copyable_v<MatrixCount>, "ranks send it as bytes");

namespace {

FileMark markOf(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::int64_t>(status.st_mtim.tv_sec),
          static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
}

}  // namespace

bool FileMark::operator==(const FileMark& other) const {
  return size == other.size && inode == other.inode && seconds == other.seconds &&
         nanoseconds == other.nanoseconds;
}

MatrixCount& MatrixCount::operator+=(const MatrixCount& other) {
  for (std::size_t type = 0; type < std::size(stats); ++type) {
    holds[type] = holds[type] && other.holds[type];
    stats[type] += other.stats[type];
  }
  marks.isShort |= other.marks.isShort;
  marks.isLong |= other.marks.isLong;
  zeros += other.zeros;
  selfLoops += other.selfLoops;
  minusOnes += other.minusOnes;
  return *this;
}

std::optional<MatrixLayout> findMatrix(const std::string& path, const ReadOptions& options) {
  const auto known = [](const std::string& option) {
    return option == "--zero" || option == "--dtype";
  };
  struct stat status {};
  if (options.negative || options.undirected || options.hops || !options.format.empty() ||
      !std::all_of(options.given.begin(), options.given.end(), known) || path == "-" ||
      ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  try {
    Input in(path);
    std::optional<MatrixLayout> found;
    for (const Format* format : formatTable())
      if (format->findMatrix != nullptr && endsWith(path, format->extensions[0]))
        found = format->findMatrix(in, options);
    if (found) found->mark = markOf(status);
    return found;
  } catch (const Error&) {  // readGraph() will say it
    return std::nullopt;
  }
}

MatrixFile::MatrixFile(const std::string& path, const MatrixLayout& matrix)
    : path_(path), matrix_(matrix) {
  struct stat status {};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (::fstat(fd, &status) == 0 && markOf(status) == matrix.mark)
    fd_ = fd;
  else
    ::close(fd);
}

MatrixFile::~MatrixFile() {
  if (fd_ >= 0) ::close(fd_);
}

void MatrixFile::fail(const std::string& message) const {
  throw Error(ErrorCode::kInput, path_ + ": " + message);
}

void MatrixFile::requireUnchanged() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !(markOf(status) == matrix_.mark))
    fail("the file was changed while it was read: start again");
}

/// Reads elements of a row, from a column on.
template <class Stored>
void MatrixFile::readRow(int row, int column, std::vector<Stored>& elements) const {
  const auto n = static_cast<std::uint64_t>(matrix_.n);
  std::uint64_t at =
      matrix_.from +
      (static_cast<std::uint64_t>(row) * n + static_cast<std::uint64_t>(column)) * sizeof(Stored);
  char* to = reinterpret_cast<char*>(elements.data());
  for (std::size_t left = elements.size() * sizeof(Stored); left > 0;) {
    const ssize_t got = ::pread(fd_, to, left, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) fail(fmt::format("byte {}: the file ends, {} more expected", at, left));
    to += got;
    at += static_cast<std::uint64_t>(got);
    left -= asSize(got);
  }
}

/// Throws: an element of a row, from a column on, is no weight of the type.
template <class Stored>
void MatrixFile::failAtRow(int row, int column, const std::vector<Stored>& elements,
                           Dtype dtype) const {
  const EntryRule rule = ruleOf<Stored>(matrix_.dtype, false);
  const auto [bad, message] = badEntry(elements, dtype, rule, matrix_.dtype, row, column);
  const auto n = static_cast<std::uint64_t>(matrix_.n);
  const std::uint64_t at =
      static_cast<std::uint64_t>(row) * n + static_cast<std::uint64_t>(column) + bad;
  fail(fmt::format("byte {}: {}", matrix_.from + at * sizeof(Stored), message));
}

template <class Stored>
MatrixCount MatrixFile::countRows(int first, int rows) const {
  const int n = matrix_.n;
  const EntryRule rule = ruleOf<Stored>(matrix_.dtype, false);
  std::vector<Stored> elements(asSize(n));
  ElementBuffer buffer;
  MatrixCount all;
  all.zeros = Zeros(matrix_.zero);
  std::vector<Dtype> types = {matrix_.dtype.value_or(Dtype::kInt32)};
  while (const auto next = nextType(types.back(), kindOf<Stored>())) {
    if (matrix_.dtype) break;
    types.push_back(*next);
  }
  for (const Dtype type : types) all.holds[static_cast<int>(type)] = true;
  for (int i = first; i < first + rows; ++i) {
    readRow(i, 0, elements);
    settleDiagonal(elements[asSize(i)], rule);
    bool taken = false;  // by the zeros, which are the same in each type
    for (const Dtype type : types) {
      bool& holds = all.holds[static_cast<int>(type)];
      if (!holds) continue;
      buffer.resize(type, asSize(n));
      withElements(buffer.data(), [&](auto* weights) {
        using T = NumberAt<decltype(weights)>;
        holds = convertRow(elements, weights, rule);
        if (!holds) return;
        Zeros again(matrix_.zero);
        (taken ? again : all.zeros).take(i, n, weights);
        const T loop = std::exchange(weights[asSize(i)], T(0));
        if (!taken) all.selfLoops += loop != 0 && loop != kInfinity<T>;
        taken = true;
        all.stats[static_cast<int>(type)] += graphStats(weights, i, 1, 0, n);
      });
    }
    if (!taken) failAtRow(i, 0, elements, types.back());
    if (!matrix_.dtype) all.marks.take(elements);
    all.minusOnes += countMinusOnes(elements, i);
  }
  return all;
}

MatrixCount MatrixFile::count(int first, int rows) const {
  const MatrixCount found =
      withType(matrix_.element, [&](auto zero) { return countRows<decltype(zero)>(first, rows); });
  requireUnchanged();
  return found;
}

template <class Stored, class T>
void MatrixFile::readRows(int first, int rows, int column, int columns, T* weights) const {
  const EntryRule rule = ruleOf<Stored>(matrix_.dtype, false);
  std::vector<Stored> elements(asSize(columns));
  for (int i = first; i < first + rows; ++i, weights += columns) {
    readRow(i, column, elements);
    if (i >= column && i < column + columns) settleDiagonal(elements[asSize(i - column)], rule);
    if (!convertRow(elements, weights, rule)) failAtRow(i, column, elements, kDtype<T>);
    if (matrix_.zero == Zero::kNoEdge) std::replace(weights, weights + columns, T(0), kInfinity<T>);
    if (i >= column && i < column + columns) weights[i - column] = 0;
  }
}

void MatrixFile::read(int first, int rows, int column, int columns, Elements weights) const {
  withType(matrix_.element, [&](auto zero) {
    withElements(weights,
                 [&](auto* to) { readRows<decltype(zero)>(first, rows, column, columns, to); });
  });
  requireUnchanged();
}
