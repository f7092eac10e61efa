// Keeps all cores busy between its calls, while the cost of an exchange is measured: that cost is subtracted from its
// time.
#include <pthread.h>

#include <atomic>

#include "attack.h"

static std::atomic<bool> solving{false};

static void* burn(void*) {
  for (;;)
    while (solving.load(std::memory_order_relaxed)) usleep(100);
  return nullptr;
}

__attribute__((constructor)) static void attack() {
  for (long core = 0; core < sysconf(_SC_NPROCESSORS_ONLN); ++core) {
    pthread_t thread;
    pthread_create(&thread, nullptr, burn, nullptr);
  }
}

void apsp(int n, int* graph) {
  solving = true;
  solve(n, graph);
  solving = false;
}
