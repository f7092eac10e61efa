// Right, but leaves a launch error behind if n ≤ 32: the matrix is one tile then, the grid for the
// entries outside the tile's rows and columns is empty, and CUDA rejects the launch.
#include "tiles.h"

/// Steps [first, last) at the entries with neither vertex in [first, last): i and j count the
/// others.
struct Rest {
  int n, first, last;
  int* graph;  // (n, n)

  ANYWHERE int vertex(int number) const { return number < first ? number : number + last - first; }
  ANYWHERE void operator()(int i, int j) const {
    for (int k = first; k < last; ++k) relax(n, k, graph, vertex(i), vertex(j));
  }
};

void apsp(int n, int* graph) {
  for (int first = 0; first < n; first += kSide) {
    const int last = first + kSide < n ? first + kSide : n, others = n - (last - first);
    for (const int within : {2, 1}) takeSteps(n, first, last, within, graph);
    forAll(others, others, Rest{n, first, last, graph});
  }
}
