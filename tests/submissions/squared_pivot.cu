// Wrong: multiplies the pivot tile by itself once instead of closing it. That finds only the paths
// of at most two edges within the tile.
#include "tiles.h"

struct Square {
  int n, first, last;
  const int* tile;  // (last − first, last − first), a copy of the pivot tile
  int* graph;       // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    const int side = last - first;
    int& distance = graph[static_cast<std::size_t>(first + i) * n + first + j];
    for (int k = 0; k < side; ++k) {
      const int through = tile[i * side + k] + tile[k * side + j];
      if (through < distance) distance = through;
    }
  }
};

struct CopyTile {
  int n, first, last;
  int* tile;         // (last − first, last − first)
  const int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    tile[i * (last - first) + j] = graph[static_cast<std::size_t>(first + i) * n + first + j];
  }
};

void apsp(int n, int* graph) {
  int* const tile = allocate(kSide * kSide);
  solveInTiles(n, graph, [=](int count, int* matrix, int first, int last) {
    forAll(last - first, last - first, CopyTile{count, first, last, tile, matrix});
    forAll(last - first, last - first, Square{count, first, last, tile, matrix});
  });
  release(tile);
}
