// Right, for host memory: one thread for each half of the rows, joined after every step.
#include <thread>

#include "anywhere.h"

void apsp(int n, int* graph) {
  const auto steps = [=](int k, int first, int last) {
    for (int i = first; i < last; ++i) {
      for (int j = 0; j < n; ++j) relax(n, k, graph, i, j);
    }
  };
  for (int k = 0; k < n; ++k) {
    std::thread other(steps, k, n / 2, n);
    steps(k, 0, n / 2);
    other.join();
  }
}
