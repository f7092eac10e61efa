#include "dense/plain_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/progress.h"
#include "base/size.h"

namespace engine {

namespace {

template <class T>
void solve(int n, T* graph) {  // graph: (n, n)
  Progress pivots("", static_cast<std::uint64_t>(n));
  for (int k = 0; k < n; ++k, pivots.advance()) {
    const T* const rowK = graph + asSize(k) * n;
    for (int i = 0; i < n; ++i) {
      T* const rowI = graph + asSize(i) * n;
      const T first = rowI[k];
      for (int j = 0; j < n; ++j) rowI[j] = std::min(rowI[j], first + rowK[j]);
    }
  }
}

}  // namespace

void apspScalar(int n, Elements graph) {
  withElements(graph, [n](auto* numbers) { solve(n, numbers); });
}

}  // namespace engine
