// Blocked Floyd–Warshall from forAll() alone, for submissions of the tests that differ in how they
// close the pivot tile.
#pragma once

#include "anywhere.h"

constexpr int kSide = 32;  // entries in a row of a tile

/// Steps [k, end) of the block of vertices [first, last). `within` says at which entries, by how
/// many of their two vertices are in the block: 2, the pivot tile; 1, the panels; 0, the rest.
struct BlockSteps {
  int n, first, last, within, k, end;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    const bool row = first <= i && i < last, column = first <= j && j < last;
    if (row + column != within) return;
    for (int step = k; step < end; ++step) relax(n, step, graph, i, j);
  }
};

/// closePivot(n, graph, first, last) must replace the pivot tile [first, last)² by its closure.
template <class ClosePivot>
void solveInTiles(int n, int* graph, ClosePivot closePivot) {
  for (int first = 0; first < n; first += kSide) {
    const int last = first + kSide < n ? first + kSide : n;
    closePivot(n, graph, first, last);
    // Entries of the panels read other entries of the panels, so each step is a launch of its own.
    // The rest reads the panels only, so one launch takes all its steps.
    for (int k = first; k < last; ++k) forAll(n, n, BlockSteps{n, first, last, 1, k, k + 1, graph});
    forAll(n, n, BlockSteps{n, first, last, 0, first, last, graph});
  }
}
