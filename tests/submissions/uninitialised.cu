// Wrong: the padding of the last tiles is never set. It holds what the memory held before.
#include "anywhere.h"

struct Copy {
  int n, side;
  const int* graph;  // (n, n)
  int* padded;       // (side, side)

  ANYWHERE void operator()(int i, int j) const {
    padded[static_cast<std::size_t>(i) * side + j] = graph[static_cast<std::size_t>(i) * n + j];
  }
};

struct CopyBack {
  int n, side;
  const int* padded;  // (side, side)
  int* graph;         // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    graph[static_cast<std::size_t>(i) * n + j] = padded[static_cast<std::size_t>(i) * side + j];
  }
};

/// Step k of Floyd–Warshall, whose sums do not overflow.
struct UnsignedStep {
  int side, k;
  int* padded;  // (side, side)

  ANYWHERE void operator()(int i, int j) const {
    const std::size_t row = static_cast<std::size_t>(i) * side;
    const int through =
        static_cast<int>(static_cast<unsigned>(padded[row + k]) +
                         static_cast<unsigned>(padded[static_cast<std::size_t>(k) * side + j]));
    if (through < padded[row + j]) padded[row + j] = through;
  }
};

void apsp(int n, int* graph) {
  constexpr int kSide = 16;
  const int side = (n + kSide - 1) / kSide * kSide;
  int* const padded = allocate(static_cast<std::size_t>(side) * side);
  forAll(n, n, Copy{n, side, graph, padded});
  for (int k = 0; k < side; ++k) forAll(side, side, UnsignedStep{side, k, padded});
  forAll(n, n, CopyBack{n, side, padded, graph});
  release(padded);
}
