// Wrong: blocked; the update of the rest exchanges row and column within a tile of the row panel,
// as in s_row[threadIdx.x][k] in place of s_row[k][threadIdx.x].
#include "tiles.h"

struct WrongRest {
  int n, first, last;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    if ((first <= i && i < last) || (first <= j && j < last)) return;
    const std::size_t row = static_cast<std::size_t>(i) * n;
    const int corner = j / kSide * kSide;
    for (int k = 0; k < last - first; ++k) {
      const int from = first + j - corner, to = corner + k;
      if (from >= n || to >= n) continue;
      const int through = graph[row + first + k] + graph[static_cast<std::size_t>(from) * n + to];
      if (through < graph[row + j]) graph[row + j] = through;
    }
  }
};

void apsp(int n, int* graph) {
  for (int first = 0; first < n; first += kSide) {
    const int last = first + kSide < n ? first + kSide : n;
    for (int within = 2; within >= 1; --within) takeSteps(n, first, last, within, graph);
    forAll(n, n, WrongRest{n, first, last, graph});
  }
}
