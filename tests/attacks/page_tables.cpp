// Reads one page in each 2 MiB of addresses. All of them are the page of zeros, which is not counted, but each has a
// page table of its own.
#include <stdlib.h>
#include <sys/mman.h>

#include "attack.h"

void apsp(int n, int* graph) {
  constexpr size_t kStep = size_t{2} << 20, kSize = kStep * 1000000;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char* const zeros = static_cast<char*>(mmap(nullptr, kSize, PROT_READ, kFlags, -1, 0));
  if (zeros == MAP_FAILED) abort();
  madvise(zeros, kSize, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < kSize; at += kStep) graph[0] += zeros[at];
  solve(n, graph);
}
