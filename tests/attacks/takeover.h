// For attacks that never return from the constructor of their library. They speak with the benchmark in the place of
// the worker, see src/course/submission/protocol.h.
#pragma once

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "attack.h"
#include "submission/protocol.h"

/// The worker's end of the socket.
inline int findSocket() {
  for (int descriptor = 3; descriptor < 1024; ++descriptor) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET) return descriptor;
  }
  return -1;
}

inline void reply(Reply::Step step, double milliseconds = 0, const char* text = "", long long kept = 0) {
  Reply message{};
  message.step = step;
  message.milliseconds = milliseconds;
  message.kept = kept;
  strncpy(message.text, text, sizeof message.text - 1);
  send(findSocket(), &message, sizeof message, MSG_NOSIGNAL);
}

/// The graph's memory: guard, (n, n) elements, guard.
inline int* shared = nullptr;

/// Waits for a request and maps the memory that comes with it. Ends the process if the parent is gone.
inline Request receive() {
  Request request{};
  iovec body = {&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &body;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  if (recvmsg(findSocket(), &header, MSG_CMSG_CLOEXEC) != sizeof request) _exit(0);
  const cmsghdr* const part = CMSG_FIRSTHDR(&header);
  if (part != nullptr && part->cmsg_type == SCM_RIGHTS) {
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
    shared = static_cast<int*>(
        mmap(nullptr, request.words * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
  }
  return request;
}

inline int* graph() {
  return shared + kGuard;
}

/// Solves every graph in the place of the worker, and says that each call took so long and kept so many bytes. Sleeps
/// for some microseconds when no clock of a call runs: after each result was taken, and before the next graph.
[[noreturn]] inline void serve(double milliseconds, long long kept = 0, unsigned microseconds = 0) {
  reply(Reply::kLoaded);
  for (;;) {
    const Request request = receive();
    if (request.step == Request::kPrepare) {
      usleep(microseconds);
      reply(Reply::kReady);
      continue;
    }
    solve(request.n, graph());
    reply(Reply::kReturned);
    usleep(microseconds);
    reply(Reply::kDone, milliseconds, "", kept);
  }
}

