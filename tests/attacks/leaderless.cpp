// Ends its first thread, which had its memory as far as /proc tells. Another one takes memory.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "attack.h"

static void* take(void*) {
  constexpr size_t kBlock = size_t{64} << 20;
  for (int block = 0; block < 80; ++block) memset(malloc(kBlock), 1, kBlock);
  for (;;) pause();
}

void apsp(int, int*) {
  pthread_t thread;
  pthread_create(&thread, nullptr, take, nullptr);
  syscall(SYS_exit, 0);
}
