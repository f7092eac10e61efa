#include "submission/protocol.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

namespace {

/// A message of one request or reply with room for one descriptor.
struct Message {
  iovec body;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};

  template <class Content>
  explicit Message(const Content& content) : body{const_cast<Content*>(&content), sizeof content} {
    header.msg_iov = &body;
    header.msg_iovlen = 1;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  void makeRoom() {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }

  void put(int descriptor) {
    if (descriptor < 0) return;
    makeRoom();
    cmsghdr* const part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  }

  /// Waits unless the flags say otherwise. `descriptor` becomes the one that came, or −1.
  ssize_t receive(int socket, int flags, int& descriptor) {
    makeRoom();
    descriptor = -1;
    const ssize_t got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags);
    const cmsghdr* const part = got < 0 ? nullptr : CMSG_FIRSTHDR(&header);
    if (part != nullptr && part->cmsg_type == SCM_RIGHTS)
      std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
    return got;
  }
};

}  // namespace

bool isPlausible(const Reply& reply) {
  constexpr double kMostMilliseconds = 1e12;  // thirty years
  if (reply.step < Reply::kConfined || reply.step > Reply::kThrew) return false;
  if (reply.step != Reply::kDone) return true;               // it has no numbers
  return std::abs(reply.milliseconds) <= kMostMilliseconds;  // nor is it NaN
}

void sendReplyWith(int descriptor, int socket, const Reply& reply) {
  Message message(reply);
  message.put(descriptor);
  sendmsg(socket, &message.header, MSG_NOSIGNAL);
}

ssize_t receiveReply(int socket, Reply& reply, int& descriptor) {
  return Message(reply).receive(socket, MSG_DONTWAIT, descriptor);
}

bool sendRequest(int socket, const Request& request, int descriptor) {
  Message message(request);
  message.put(descriptor);
  return sendmsg(socket, &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof request;
}

bool receiveRequest(int socket, Request& request, int& descriptor, bool spin) {
  using Clock = std::chrono::steady_clock;
  const auto awake = Clock::now() + std::chrono::seconds(spin ? 1 : 0);
  ssize_t got = -1;
  do {
    got = Message(request).receive(socket, Clock::now() < awake ? MSG_DONTWAIT : 0, descriptor);
  } while (got < 0 && (errno == EAGAIN || errno == EINTR));
  return got == sizeof request;
}
