#include "dense/plain_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/progress.h"

namespace {

int same(int element) {
  return element;
}

/// read() makes a number of an element, write() the element of a number.
template <auto read, auto write>
void solve(int n, int* graph) {  // graph: (n, n)
  Progress pivots("", static_cast<std::uint64_t>(n));
  for (int k = 0; k < n; ++k, pivots.advance()) {
    const int* const rowK = graph + static_cast<std::size_t>(k) * n;
    for (int i = 0; i < n; ++i) {
      int* const rowI = graph + static_cast<std::size_t>(i) * n;
      const auto first = read(rowI[k]);
      for (int j = 0; j < n; ++j) rowI[j] = write(std::min(read(rowI[j]), first + read(rowK[j])));
    }
  }
}

}  // namespace

void apspScalar(int n, int* graph, Dtype dtype) {
  dtype == Dtype::kInt32 ? solve<same, same>(n, graph) : solve<toFloat, toWord>(n, graph);
}
