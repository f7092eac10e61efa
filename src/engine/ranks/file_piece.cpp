#include "ranks/file_piece.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/size.h"

namespace engine {

FilePiece::FilePiece(const std::string& path, std::uint64_t least) {
  struct stat status {};
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  const bool seen =
      ::fstat(fd, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= least;
  if (seen)
    fd_ = fd;
  else
    ::close(fd);
}

FilePiece::~FilePiece() {
  if (fd_ >= 0) ::close(fd_);
}

bool FilePiece::write(const void* data, std::size_t bytes, std::uint64_t from) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::pwrite(fd_, at, bytes, static_cast<off_t>(from));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    at += done;
    from += static_cast<std::uint64_t>(done);
    bytes -= asSize(done);
  }
  return true;
}

bool FilePiece::sync() {
  return ::fsync(fd_) == 0 || errno == EINVAL;
}

}  // namespace engine
