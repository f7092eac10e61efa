// Changes the code of its own process through /proc/self/mem, which ignores that pages are read-only: the clock returns
// 0 from then on.
#include <dlfcn.h>
#include <stdint.h>

#include "attack.h"

__attribute__((constructor)) static void attack() {
#ifdef __x86_64__
  void* const now = dlsym(RTLD_DEFAULT, "_ZNSt6chrono3_V212steady_clock3nowEv");
  const int memory = open("/proc/self/mem", O_RDWR);
  if (now != nullptr && memory >= 0 && pwrite(memory, "\x31\xc0\xc3", 3, reinterpret_cast<off_t>(now)) != 3) return;
#endif
}

void apsp(int n, int* graph) {
  solve(n, graph);
}
