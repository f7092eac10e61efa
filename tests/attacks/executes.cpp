// Replaces its process by another program, which could do without the rules of this one: a shell, and a program that
// lies in memory only.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "attack.h"

void apsp(int n, int* graph) {
  const char* const argv[] = {"/bin/sh", "-c", "echo touched > " FOLDER "/executed", nullptr};
  const int memory = static_cast<int>(syscall(SYS_memfd_create, "program", 0));
  const int program = open("/bin/sh", O_RDONLY);
  char block[4096];
  for (ssize_t got; memory >= 0 && (got = read(program, block, sizeof block)) > 0;)
    if (write(memory, block, static_cast<size_t>(got)) != got) break;
  syscall(SYS_execveat, memory, "", argv, environ, 0x1000 /* AT_EMPTY_PATH */);
  execve(argv[0], const_cast<char* const*>(argv), environ);
  solve(n, graph);
}
