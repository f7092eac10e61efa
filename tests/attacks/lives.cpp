// Touches a file as long as it lives.
#include <pthread.h>

#include "attack.h"

static void* live(void*) {
  for (;; usleep(10000)) touch("lives");
}

void apsp(int, int*) {
  pthread_t thread;
  pthread_create(&thread, nullptr, live, nullptr);
}
