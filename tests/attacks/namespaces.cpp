// Makes namespaces of its own, where it is root and could mount what it likes over the files that it must not change.
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "attack.h"

void apsp(int n, int* graph) {
  if (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) touch("namespace");
  if (chroot(FOLDER) == 0) touch("chroot");
  solve(n, graph);
}
