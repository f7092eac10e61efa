#include "filtered/gather.h"

#include <numeric>

double sumOfAll(FilterTeam& team, double mine) {
  const std::vector<double> each = team.all(mine);
  return std::accumulate(each.begin(), each.end(), 0.0);
}

Arcs gatherArcs(FilterTeam& team, std::vector<int> degrees,
                const std::vector<std::vector<Arc>>& parts) {
  const std::vector<Band>& rows = team.rows();
  if (rows.size() == 1) return {degrees, parts};
  std::vector<std::vector<Arc>> lists(rows.size());
  for (int rank = 0; rank < static_cast<int>(rows.size()); ++rank) {
    const Band band = rows[static_cast<std::size_t>(rank)];
    int* const counts = degrees.data() + band.first;
    team.broadcast(counts, static_cast<std::size_t>(band.count) * sizeof *counts, rank, nullptr);
    std::vector<Arc>& list = lists[static_cast<std::size_t>(rank)];
    const std::size_t size = std::accumulate(counts, counts + band.count, std::size_t{0});
    list.reserve(size);
    if (rank == team.rank())
      for (const std::vector<Arc>& part : parts) list.insert(list.end(), part.begin(), part.end());
    list.resize(size);
    team.broadcast(list.data(), size * sizeof(Arc), rank, nullptr);
  }
  return {degrees, lists};
}
