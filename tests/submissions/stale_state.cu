// Wrong: every call takes as many steps as the first one needed, because the number of steps is set
// up once. Graphs larger than the first one come out wrong.
#include "anywhere.h"

void apsp(int n, int* graph) {
  static const int first = n;
  for (int k = 0; k < n && k < first; ++k) forAll(n, n, Step{n, k, graph});
}
