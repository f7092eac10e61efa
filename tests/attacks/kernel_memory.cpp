// Has the kernel keep much memory that belongs to no process: rules of Landlock, filters of system calls, and tables of
// descriptors. If the kernel then ran out of memory, it would kill another process than this one.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "attack.h"

static bool makesRules() {
  constexpr long kMake = 444, kAdd = 445;
  const struct {
    uint64_t files, network;
  } ruleset = {0, 3};
  const long made = syscall(kMake, &ruleset, sizeof ruleset, 0);
  if (made < 0) return false;
  for (uint64_t port = 0; port < 65536; ++port) {
    const struct {
      uint64_t access, port;
    } rule = {1, port};
    syscall(kAdd, made, 2, &rule, 0);
  }
  return true;
}

static bool makesFilters() {
  sock_filter code[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  sock_fprog filter = {1, code};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static int fill(void*) {
  while (eventfd(0, 0) >= 0) continue;
  for (;;) pause();
}

static bool makesTables() {
  constexpr int kThread = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS;
  constexpr size_t kStack = 1 << 16;
  return clone(fill, static_cast<char*>(malloc(kStack)) + kStack, kThread, nullptr) >= 0;
}

void apsp(int n, int* graph) {
  const bool rules = makesRules(), filters = makesFilters(), tables = makesTables();
  if (rules) _exit(7);
  if (filters) _exit(8);
  if (tables) _exit(9);
  solve(n, graph);
}
