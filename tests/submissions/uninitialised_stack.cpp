// Wrong: the padding of the last tiles is never set. It holds what the stack held before.
#include <alloca.h>

#include "anywhere.h"

void apsp(int n, int* graph) {
  constexpr int kSide = 16;
  const int side = (n + kSide - 1) / kSide * kSide;
  int* const padded = static_cast<int*>(alloca(sizeof(int) * side * side));
  for (int i = 0; i < n; ++i) std::copy_n(graph + i * n, n, padded + i * side);
  for (int k = 0; k < side; ++k)
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j) {
        const unsigned through = static_cast<unsigned>(padded[i * side + k]) +
                                 static_cast<unsigned>(padded[k * side + j]);
        if (static_cast<int>(through) < padded[i * side + j])
          padded[i * side + j] = static_cast<int>(through);
      }
  for (int i = 0; i < n; ++i) std::copy_n(padded + i * side, n, graph + i * n);
}
