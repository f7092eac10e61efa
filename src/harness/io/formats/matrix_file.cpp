// Which files can be read by rows: .npy in C order and dense .bin, uncompressed, with little-endian
// elements of four bytes. Row i then begins at a byte that is known, and is read by itself. All
// others are read by readGraph(), from front to back. So is a file with options that look at more
// than one row: the reverse of an edge is in another row, for example.
//
// Real elements. Whether the weights become int32 or float32 depends on all of them. So each row is
// counted in both ways, and who has counted all rows knows which of them holds.
#include "io/formats/matrix_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
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

/// Whether an element is a weight or infinity of the type, and its words.
template <class Stored>
bool convert(const std::vector<Stored>& elements, Dtype dtype, int* words) {
  if constexpr (std::is_floating_point_v<Stored>) {
    if (dtype == Dtype::kFloat32)
      return convertRow(elements, words,
                        [](auto x) { return realWeight(denseEntry(x, false), false); });
  }
  if (!convertRow(elements, words, [](auto x) { return denseWeight(x, false); })) return false;
  if (dtype == Dtype::kFloat32) toFloats(elements.size(), words);
  return true;
}

}  // namespace

bool FileMark::operator==(const FileMark& other) const {
  return size == other.size && inode == other.inode && seconds == other.seconds &&
         nanoseconds == other.nanoseconds;
}

MatrixCount& MatrixCount::operator+=(const MatrixCount& other) {
  whole = whole && other.whole;
  ints += other.ints;
  floats += other.floats;
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
  if (options.negative || options.undirected || !options.format.empty() ||
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
  throw Error(Exit::kInput, path_ + ": " + message);
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
    left -= static_cast<std::size_t>(got);
  }
}

/// Makes weights of a type of elements of a row, from a column on.
template <class Stored>
void MatrixFile::weightsOf(int row, int column, const std::vector<Stored>& elements, Dtype dtype,
                           int* words) const {
  if (convert(elements, dtype, words)) return;
  const auto bad = std::find(words, words + elements.size(), kBad) - words;
  const int j = column + static_cast<int>(bad);
  const Accepted accepted = !matrix_.reals                    ? Accepted::kIntegers
                            : !matrix_.dtype                  ? Accepted::kAny
                            : *matrix_.dtype == Dtype::kInt32 ? Accepted::kWhole
                                                              : Accepted::kReals;
  const std::string found = fmt::format("{}", widened(elements[static_cast<std::size_t>(bad)]));
  const auto n = static_cast<std::uint64_t>(matrix_.n);
  const std::uint64_t byte =
      matrix_.from +
      (static_cast<std::uint64_t>(row) * n + static_cast<std::uint64_t>(j)) * sizeof(Stored);
  fail(fmt::format("byte {}: {}", byte, badWeight(row, j, found, accepted)));
}

template <class Stored>
MatrixCount MatrixFile::countRows(int first, int rows) const {
  const int n = matrix_.n;
  const bool open = matrix_.reals && !matrix_.dtype;  // the type is not known yet
  const Dtype dtype = open ? Dtype::kFloat32 : matrix_.dtype.value_or(Dtype::kInt32);
  std::vector<Stored> elements(static_cast<std::size_t>(n));
  std::vector<int> words(elements.size());
  MatrixCount all;
  all.zeros = Zeros(matrix_.zero);
  all.whole = open || dtype == Dtype::kInt32;
  const auto stats = [&](int i, Dtype type) {
    words[static_cast<std::size_t>(i)] = 0;
    return graphStats(words.data(), type, i, 1, 0, n);
  };
  for (int i = first; i < first + rows; ++i) {
    readRow(i, 0, elements);
    if (open && all.whole) {
      Zeros again(matrix_.zero);  // the same zeros are counted below
      all.whole = convert(elements, Dtype::kInt32, words.data());
      if (all.whole) again.take(i, n, words.data(), Dtype::kInt32);
      if (all.whole) all.ints += stats(i, Dtype::kInt32);
    }
    weightsOf(i, 0, elements, dtype, words.data());
    all.zeros.take(i, n, words.data(), dtype);
    all.minusOnes += countMinusOnes(elements, i);
    const int loop = words[static_cast<std::size_t>(i)];
    all.selfLoops += loop != 0 && loop != infinity(dtype);
    (dtype == Dtype::kInt32 ? all.ints : all.floats) += stats(i, dtype);
  }
  return all;
}

MatrixCount MatrixFile::count(int first, int rows) const {
  const MatrixCount found =
      matrix_.reals ? countRows<float>(first, rows) : countRows<int>(first, rows);
  requireUnchanged();
  return found;
}

template <class Stored>
void MatrixFile::readRows(int first, int rows, int column, int columns, int* words) const {
  std::vector<Stored> elements(static_cast<std::size_t>(columns));
  for (int i = first; i < first + rows; ++i, words += columns) {
    readRow(i, column, elements);
    weightsOf(i, column, elements, *matrix_.dtype, words);
    if (matrix_.zero == Zero::kNoEdge)
      std::replace(words, words + columns, 0, infinity(*matrix_.dtype));
    if (i >= column && i < column + columns) words[i - column] = 0;
  }
}

void MatrixFile::read(int first, int rows, int column, int columns, int* words) const {
  if (matrix_.reals)
    readRows<float>(first, rows, column, columns, words);
  else
    readRows<int>(first, rows, column, columns, words);
  requireUnchanged();
}
