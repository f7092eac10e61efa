// Wrong: the loop over k ends one step too early.
#include "anywhere.h"

void apsp(int n, int* graph) {
  for (int k = 0; k < n - 1; ++k) forAll(n, n, Step{n, k, graph});
}
