// Wrong: it takes the matrix for symmetric, and reads the upper half only.
#include "anywhere.h"

struct Mirror {
  int n;
  int* graph;

  ANYWHERE void operator()(int i, int j) const {
    if (j < i) graph[static_cast<std::size_t>(i) * n + j] = graph[static_cast<std::size_t>(j) * n + i];
  }
};

void apsp(int n, int* graph) {
  forAll(n, n, Mirror{n, graph});
  solveNaively(n, graph);
}
