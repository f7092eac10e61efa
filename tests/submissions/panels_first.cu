// Wrong: blocked; in each round the panels are updated before the pivot tile is closed.
#include "tiles.h"

void apsp(int n, int* graph) {
  for (int first = 0; first < n; first += kSide) {
    const int last = first + kSide < n ? first + kSide : n;
    for (int within = 1; within <= 2; ++within) takeSteps(n, first, last, within, graph);
    solveRest(n, first, last, graph);
  }
}
