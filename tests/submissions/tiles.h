// Blocked Floyd–Warshall from forAll() alone, for submissions of the tests that differ in how they
// close the pivot tile.
#pragma once

#include "anywhere.h"

constexpr int kSide = 32;  // entries in a row of a tile

/// Takes step k of Floyd–Warshall at entry (row + i, column + j).
struct StepFrom {
  int n, k, row, column;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    int* const line = graph + static_cast<std::size_t>(row + i) * n;
    const int* const pivot = graph + static_cast<std::size_t>(k) * n;
    const int through = line[k] + (pivot + column)[j];  // no column + j, which may wrap: a gather
    (line + column)[j] = through < (line + column)[j] ? through : (line + column)[j];
  }
};

/// Takes the steps first to last − 1 at entry (row + i, column + j).
struct StepsFrom {
  int n, first, last, row, column;
  int* graph;  // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    for (int k = first; k < last; ++k) relax(n, k, graph, row + i, column + j);
  }
};

/// Calls take(row, rows, column, columns) for each rectangle of entries of which so many of their
/// two vertices are in [first, last): 2, the pivot tile; 1, the panels; 0, the rest.
template <class Take>
void forParts(int n, int first, int last, int within, Take take) {
  const int begin[] = {0, first, last}, end[] = {first, last, n};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int rows = end[a] - begin[a], columns = end[b] - begin[b];
      if ((a == 1) + (b == 1) == within && rows > 0 && columns > 0)
        take(begin[a], rows, begin[b], columns);
    }
  }
}

/// Steps [first, last) at those entries, one after the other.
inline void takeSteps(int n, int first, int last, int within, int* graph) {
  for (int k = first; k < last; ++k) {
    forParts(n, first, last, within, [=](int row, int rows, int column, int columns) {
      forAll(rows, columns, StepFrom{n, k, row, column, graph});
    });
  }
}

/// Solves the rest. A GPU takes all steps in one launch, but a CPU has vectors for one step only.
inline void solveRest(int n, int first, int last, int* graph) {
#ifdef __CUDACC__
  forParts(n, first, last, 0, [=](int row, int rows, int column, int columns) {
    forAll(rows, columns, StepsFrom{n, first, last, row, column, graph});
  });
#else
  takeSteps(n, first, last, 0, graph);
#endif
}

/// closePivot(n, graph, first, last) must replace the pivot tile [first, last)² by its closure.
template <class ClosePivot>
void solveInTiles(int n, int* graph, ClosePivot closePivot) {
  for (int first = 0; first < n; first += kSide) {
    const int last = first + kSide < n ? first + kSide : n;
    closePivot(n, graph, first, last);
    // Entries of the panels read other entries of the panels, so each step is a launch of its own.
    takeSteps(n, first, last, 1, graph);
    solveRest(n, first, last, graph);
  }
}
