#include "solvers/plain_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/progress.h"

namespace {

template <class T>
void solve(int n, T* graph) {  // graph: (n, n)
  Progress pivots("", static_cast<std::uint64_t>(n));
  for (int k = 0; k < n; ++k, pivots.advance()) {
    const T* const rowK = graph + static_cast<std::size_t>(k) * n;
    for (int i = 0; i < n; ++i) {
      T* const rowI = graph + static_cast<std::size_t>(i) * n;
      const T first = rowI[k];
      for (int j = 0; j < n; ++j) rowI[j] = std::min(rowI[j], first + rowK[j]);
    }
  }
}

}  // namespace

void apspScalar(int n, int* graph) {
  solve(n, graph);
}
void apspScalar(int n, float* graph) {
  solve(n, graph);
}
