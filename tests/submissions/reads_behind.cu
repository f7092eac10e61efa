// Wrong: k runs to the end of the last tile, so rows after the matrix are read. That does no harm
// only if they hold large numbers.
#include "anywhere.h"

struct LightStep {
  int n, k;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    constexpr int kInfinity = 1000000000;
    const std::size_t row = static_cast<std::size_t>(i) * n;
    const int first = graph[row + k], second = graph[static_cast<std::size_t>(k) * n + j];
    if (first >= kInfinity || second >= kInfinity || first + second >= graph[row + j]) return;
    graph[row + j] = first + second;
  }
};

void apsp(int n, int* graph) {
  constexpr int kMultiple = 16;
  const int end = (n + kMultiple - 1) / kMultiple * kMultiple;
  for (int k = 0; k < end; ++k) forAll(n, n, LightStep{n, k, graph});
}
