// Wrong in a way that no diagnosis knows: the last bit of every distance is lost.
#include "anywhere.h"

struct ClearBit {
  int n;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const { graph[static_cast<std::size_t>(i) * n + j] &= ~1; }
};

void apsp(int n, int* graph) {
  solveNaively(n, graph);
  forAll(n, n, ClearBit{n, graph});
}
