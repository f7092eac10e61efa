#include "filtered/gather.h"

#include <cstdint>
#include <numeric>

#include "base/size.h"

namespace engine {

double sumOfAll(FilterTeam& team, double mine) {
  const std::vector<double> each = team.all(mine);
  return std::accumulate(each.begin(), each.end(), 0.0);
}

template <class T>
Arcs<T> gatherArcs(FilterTeam& team, std::vector<int> degrees,
                   const std::vector<std::vector<Arc<T>>>& parts) {
  const std::vector<Band>& rows = team.rows();
  if (rows.size() == 1) return {degrees, parts};
  std::vector<std::vector<Arc<T>>> lists(rows.size());
  for (int rank = 0; rank < static_cast<int>(rows.size()); ++rank) {
    const Band band = rows[asSize(rank)];
    int* const counts = degrees.data() + band.first;
    team.broadcast(counts, asSize(band.count) * sizeof *counts, rank, nullptr);
    std::vector<Arc<T>>& list = lists[asSize(rank)];
    const std::size_t size = std::accumulate(counts, counts + band.count, std::size_t{0});
    list.reserve(size);
    if (rank == team.rank())
      for (const std::vector<Arc<T>>& part : parts)
        list.insert(list.end(), part.begin(), part.end());
    list.resize(size);
    team.broadcast(list.data(), size * sizeof(Arc<T>), rank, nullptr);
  }
  return {degrees, lists};
}

template Arcs<std::int32_t> gatherArcs(FilterTeam&, std::vector<int>,
                                       const std::vector<std::vector<Arc<std::int32_t>>>&);
template Arcs<float> gatherArcs(FilterTeam&, std::vector<int>,
                                const std::vector<std::vector<Arc<float>>>&);
template Arcs<std::int64_t> gatherArcs(FilterTeam&, std::vector<int>,
                                       const std::vector<std::vector<Arc<std::int64_t>>>&);
template Arcs<double> gatherArcs(FilterTeam&, std::vector<int>,
                                 const std::vector<std::vector<Arc<double>>>&);

}  // namespace engine
