// The messages between the benchmark and a worker. The benchmark is the parent: it starts the
// worker, a process that runs a submission (worker.h). Both see some memory of the device.
//
// A worker in a sandbox first answers kConfined, with the listener of its denied calls, if there is
// one (denials.h). The worker answers kStarted before it loads the submission. A failure before
// that is this machine's. Afterwards the submission's code may run, and whatever the worker says is
// the submission's own doing.
//
// For each graph the parent sends kPrepare, and the worker answers kReady. Then the parent starts
// its clock, copies the graph into the shared memory and sends kSolve. The worker solves the graph
// where it lies and answers kReturned. The parent copies the distances into memory of its own, and
// stops its clock. The worker answers kDone with what else it knows.
//
// A submission runs in the worker's process, and can send any message itself. It gains nothing: the
// parent's clock runs from before the graph can be seen until the distances cannot be changed.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/size.h"

using namespace engine;

/// What the parent asks for.
struct Request {
  enum Step { kPrepare, kSolve };
  Step step;
  int n, threads;
  /// Words of the shared memory. With kPrepare a message carries its descriptor if it is new.
  std::size_t words;
};

/// What the worker answers. In a sandbox it sends kConfined once. It sends kStarted once, before it
/// loads the submission, and kLoaded once, when it has. The steps after kDone are failures, after
/// which the worker sends nothing more.
struct Reply {
  enum Step {
    kConfined,
    kStarted,
    kLoaded,
    kReady,
    kReturned,
    kDone,
    kRefused,
    kCudaError,
    kNoMemory,
    kThrew
  };
  Step step;
  double milliseconds;  ///< of the call by the worker's own clock; with kDone only
  long long kept;       ///< device memory in use after the call less before it, bytes; with kDone
  char text[500];       ///< with a failure its reason, with kDone a warning or ""
};

/// Whether its numbers are such as a worker can have: a submission can send any. Only a reply that
/// passes may be used.
bool isPlausible(const Reply& reply);

/// Elements before and after the matrix, which no solver has a reason to write. They are few enough
/// to be written for every call, and enough to catch a solver that writes a tile too far.
inline constexpr std::size_t kGuard = std::size_t{1} << 15;

/// Words of shared memory for a graph: guard, (n, n) elements, guard.
inline constexpr std::size_t sharedWords(int n) {
  return 2 * kGuard + asSize(n) * asSize(n);
}

/// Sends a reply. A descriptor goes with it; with −1 none does.
void sendReplyWith(int descriptor, int socket, const Reply& reply);

/// Takes a reply that has arrived. `descriptor` becomes the one that came with it, or −1. Returns
/// the bytes of the message; not more than 0 if the other end is closed.
ssize_t receiveReply(int socket, Reply& reply, int& descriptor);

/// Sends a request, and a descriptor with it unless that is −1. It does not wait: the other end has
/// room unless it does not read. Returns false, and sets errno, if there is no room or the other
/// end is closed.
bool sendRequest(int socket, const Request& request, int descriptor = -1);

/// Waits for a request. `descriptor` becomes the one that came with it, or −1. If `spin`, the
/// thread does not sleep for the first second, because waking up takes longer than the least
/// that is timed. Returns false if the other end is closed.
bool receiveRequest(int socket, Request& request, int& descriptor, bool spin);
