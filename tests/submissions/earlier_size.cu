// Wrong: each call takes as many steps as the call before needed, because it sets up the number of
// steps at its end. The first graph that is larger than the one before comes out wrong.
#include "anywhere.h"

void apsp(int n, int* graph) {
  static int last = n;
  for (int k = 0; k < n && k < last; ++k) forAll(n, n, Step{n, k, graph});
  last = n;
}
