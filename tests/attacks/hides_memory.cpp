// Writes to memory that is mapped shared and unmaps all but one page of it. The kernel keeps the other pages, too, but
// they are not resident.
#include <stdlib.h>
#include <sys/mman.h>

#include "attack.h"

/// Whether it took memory that nobody counts.
static bool hide(int file, int flags) {
  constexpr size_t kSize = size_t{64} << 20, kPage = 4096;
  char* const memory =
      static_cast<char*>(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, 0));
  if (memory == MAP_FAILED) return false;
  memset(memory, 1, kSize);
  munmap(memory + kPage, kSize - kPage);
  return true;
}

void apsp(int n, int* graph) {
  const int zeros = open("/dev/zero", O_RDWR), file = memfd_create("x", 0);
  const bool large = ftruncate(file, 64 << 20) == 0;
  for (int time = 0; time < 45; ++time)
    if (hide(-1, MAP_ANONYMOUS) || hide(zeros, 0) || (large && hide(file, 0)))
      if (time == 44) _exit(7);
  solve(n, graph);
}
