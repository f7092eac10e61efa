// Works where no call is: its constructor, its destructor, a thread's destructors and atexit() write files. Its apsp()
// is chosen by a resolver, which runs while the library is loaded and writes one, too.
#include <pthread.h>
#include <stdlib.h>

#include "attack.h"

struct AtThreadEnd {
  ~AtThreadEnd() { touch("thread-end"); }
  int used = 0;
};
static thread_local AtThreadEnd atThreadEnd;

static struct AtEnd {
  AtEnd() { touch("constructor"); }
  ~AtEnd() { touch("destructor"); }
} atEnd;

static void* useThread(void*) {
  ++atThreadEnd.used;
  return nullptr;
}

__attribute__((constructor)) static void attack() {
  atexit([] { touch("atexit"); });
}

extern "C" {
static void honest(int n, int* graph) {
  pthread_t thread;
  pthread_create(&thread, nullptr, useThread, nullptr);
  pthread_join(thread, nullptr);
  solve(n, graph);
}
static void (*resolve())(int, int*) {
  static const char kPath[] = FOLDER "/resolver";
#ifdef __x86_64__
  // No function of another library may be called yet.
  long file = 2;
  __asm__ volatile("syscall" : "+a"(file) : "D"(kPath), "S"(O_WRONLY | O_CREAT), "d"(0666) : "rcx", "r11", "memory");
#endif
  return honest;
}
}

void apsp(int n, int* graph) __attribute__((ifunc("resolve")));
