// Wrong: the first call sets up what later calls use, but does not solve its own graph.
#include "anywhere.h"

void apsp(int n, int* graph) {
  static bool ready = false;
  if (ready) solveNaively(n, graph);
  ready = true;
}
