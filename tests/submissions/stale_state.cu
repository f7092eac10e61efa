// Wrong: takes as many steps as the first call had to, as one does that sets up its launches once:
// right for the n of that, wrong for any larger one.
#include "anywhere.h"

void apsp(int n, int* graph) {
  static const int first = n;
  for (int k = 0; k < n && k < first; ++k) forAll(n, n, Step{n, k, graph});
}
