// Ignores all signals and never returns. It writes without end meanwhile.
#include <pthread.h>
#include <signal.h>

#include "attack.h"

static void* flood(void*) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  while (write(STDOUT_FILENO, block, sizeof block) != 0) continue;
  return nullptr;
}

void apsp(int, int*) {
  for (int signal = 1; signal < 65; ++signal) ::signal(signal, SIG_IGN);
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, flood, nullptr);
  }
  flood(nullptr);
}
