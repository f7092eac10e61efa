#include "io/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/size.h"
#include "io/csv.h"
#include "io/unwritable.h"
#include "system/screen.h"

namespace {

constexpr mode_t kMode = 0666;  // less the umask

[[noreturn]] void fail(const std::string& path, const char* action) {
  const int error = errno;
  throw Error(ErrorCode::kOutput, fmt::format("{}: cannot {}: {}{}", path, action,
                                              std::strerror(error), adviceOnWriting(path, error)));
}

/// Writes all bytes, in several system calls if necessary. Returns false with errno set if that
/// fails.
bool writeAll(int fd, const void* data, std::size_t bytes, Progress* progress = nullptr) {
  constexpr std::size_t kStepBytes = std::size_t{8} << 20;  // progress is reported after each
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(fd, at, std::min(bytes, kStepBytes));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    if (progress != nullptr) progress->advance(static_cast<std::uint64_t>(done));
    at += done;
    bytes -= asSize(done);
  }
  return true;
}

/// Makes the file durable. For a terminal, a pipe and /dev/null the system returns EINVAL, which is
/// no failure.
bool syncAll(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL;
}

/// A hidden name in the folder of `target`, with the name of `target` cut because a file name has
/// at most 255 bytes.
std::string temporaryName(const std::string& target, int attempt) {
  constexpr std::size_t kLongest = 200;
  const std::size_t base = target.rfind('/') + 1;  // npos + 1 is 0
  return fmt::format("{}.{}.{}.{}.tmp", target.substr(0, base), target.substr(base, kLongest),
                     ::getpid(), attempt);
}

/// The temporary files that exist, for the signal handler.
std::array<std::atomic<const char*>, 8> temporaries;

void noteTemporary(const char* name) {
  for (auto& slot : temporaries) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, name)) return;
  }
}

void forgetTemporary(const char* name) {
  for (auto& slot : temporaries) {
    const char* expected = name;
    if (slot.compare_exchange_strong(expected, nullptr)) return;
  }
}

/// How the header of a CSV file differs from the one that is wanted.
std::string differenceText(const std::string& found, const std::string& wanted) {
  const auto has = [](const std::string& header, const std::string& column) {
    return ("," + header.substr(0, header.size() - 1) + ",").find("," + column + ",") !=
           std::string::npos;
  };
  std::vector<std::string> missing;
  std::istringstream columns(wanted.substr(0, wanted.size() - 1));
  bool none = true;
  for (std::string column; std::getline(columns, column, ',');) {
    if (has(found, column))
      none = false;
    else
      missing.push_back(column);
  }
  if (none || missing.empty()) return "begins with another header";
  return fmt::format("an older version wrote it, without the column{} {}",
                     missing.size() == 1 ? "" : "s", fmt::join(missing, ", "));
}

/// The text before new rows: the header if the file is empty, a line break if a killed process left
/// half a row, else nothing.
std::string lead(int fd, std::size_t size, const std::string& path, const std::string& header) {
  if (size == 0) return header;
  std::string found(2 * header.size(), '\0');  // the names may have been longer before
  const ssize_t bytes = ::pread(fd, found.data(), found.size(), 0);
  if (bytes < 0) fail(path, "read");
  found.resize(asSize(bytes));
  found = renamedHeader(found.substr(0, found.find('\n') + 1));
  if (found != header)
    throw Error(ErrorCode::kOutput,
                fmt::format("{}: {}, so no rows are appended: choose another file", path,
                            differenceText(found, header)));
  char last = '\n';
  if (::pread(fd, &last, 1, static_cast<off_t>(size) - 1) < 0) fail(path, "read");
  return last == '\n' ? "" : "\n";
}

/// appendRows() for standard output, which has one kind of rows only.
void printRows(const std::string& path, const std::string& header, const std::string& rows) {
  static bool begun = false;
  const std::string text = tableFor(path, (begun ? "" : header) + rows);
  begun = true;
  if (!writeAll(STDOUT_FILENO, text.data(), text.size())) fail(path, "write");
}

}  // namespace

void openStandardFiles() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {  // open() takes the lowest
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

bool isStandardOutput(const std::string& path) {
  return path == "-" || path == "/dev/stdout";
}

std::string tableFor(const std::string& path, const std::string& rows) {
  return isStandardOutput(path) ? forScreen(rows, false, true) : rows;
}

namespace {

constexpr int kMostLinks = 40;

/// Throws Error(kOutput) if the path is a link that another user may have put there: it lies in a
/// folder to which everybody can write, and belongs neither to this user nor to the folder's owner.
void requireTrusted(const std::filesystem::path& path) {
  struct stat link {};
  struct stat folder {};
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return;
  if (::stat(parent.c_str(), &folder) == 0 && (folder.st_mode & S_IWOTH) == 0) return;
  if (link.st_uid == ::geteuid() || link.st_uid == folder.st_uid) return;
  throw Error(ErrorCode::kOutput,
              fmt::format("{}: a symbolic link of another user (id {}), in a folder to which "
                          "everybody can write: remove it, or choose another folder",
                          path.string(), link.st_uid));
}

/// O_NOFOLLOW, unless the path is a link already: another user may put a link there meanwhile.
int noNewLink(const std::string& path) {
  return trustedTarget(path) == path ? O_NOFOLLOW : 0;
}

}  // namespace

std::string resolvedLinks(std::filesystem::path path) {
  std::error_code error;
  for (int link = 0; link < kMostLinks && std::filesystem::is_symlink(path, error); ++link)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path.string();
}

std::string trustedTarget(std::filesystem::path path) {
  std::error_code error;
  for (int link = 0; link < kMostLinks && std::filesystem::is_symlink(path, error); ++link) {
    requireTrusted(path);
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path.string();
}

// The constructor that it calls makes the object complete, so the destructor runs if this one
// throws.
OutputFile::OutputFile(std::string path) : OutputFile() {
  path_ = std::move(path);
  if (isStandardOutput(path_)) {  // not opened by name: it may be a log that others write, too
    fd_ = ::dup(STDOUT_FILENO);
    if (fd_ < 0) fail(path_, "write");
    terminal_ = ::isatty(fd_) != 0;
    return;
  }
  const std::string target = trustedTarget(path_);
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | noNewLink(path_));
    if (fd_ < 0) fail(path_, "write");
    return;
  }
  // A rename would replace a write-protected file without an error.
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(path_, "write");

  // A killed run may have left its temporary file, and its process id may be ours now.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts && fd_ < 0; ++attempt) {
    const std::string name = temporaryName(target, attempt);
    if (::access(name.c_str(), F_OK) == 0) continue;
    temporary_ = name;  // noted before it exists, because a signal may come at any time
    noteTemporary(temporary_.c_str());
    fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd_ >= 0) break;
    const int reason = errno;
    forgetTemporary(temporary_.c_str());
    temporary_.clear();
    errno = reason;
    if (errno != EEXIST) break;
  }
  if (fd_ < 0) fail(path_, "write");
  // The mode of the file that it replaces. If that is another user's, he may want to change ours.
  if (exists) ::fchmod(fd_, status.st_mode & (status.st_uid == ::geteuid() ? 07777 : 0775));
  requireRoom(1);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (temporary_.empty()) return;
  forgetTemporary(temporary_.c_str());
  ::unlink(temporary_.c_str());
}

void OutputFile::announce(std::uint64_t bytes) {
  requireRoom(bytes);
  progress_.emplace("writing " + path_, bytes, Units::kBytes);
}

void OutputFile::requireRoom(std::uint64_t bytes) const {
  struct statvfs disk {};
  // A file that is written directly takes no room, and some file systems do not report theirs.
  if (temporary_.empty() || ::fstatvfs(fd_, &disk) != 0 || disk.f_blocks == 0) return;
  const std::uint64_t blocks = ::geteuid() == 0 ? disk.f_bfree : disk.f_bavail;  // root has more
  const std::uint64_t free = blocks * disk.f_frsize;
  if (bytes > free)
    throw Error(ErrorCode::kOutput,
                fmt::format("{}: {} needed, {} free on its disk: write elsewhere", path_,
                            bytesText(bytes), bytesText(free)));
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (std::exchange(terminal_, false)) {
    const std::string text = forScreen({static_cast<const char*>(data), bytes}, false, true);
    write(text.data(), text.size());
    terminal_ = true;
    return;
  }
  if (!writeAll(fd_, data, bytes, progress_ ? &*progress_ : nullptr)) fail(path_, "write");
}

std::uint64_t OutputFile::offset() const {
  return static_cast<std::uint64_t>(::lseek(fd_, 0, SEEK_CUR));
}

void OutputFile::commit() {
  if (!syncAll(fd_)) fail(path_, "write");
  if (::close(std::exchange(fd_, -1)) != 0) fail(path_, "write");
  progress_.reset();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), trustedTarget(path_).c_str()) != 0) fail(path_, "replace");
  forgetTemporary(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::finish(const std::string& text) {
  write(text.data(), text.size());
  commit();
}

void removeTemporaries() {
  for (auto& slot : temporaries)
    if (const char* name = slot.exchange(nullptr)) ::unlink(name);
}

void appendRows(const std::string& path, const std::string& header, const std::string& rows) {
  if (isStandardOutput(path)) return printRows(path, header, rows);
  constexpr int kAppend = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  const Descriptor file(::open(path.c_str(), kAppend | noNewLink(path), kMode));
  if (file.number < 0) fail(path, "write");
  while (::flock(file.number, LOCK_EX) != 0)
    if (errno != EINTR) fail(path, "lock");

  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail(path, "read");
  const std::string text = lead(file.number, asSize(status.st_size), path, header) + rows;
  if (writeAll(file.number, text.data(), text.size()) && syncAll(file.number)) return;

  const int reason = errno;  // remove the half of a row that may have been written
  [[maybe_unused]] const int undone = ::ftruncate(file.number, status.st_size);
  errno = reason;
  fail(path, "write");
}
