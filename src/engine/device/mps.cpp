#include "device/mps.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace engine {

namespace {

/// Whether a process that this one may connect to listens at a socket. One that it may not connect
/// to serves other users only: then NVML counts the daemon's server among the other processes.
bool isServed(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
    const int end = ::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool connected =
        ::connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const int error = errno;
    ::close(end);
    if (connected || error == EAGAIN) return true;  // EAGAIN: it listens, and others wait
    if (error != EPROTOTYPE) return false;          // the socket is of another type
  }
  return false;
}

/// Whether a process reads from a pipe.
bool isRead(const std::string& path) {
  const int end = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (end < 0) return false;  // nobody reads, or it serves other users only
  ::close(end);
  return true;
}

}  // namespace

std::string mpsFolder() {
  const char* const named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  return named == nullptr || *named == '\0' ? "/tmp/nvidia-mps" : named;
}

bool mpsListens(const std::string& folder) {
  const std::string control = folder + "/control";
  struct stat status {};
  if (::stat(control.c_str(), &status) != 0) return false;
  // Anybody could make the folder. The daemon of another user serves this one only if it is root's.
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) return false;
  if (S_ISSOCK(status.st_mode)) return isServed(control);
  return S_ISFIFO(status.st_mode) && isRead(control);
}

}  // namespace engine
