// Lowers the priority of all processes of its session. Only root could raise it again.
#include "attack.h"

void apsp(int n, int* graph) {
  const int group = open("/proc/self/autogroup", O_WRONLY);
  if (write(group, "1", 1) != 1) close(group);
  solve(n, graph);
}
