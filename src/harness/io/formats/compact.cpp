#include "io/formats/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/ids.h"

namespace {

/// Renumbers the edges by the place of their ids in `ids`.
template <class T>
void renumber(Edges<T>& edges, const std::vector<int>& ids) {
  const auto placeOf = [&](int id) {
    return static_cast<int>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  };
#pragma omp parallel for
  for (std::size_t k = 0; k < edges.size(); ++k) {
    edges[k].from = placeOf(edges[k].from);
    edges[k].to = placeOf(edges[k].to);
  }
}

}  // namespace

template <class T>
FileGraph graphOf(int n, Edges<T> edges, const ReadOptions& options, int first) {
  ReadReport report;
  if (options.compact) {
    const std::vector<int> ids = occurringIds(n, edges);
    n = static_cast<int>(ids.size());
    if (options.onSize)
      options.onSize(n, options.dtype.value_or(kDtype<T>), static_cast<std::int64_t>(edges.size()));
    renumber(edges, ids);
    for (const int id : ids)
      fmt::format_to(std::back_inserter(report.names), "{}\n", std::int64_t{id} + first);
  }
  Graph graph = fromEdges(n, std::move(edges), &report.dropped);
  return {std::move(graph), std::move(report)};
}
template FileGraph graphOf(int, Edges<std::int32_t>, const ReadOptions&, int);
template FileGraph graphOf(int, Edges<float>, const ReadOptions&, int);
template FileGraph graphOf(int, Edges<std::int64_t>, const ReadOptions&, int);
template FileGraph graphOf(int, Edges<double>, const ReadOptions&, int);
