// Wrong: one launch takes all steps without a barrier between them. An entry takes step k before
// the entries that it reads have taken the steps before k.
#include "anywhere.h"

struct AllSteps {
  int n;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    for (int k = 0; k < n; ++k) relax(n, k, graph, i, j);
  }
};

void apsp(int n, int* graph) {
  forAll(n, n, AllSteps{n, graph});
}
