// Wrong: a separate path for a matrix of one tile has the loop over k innermost instead of
// outermost. The result is wrong for n ≤ 32.
#include "anywhere.h"

struct OneTile {
  int n;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int, int) const {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) relax(n, k, graph, i, j);
      }
    }
  }
};

void apsp(int n, int* graph) {
  if (n > 32) return solveNaively(n, graph);
  forAll(1, 1, OneTile{n, graph});
}
