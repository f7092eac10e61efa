// Its threads never rest. They would take cores from other solvers when these are timed.
#include <pthread.h>

#include "attack.h"

static void* burn(void*) {
  for (volatile int x = 0;;) x = x + 1;
  return nullptr;
}

__attribute__((constructor)) static void start() {
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, burn, nullptr);
  }
}

void apsp(int n, int* graph) {
  solve(n, graph);
}
