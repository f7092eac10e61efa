// Wrong: one launch takes all steps, with nothing that makes it wait between them, so that an entry
// takes step k while those that it reads have still to take others.
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
