// Wrong: the distances are right, but entry (i, j) of the result is the distance from j to i.
#include "anywhere.h"

struct Transpose {
  int n;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    if (i >= j) return;
    int& above = graph[static_cast<std::size_t>(i) * n + j];
    int& below = graph[static_cast<std::size_t>(j) * n + i];
    const int kept = above;
    above = below;
    below = kept;
  }
};

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(n, n, Transpose{n, graph});
}
