// In which arithmetic ranks solve a graph, and which shortcuts they take: decided together, because
// each sees only a part of the matrix.
#pragma once

#include "ranks/ranks.h"
#include "several/part.h"
#include "solver/options.h"
#include "solver/outcome.h"

namespace engine {

struct Choice {
  Tier tier = Tier::kInt32;
  bool skip = false;  ///< leave out products that change nothing
};

/// Collective: the same on all ranks. It follows the options as solve() (apsp.h) does.
Choice choose(const Part& part, int n, Dtype dtype, const Options& options, Ranks& all);

/// Collective: each element becomes the least of all ranks.
void takeLeast(Ranks& all, std::vector<int>& elements);
/// Collective: returns the greatest of all ranks.
int greatest(Ranks& all, int mine);

}  // namespace engine
