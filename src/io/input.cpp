#include "io/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/graph.h"
#include "core/memory.h"

namespace {

/// The most bytes of one system call. Progress is reported after each.
constexpr std::size_t kBlockBytes = std::size_t{8} << 20;

}  // namespace

Input::Input(const std::string& path)
    : name_(path == "-" ? "<stdin>" : path), progress_("reading " + name_, 0, Units::kBytes) {
  const bool standard = path == "-";
  struct stat status {};
  // stat before open: opening a FIFO blocks.
  if ((standard ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) failErrno();
  if (S_ISDIR(status.st_mode)) fail("is a directory");
  if (S_ISREG(status.st_mode)) {
    const off_t start = standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size - start));
    if (size_ == 0) fail("is empty");
    progress_.setTotal(size_);
  } else if (!standard) {
    fail("is not a regular file: feed it to standard input and read -");
  }
  fd_ = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) failErrno();
}

Input::~Input() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

std::size_t Input::settledSize() {
  constexpr std::size_t kFirst = 1 << 16;
  if (size_ == 0) heldFrom_ = offset_;
  for (std::size_t capacity = kFirst; size_ == 0; capacity *= 2) {
    requireHostBytes(capacity, "holding standard input");
    const std::size_t had = held_.size();
    held_.resize(capacity);
    const std::size_t got = readSystem(held_.data() + had, capacity - had);
    if (got < capacity - had) size_ = heldFrom_ + had + got;
    if (got < capacity - had && size_ == 0) fail("is empty");
  }
  return size_;
}

std::size_t Input::read(void* data, std::size_t bytes) {
  std::size_t got = 0;
  if (held_.empty()) {
    got = readSystem(static_cast<char*>(data), bytes);
  } else {
    got = std::min(bytes, size_ - offset_);
    std::copy_n(held_.data() + (offset_ - heldFrom_), got, static_cast<char*>(data));
  }
  offset_ += got;
  if (offset_ == 0 && bytes > 0) fail("is empty");
  return got;
}

void Input::readExact(void* data, std::size_t bytes) {
  const std::size_t at = offset_, got = read(data, bytes);
  if (got < bytes)
    failAt(at + got, fmt::format("the file ends, {} more bytes expected", bytes - got));
}

void Input::fail(const std::string& message) const {
  throw Error(Exit::kInput, name_ + ": " + message);
}

void Input::failAt(std::size_t byte, const std::string& message) const {
  fail(fmt::format("byte {}: {}", byte, message));
}

void Input::failErrno() const {
  fail(std::string("cannot be read: ") + std::strerror(errno));
}

std::size_t Input::readSystem(char* data, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t now = ::read(fd_, data + got, std::min(bytes - got, kBlockBytes));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) failErrno();
    if (now == 0) break;
    got += static_cast<std::size_t>(now);
    progress_.advance(static_cast<std::uint64_t>(now));
  }
  return got;
}
