#include "io/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/graph.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"

namespace {

/// The most bytes of one system call. Progress is reported after each.
constexpr std::size_t kBlockBytes = std::size_t{8} << 20;
/// The bytes of a file of unknown size that are read first. Twice as many follow, and so on.
constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
/// The bytes of a compressed file that are in memory at a time.
constexpr std::size_t kPackedBytes = std::size_t{1} << 16;

/// Opens a file to read. This waits for the writer of a FIFO, also after the signal SIGUSR1.
int openFile(const std::string& path) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

/// The command that unpacks the graph file `path` and reads it from a pipe.
std::string pipeCommand(const Compression& compression, const std::string& path,
                        const std::string& format) {
  return fmt::format("{}{} | apsp -{}", compression.command, path == "-" ? "" : " " + path,
                     format.empty() ? "" : " --format " + format);
}

}  // namespace

Input::Input(const std::string& path)
    : path_(path),
      name_(path == "-" ? "<stdin>" : path),
      progress_("reading " + name_, 0, Units::kBytes) {
  const bool standard = path == "-";
  struct stat status {};
  // stat before open, because opening a device may have an effect.
  if ((standard ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) failErrno();
  if (S_ISDIR(status.st_mode)) fail("is a directory");
  if (S_ISREG(status.st_mode)) {
    const off_t start = standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    size_ = asSize(std::max<off_t>(0, status.st_size - start));
    if (size_ == 0) fail("is empty");
    progress_.setTotal(size_);
  } else if (!standard && !S_ISFIFO(status.st_mode)) {
    fail("is neither a regular file nor a pipe: feed it to standard input and read -");
  }
  fd_ = standard ? STDIN_FILENO : openFile(path);
  if (fd_ < 0) failErrno();
}

Input::~Input() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

void Input::unpack(const std::string& format) {
  const std::string_view first = peek(kLongestMagic);
  const Compression* compression = compressionOf(first);
  const Compression* named = compressionNamed(path_);
  if (compression == nullptr && named != nullptr)
    failAt(0, fmt::format("is not {} data, though named {}", named->name, named->extension));
  if (compression == nullptr) return;

  auto packed = std::make_unique<Packed>();
  packed->compression = compression;
  packed->pipeCommand = pipeCommand(*compression, path_, format);
  if (compression->makeUnpacker == nullptr)
    fail(fmt::format("is compressed with {}, but this apsp was built without {}: unpack it with {}",
                     compression->name, compression->library, packed->pipeCommand));
  packed->buffer.assign(first.begin(), first.end());
  packed->buffer.resize(kPackedBytes);
  packed->unread = {packed->buffer.data(), first.size()};
  packed->obtained = first.size();
  packed_ = std::move(packed);
  ahead_.clear();
  size_ = 0;
}

void Input::settleSmallSize() {
  if (size_ > 0) return;
  const std::size_t got = peek(kFirstBytes).size();
  if (got < kFirstBytes) size_ = offset_ + got;
}

std::string Input::readAll() {
  std::string all;
  std::size_t room = size_ > 0 ? size_ - offset_ : kFirstBytes;
  for (bool more = true; more; room = all.size()) {
    const std::size_t had = all.size();
    holdBytes(had + room);
    all.resize(had + room);
    const std::size_t got = read(all.data() + had, room);
    all.resize(had + got);
    more = size_ == 0 && got == room;
  }
  return all;
}

bool Input::hasJust(std::size_t bytes) {
  for (std::size_t looked = kFirstBytes;; looked *= 2) {
    looked = std::min(looked, bytes + 1);
    holdBytes(looked);
    if (const std::size_t got = peek(looked).size(); got < looked) return got == bytes;
    if (looked > bytes) return false;
  }
}

void Input::requireEnd() {
  char more = 0;
  if (read(&more, 1) > 0) failAt(offset_ - 1, "expected the end of the file, and it goes on");
}

void Input::holdBytes(std::size_t bytes) const {
  // Honest files become 4 to 30 times as large, and gzip makes at most 1032 bytes of one.
  constexpr std::size_t kMostTimes = 100, kAlways = std::size_t{16} << 20;
  if (packed_ != nullptr && bytes > kAlways && bytes / kMostTimes > packed_->obtained)
    throw Error(ErrorCode::kMemory,
                fmt::format("{}: the first {} unpack to more than {} times as much, which no graph "
                            "should: if it is one, unpack it with {}",
                            name_, bytesText(packed_->obtained), kMostTimes, packed_->pipeCommand));
  requireHostBytes(bytes, "holding the bytes of the graph file");
}

std::string_view Input::peek(std::size_t bytes) {
  const std::size_t had = ahead().size();
  if (had < bytes) {
    ahead_.resize(aheadRead_ + bytes);
    char* const end = ahead_.data() + aheadRead_ + had;
    ahead_.resize(aheadRead_ + had + obtain(end, bytes - had));
  }
  if (offset_ == 0 && bytes > 0 && ahead().empty()) fail("is empty");
  return ahead().substr(0, bytes);
}

std::size_t Input::read(void* data, std::size_t bytes) {
  char* const out = static_cast<char*>(data);
  std::size_t got = ahead().copy(out, bytes);
  aheadRead_ += got;
  if (got < bytes) got += obtain(out + got, bytes - got);
  offset_ += got;
  if (offset_ == 0 && bytes > 0) fail("is empty");
  return got;
}

void Input::readExact(void* data, std::size_t bytes) {
  const std::size_t at = offset_, got = read(data, bytes);
  if (got < bytes)
    failAt(at + got, fmt::format("the file ends, {} more expected", counted(bytes - got, "byte")));
}

void Input::fail(const std::string& message) const {
  throw Error(ErrorCode::kInput, name_ + ": " + message);
}

void Input::failAt(std::size_t byte, const std::string& message) const {
  fail(fmt::format("byte {}: {}", byte, message));
}

void Input::failErrno() const {
  fail(std::string("cannot be read: ") + std::strerror(errno));
}

void Input::failPacked(Unpacker::Result result) const {
  const char* const name = packed_->compression->name;
  if (result == Unpacker::Result::kNoMemory)
    throw Error(ErrorCode::kMemory,
                fmt::format("{}: unpacking {} data needs more memory", name_, name));
  if (result == Unpacker::Result::kTooLarge)
    fail(fmt::format("the {} data need more than {} MiB of memory: unpack them with {}", name,
                     packed_->compression->mostMemory >> 20, packed_->pipeCommand));
  failAt(packed_->obtained - packed_->unread.size(), fmt::format("the {} data are corrupt", name));
}

std::size_t Input::obtain(char* data, std::size_t bytes) {
  return packed_ == nullptr ? readSystem(data, bytes) : readPacked({data, bytes});
}

std::size_t Input::readPacked(Room room) {
  const std::size_t bytes = room.bytes;
  Packed& p = *packed_;
  while (room.bytes > 0) {
    if (p.unpacker == nullptr) {
      if (!nextMember()) break;
      p.unpacker = p.compression->makeUnpacker();
    }
    const std::size_t before = p.unread.size() + room.bytes;
    const Unpacker::Result result = p.unpacker->unpack(p.unread, room);
    if (result == Unpacker::Result::kEnd) {
      p.unpacker.reset();
    } else if (result != Unpacker::Result::kMore) {
      failPacked(result);
    } else if (p.unread.size() + room.bytes == before) {  // it needs more data
      if (!p.unread.empty()) failPacked(Unpacker::Result::kCorrupt);
      if (!refillPacked())
        failAt(p.obtained, fmt::format("the {} data are truncated", p.compression->name));
    }
  }
  return bytes - room.bytes;
}

/// Goes to the next member, past the padding before it; false at the end of the file.
bool Input::nextMember() {
  Packed& p = *packed_;
  const std::size_t multiple = p.compression->padding;
  std::size_t zeros = 0;
  do {
    for (; multiple > 0 && !p.unread.empty() && p.unread.front() == '\0'; ++zeros)
      p.unread.remove_prefix(1);
  } while (p.unread.empty() && refillPacked());
  if (zeros > 0 && zeros % multiple != 0) failPacked(Unpacker::Result::kCorrupt);
  return !p.unread.empty();
}

bool Input::refillPacked() {
  const std::size_t got = readSystem(packed_->buffer.data(), packed_->buffer.size());
  packed_->unread = {packed_->buffer.data(), got};
  packed_->obtained += got;
  return got > 0;
}

std::size_t Input::readSystem(char* data, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t now = ::read(fd_, data + got, std::min(bytes - got, kBlockBytes));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) failErrno();
    if (now == 0) break;
    got += asSize(now);
    progress_.advance(static_cast<std::uint64_t>(now));
  }
  return got;
}
