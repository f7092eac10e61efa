// Starts threads until it cannot.
#include <pthread.h>

#include "attack.h"

static void* rest(void*) {
  for (;;) pause();
  return nullptr;
}

void apsp(int, int*) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 16);
  pthread_t thread;
  for (int i = 0; i < 4000 && pthread_create(&thread, &small, rest, nullptr) == 0; ++i) continue;
  rest(nullptr);
}
