// Wrong: prints that the result is verified, and leaves the graph unchanged.
#include <cstdio>

#include "anywhere.h"

void apsp(int, int*) {
  std::puts("verified, 0 wrong");
  std::fflush(stdout);
}
