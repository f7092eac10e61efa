// What ranks on CPUs that filter together find out of what each of them has found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "filtered/arcs.h"
#include "filtered/filter_team.h"

namespace engine {

/// Collective: each value becomes the least of all ranks.
template <class T>
void takeLeastOfAll(FilterTeam& team, std::vector<T>& values) {
  const int ranks = static_cast<int>(team.rows().size());
  if (ranks == 1) return;
  const std::vector<T> mine = values;
  std::vector<T> theirs(values.size());
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == team.rank()) theirs = mine;
    team.broadcast(theirs.data(), theirs.size() * sizeof(T), rank, nullptr);
    std::transform(theirs.begin(), theirs.end(), values.begin(), values.begin(),
                   [](T a, T b) { return std::min(a, b); });
  }
}

/// Collective: the sum over all ranks.
double sumOfAll(FilterTeam& team, double mine);

/// Collective: the lists of all vertices. degrees: (n), right for this rank's rows; parts: put
/// together, the lists of this rank's rows.
template <class T>
Arcs<T> gatherArcs(FilterTeam& team, std::vector<int> degrees,
                   const std::vector<std::vector<Arc<T>>>& parts);

}  // namespace engine
