#include "search/near_paths.h"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "base/object_pool.h"
#include "base/tolerance.h"
#include "search/bounded_search.h"

namespace engine {

namespace {

/// What the rows and columns of the problem are.
std::shared_ptr<const Selection> askedIn(const Problem& problem) {
  return std::make_shared<const Selection>(problem.asked == nullptr ? Selection() : *problem.asked);
}

/// The largest distance of a row that has some. Real distances may have been added up backwards,
/// and rounded in another way, so there is some room.
template <class T>
T mostOfRow(const SparseRows& rows, int i, int n) {
  const T* const distances = rows.distances(i).as<T>();
  const T most = *std::max_element(distances, distances + rows.count(i));
  if (isWhole(kDtype<T>)) return most;
  return static_cast<T>(static_cast<double>(most) * (1 + tolerance(n, kDtype<T>, 2)));
}

template <class T>
NearPaths searchedPaths(const Problem& problem, const SparseRows& rows) {
  const Graph& graph = problem.graph.onHost();
  const auto lists = std::make_shared<const EdgeLists<T>>(graph.n, toEdges<T>(graph));
  const auto pool = std::make_shared<ObjectPool<BoundedSearch<T>>>(
      std::max(1, omp_get_max_threads()),
      [&] { return std::make_shared<BoundedSearch<T>>(*lists); });
  return [lists, pool, asked = askedIn(problem), &rows](int row) {
    std::vector<std::vector<int>> paths;
    if (rows.count(row) == 0) return paths;
    const auto search = pool->take();
    search->from(asked->source(row), mostOfRow<T>(rows, row, lists->vertices()));
    for (std::size_t k = 0; k < rows.count(row); ++k)
      paths.push_back(search->pathTo(asked->target(rows.columnsOf(row)[k])));
    pool->give(search);
    return paths;
  };
}

}  // namespace

int NextVertices::next(int vertex, int column) const {
  const std::vector<Way>& ways = ways_[asSize(vertex)];
  return std::find_if(ways.begin(), ways.end(),
                      [column](const Way& way) { return way.column == column; })
      ->next;
}

std::vector<int> NextVertices::pathFrom(int vertex, int column) const {
  std::vector<int> path = {vertex};
  for (int at = next(vertex, column); at != path.back(); at = next(at, column)) path.push_back(at);
  return path;
}

NearPaths pathsAlong(std::shared_ptr<const NextVertices> next, const Problem& problem,
                     const SparseRows& rows) {
  return [next = std::move(next), asked = askedIn(problem), &rows](int row) {
    std::vector<std::vector<int>> paths;
    for (std::size_t k = 0; k < rows.count(row); ++k)
      paths.push_back(next->pathFrom(asked->source(row), rows.columnsOf(row)[k]));
    return paths;
  };
}

NearPaths pathsBySearch(const Problem& problem, const SparseRows& rows) {
  return withType(problem.graph.dtype(), [&](auto zero) -> NearPaths {
    return searchedPaths<decltype(zero)>(problem, rows);
  });
}

}  // namespace engine
