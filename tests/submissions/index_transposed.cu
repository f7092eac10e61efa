// Wrong: reads graph[j*n + k] in place of graph[k*n + j], and therefore takes edges backwards.
#include "anywhere.h"

struct WrongStep {
  int n, k;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    const std::size_t row = static_cast<std::size_t>(i) * n;
    const int through = graph[row + k] + graph[static_cast<std::size_t>(j) * n + k];
    if (through < graph[row + j]) graph[row + j] = through;
  }
};

void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k) forAll(n, n, WrongStep{n, k, graph});
}
