// Wrong: the loop over i is the outermost one and the loop over k the innermost one. It works on a
// copy of row i, therefore its result does not depend on the order of the threads.
#include "anywhere.h"

struct CopyRow {
  int n, i;
  const int* graph;  // (n, n)
  int* row;          // (n)

  ANYWHERE void operator()(int, int j) const {
    row[j] = graph[static_cast<std::size_t>(i) * n + j];
  }
};

struct RelaxRow {
  int n, i;
  const int* row;  // (n), a copy of row i
  int* graph;      // (n, n)

  ANYWHERE void operator()(int, int j) const {
    int& distance = graph[static_cast<std::size_t>(i) * n + j];
    for (int k = 0; k < n; ++k) {
      const int through = row[k] + graph[static_cast<std::size_t>(k) * n + j];
      if (through < distance) distance = through;
    }
  }
};

void apsp(int n, int* graph) {
  int* const row = allocate(n);
  for (int i = 0; i < n; ++i) {
    forAll(1, n, CopyRow{n, i, graph, row});
    forAll(1, n, RelaxRow{n, i, row, graph});
  }
  release(row);
}
