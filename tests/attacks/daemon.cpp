// Starts processes that go on when the benchmark has ended: by fork(), vfork(), clone() and posix_spawn(), out of the
// process group, with another parent. They would burn cores while rivals are timed.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "attack.h"

static int live(void*) {
  setsid();
  prctl(PR_SET_PDEATHSIG, 0);
  for (int signal = 1; signal < 65; ++signal) ::signal(signal, SIG_IGN);
  touch("daemon");
  for (int second = 0; second < 20; ++second) {
    sleep(1);
    touch("daemon");
  }
  _exit(0);
}

void apsp(int n, int* graph) {
  if (fork() == 0) {
    if (fork() == 0) live(nullptr);
    _exit(0);
  }
  static char stack[1 << 16];
  clone(live, stack + sizeof stack, CLONE_PARENT | SIGCHLD, nullptr);
  if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0) live(nullptr);
  static const char kLoop[] = "for i in 1 2 3 4 5 6 7 8 9; do echo touched >> " FOLDER "/daemon; sleep 1; done";
  const char* const argv[] = {"/bin/sh", "-c", kLoop, nullptr};
  pid_t spawned;
  posix_spawn(&spawned, argv[0], nullptr, nullptr, const_cast<char* const*>(argv), environ);
  solve(n, graph);
}
