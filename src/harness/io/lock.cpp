#include "io/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "io/unwritable.h"
#include "system/environment.h"

using namespace engine;

namespace {

[[noreturn]] void fail(const std::string& path) {
  const int error = errno;
  throw Error(ErrorCode::kOutput,
              fmt::format("{}: {}{}", path, std::strerror(error), adviceOnWriting(path, error)));
}

/// This process, as the messages of others name it.
std::string thisProcess() {
  return fmt::format("process {} on {}{} since {}", getpid(), hostName(),
                     slurmJob().empty() ? "" : ", job " + slurmJob(), timestamp());
}

int operationOf(FileLock::Mode mode) {
  return mode == FileLock::kShared ? LOCK_SH : LOCK_EX | (mode == FileLock::kTry ? LOCK_NB : 0);
}

}  // namespace

FileLock::FileLock(const std::string& path, Mode mode)
    : path_(path), fd_(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (fd_ < 0) fail(path);
  while (flock(fd_, operationOf(mode)) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) fail(path);
    char holder[200] = "";
    holder_ = pread(fd_, holder, sizeof holder - 1, 0) > 0 ? holder : "another process";
    return;
  }
}

void FileLock::sign() const {
  const std::string name = thisProcess();
  if (ftruncate(fd_, 0) != 0 || pwrite(fd_, name.data(), name.size(), 0) < 0) fail(path_);
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}
