// Wrong: takes as many steps as the call before had to, as one does whose launches are set up once
// a call, but after them: wrong for the first graph of a size that follows smaller ones.
#include "anywhere.h"

void apsp(int n, int* graph) {
  static int last = n;
  for (int k = 0; k < n && k < last; ++k) forAll(n, n, Step{n, k, graph});
  last = n;
}
