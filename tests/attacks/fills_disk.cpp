// Fills the disk and files in memory.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "attack.h"

static void fill(int file) {
  static char block[1 << 20];
  for (int i = 0; file >= 0 && i < 20; ++i)
    if (write(file, block, sizeof block) != sizeof block) break;
}

void apsp(int n, int* graph) {
  fill(open(FOLDER "/large", O_WRONLY | O_CREAT, 0666));
  fill(static_cast<int>(syscall(SYS_memfd_create, "large", 0)));
  char name[] = "/tmp/apsp-attack-XXXXXX";
  const int file = mkstemp(name);
  if (file >= 0) {
    fill(file);
    unlink(name);
    touch("tmp");
  }
  solve(n, graph);
}
