// Floyd–Warshall on parts: what happens in which order, and who sends what to whom.
//
// A round p takes one block of pivots. Let D(i,j) be a block and ⊗ the min-plus product:
//
//     pivot      D(p,p) becomes its closure D*
//     row panel  D(p,j) = D* ⊗ D(p,j)                               for all j
//     rest       D(i,j) = min(D(i,j), D(i,p) ⊗ D(p,j))              for all i ≠ p and all j
//
// apsp.cu says why this is right, and why D(i,p) may be as it was before the round. The ranks form
// a grid of P rows and Q columns. A round has three broadcasts:
//
//     D*      from its owner to the ranks in the same row of the grid, which have the row panel
//     D(p,j)  from these ranks, each down its column of the grid
//     D(i,p)  from the ranks that have the column panel, each along its row of the grid
//
// Look-ahead. Round p + 1 needs of round p only the blocks of its own row and column. These are
// updated first. Then the panels of round p + 1 are made, and their broadcasts run while the rest
// of round p is computed:
//
//     rank with row p+1   next(p) close row-panel send ─┐ rest(p) …………… next(p+1) …
//     another rank        next(p) ──────────────receive ┘ rest(p) …………… next(p+1) …
//
// The panels of two rounds are alive at a time. A panel is overwritten two rounds later, when the
// updates that read it are over.
#pragma once

#include <functional>

#include "several/part.h"

namespace engine {

/// Collective: replaces the matrix of n × n by the distances. The part has begun, and is to be
/// finished. first: rounds that are done already; after(rounds): called after each round with how
/// many are done.
RankTimes solveRounds(Part& part, int n, GridRanks& ranks, int first = 0,
                      const std::function<void(int rounds)>& after = nullptr);

}  // namespace engine
