// The system calls that a submission may not make.
#pragma once

#include <linux/seccomp.h>

/// Who is confined.
enum class Confined {
  kHostWorker,  ///< a submission in host memory
  kGpuWorker,   ///< a submission on a GPU: CUDA needs some calls more
  kCompiler,    ///< may start processes and write files: only the rest of the table binds it
};

/// Whether this kernel can filter system calls (seccomp).
bool filtersSystemCalls();

/// Forbids all threads of this process, and all that they start, the calls in the table of
/// Forbids the calls in the tables of system_calls.cpp: they return EPERM. This cannot be undone.
/// heard: listenToCalls() has taken some of them over, which are left out here. Throws
/// Error(kUsage) if the kernel refuses.
void forbidSystemCalls(Confined who, bool heard = false);

/// Lets another process hear of the calls that a submission has no reason to make: those that write
/// files, open sockets or start processes. From now on, who makes one waits until that process
/// answers; if nobody has the listener any more, the call fails. Returns the listener, which the
/// submission must not have, because it could answer itself; −1 if the kernel has none. Linux 5.7
/// has it.
int listenToCalls(Confined who);

/// What a process tries by a call.
struct Tried {
  const char* what;   ///< for example "to start a process", "" if it is no call that is listened to
  bool mayBeAllowed;  ///< Landlock decides it by the path
  unsigned path;      ///< then the argument that has the path
};
/// What a call tries of which the listener heard.
Tried triedBy(const seccomp_data& call);
