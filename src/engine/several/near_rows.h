// Distances up to a limit, or the nearest ones, on several ranks.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "ranks/ranks.h"
#include "search/near.h"
#include "solver/problem.h"
#include "solver/selection.h"
#include "solver/sparse_rows.h"

namespace engine {

/// What rank 0 asks.
struct NearQuestion {
  Selection asked = {};
  Nearness near = {};
};

/// Collective: all ranks get the question of rank 0. Throws std::bad_alloc.
void shareQuestion(Ranks& all, NearQuestion& question);

/// What a rank has found for its share of the rows, or why it has not.
struct NearShare {
  std::unique_ptr<SparseRows> rows;  ///< null if there is trouble
  NearBy by = NearBy::kSearch;
  std::string trouble = "";
  ErrorCode code = ErrorCode::kMemory;  ///< of the trouble
};

/// Answers for this rank's share of the sources, on the CPU.
NearShare findShare(const Ranks& all, const ProblemGraph& graph, const NearQuestion& question);

/// Collective: rank 0 gets all `rows` rows, in their order, and the others get null. mine: this
/// rank's share of them. Whether they have room is to be asked of the result.
std::unique_ptr<SparseRows> gatherRows(Ranks& all, int rows, const SparseRows& mine);

}  // namespace engine
