// Stops another process of the user, and lowers its priority, binds it to one core and limits its files. The
// benchmark would lose the race with a slow rival in the same way.
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "attack.h"

void apsp(int n, int* graph) {
  setpriority(PRIO_PROCESS, SIBLING, 19);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(SIBLING, sizeof one, &one);
  sched_param batch{};
  sched_setscheduler(SIBLING, SCHED_IDLE, &batch);
  const rlimit few = {3, 3};
  prlimit(SIBLING, RLIMIT_NOFILE, &few, nullptr);
  syscall(SYS_ioprio_set, 1, SIBLING, 3 << 13);
  kill(SIBLING, SIGSTOP);
  solve(n, graph);
}
