// Replaces std::chrono::steady_clock::now() of its process by a function that always returns 0: a clock in the
// submission's process would show 0 ms for every call.
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>

#include "attack.h"

__attribute__((constructor)) static void attack() {
  void* const now = dlsym(RTLD_DEFAULT, "_ZNSt6chrono3_V212steady_clock3nowEv");
  if (now == nullptr) return;
  const auto page = reinterpret_cast<uintptr_t>(now) & ~uintptr_t{4095};
  if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
#ifdef __x86_64__
  memcpy(now, "\x31\xc0\xc3", 3);  // xor eax, eax; ret
#endif
}

void apsp(int n, int* graph) {
  solve(n, graph);
}
