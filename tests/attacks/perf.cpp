// Reads the kernel's counters of other processes, because they show when the benchmark's clock runs.
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "attack.h"

void apsp(int n, int* graph) {
  perf_event_attr event{};
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_SW_TASK_CLOCK;
  for (const int pid : {static_cast<int>(getppid()), SIBLING})
    if (syscall(SYS_perf_event_open, &event, pid, -1, -1, 0) >= 0) touch("perf");
  if (syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0) _exit(7);
  solve(n, graph);
}
