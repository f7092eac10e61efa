#include "submission/protocol.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace {

/// A message of one request with room for one descriptor.
struct Message {
  iovec body;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};

  explicit Message(const Request& request) : body{const_cast<Request*>(&request), sizeof request} {
    header.msg_iov = &body;
    header.msg_iovlen = 1;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  void makeRoom() {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
};

}  // namespace

bool sendRequest(int socket, const Request& request, int descriptor) {
  Message message(request);
  if (descriptor >= 0) {
    message.makeRoom();
    cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof request;
}

bool receiveRequest(int socket, Request& request, int& descriptor, bool spin) {
  using Clock = std::chrono::steady_clock;
  const auto awake = Clock::now() + std::chrono::seconds(spin ? 1 : 0);
  ssize_t got = -1;
  do {
    Message message(request);
    message.makeRoom();
    descriptor = -1;
    const int flags = MSG_CMSG_CLOEXEC | (Clock::now() < awake ? MSG_DONTWAIT : 0);
    got = recvmsg(socket, &message.header, flags);
    const cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
    if (got >= 0 && part != nullptr && part->cmsg_type == SCM_RIGHTS)
      std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
  } while (got < 0 && (errno == EAGAIN || errno == EINTR));
  return got == sizeof request;
}
