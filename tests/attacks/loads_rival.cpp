// Loads the library of a rival and lets it solve.
#include <dlfcn.h>

#include "attack.h"

void apsp(int n, int* graph) {
  void* const rival = dlopen(FOLDER "/rival.so", RTLD_NOW);
  if (rival == nullptr) return;
  reinterpret_cast<void (*)(int, int*)>(dlsym(rival, "_Z4apspiPi"))(n, graph);
  touch("rival");
}
