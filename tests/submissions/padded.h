// Solves in a matrix that is padded to whole tiles, for submissions of the tests that differ in the
// value of the padding.
#pragma once

#include "anywhere.h"

struct PadOut {
  int n, side, padding;
  const int* graph;  // (n, n)
  int* padded;       // (side, side)

  ANYWHERE void operator()(int i, int j) const {
    const bool inside = i < n && j < n;
    padded[static_cast<std::size_t>(i) * side + j] =
        inside ? graph[static_cast<std::size_t>(i) * n + j] : padding;
  }
};

struct CutBack {
  int n, side;
  const int* padded;  // (side, side)
  int* graph;         // (n, n)

  ANYWHERE void operator()(int i, int j) const {
    graph[static_cast<std::size_t>(i) * n + j] = padded[static_cast<std::size_t>(i) * side + j];
  }
};

/// Right if no path through the padding is shorter than the shortest path without it.
inline void solvePadded(int n, int* graph, int padding) {
  constexpr int kMultiple = 32;
  const int side = (n + kMultiple - 1) / kMultiple * kMultiple;
  int* const padded = allocate(static_cast<std::size_t>(side) * side);
  forAll(side, side, PadOut{n, side, padding, graph, padded});
  solveNaively(side, padded);
  forAll(n, n, CutBack{n, side, padded, graph});
  release(padded);
}
