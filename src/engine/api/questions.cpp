// Answers that are smaller than all distances.
#include <apsp/apsp.h>

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "api/handles.h"
#include "api/options.h"
#include "api/status.h"
#include "base/thread_team.h"
#include "search/betweenness.h"
#include "search/extremes.h"
#include "search/near.h"
#include "search/pairs.h"

using namespace engine;

struct apsp_near : Marked<0xa959eb04> {
  std::unique_ptr<SparseRows> rows;
  int threads = omp_get_max_threads();  // of OpenMP when it was found
};

struct apsp_pairs : Marked<0xa959eb05> {
  std::mutex mutex;  // one caller at a time
  const int n;
  const Dtype dtype;
  Pairs pairs;
};

namespace engine {

namespace {

/// Calls answer(graph, execution, solver) with what the caller asks for. Throws InvalidArgument.
template <class Answer>
void answer(const apsp_graph* graph, const apsp_options* options, const Answer& give) {
  requireHandle(graph, "graph");
  const apsp_options o = complete(options);
  requireSupport(!o.negative, "this takes no negative weights: leave options.negative, or solve");
  requireSupport(o.ranks <= 1, "this is for one rank: leave options.ranks");
  const OnGpu there(o.gpu);
  const ThreadCount threads(o.threads);
  const Watcher watcher(o);
  const Device& device = o.place == APSP_GPU ? deviceAt(APSP_GPU) : cpuDevice;
  const ProblemGraph problem = graphOf(*graph, false, false);
  give(o, problem, Execution{device, {}}, findSolver("apsp", device.kind()));
  throwIfCancelled();
}

apsp_status findNearIn(const apsp_graph* graph, const Nearness& asked, const apsp_options* options,
                       apsp_near** near) {
  return guarded([&] {
    require(near != nullptr, "near is NULL");
    answer(graph, options,
           [&](const apsp_options& o, const ProblemGraph& problem, const Execution& where,
               const Solver& whole) {
             const Selection wanted = selectionOf(*graph, o);
             const NearPlace place = o.place == APSP_GPU        ? NearPlace::kThere
                                     : o.place == APSP_ANYWHERE ? NearPlace::kEither
                                                                : NearPlace::kCpu;
             NearRows found = findNear({problem, wanted.all() ? nullptr : &wanted}, where, whole,
                                       asked, {}, place);
             throwIfCancelled();
             *near = new apsp_near{{}, std::move(found.rows)};
           });
  });
}

/// Whether the rows of a result are computed each time that they are asked for, so that to find the
/// small ones of its graph takes less time.
bool findsAgain(const apsp_result& result) {
  return !result.negative && result.team == nullptr && result.asked.all() &&
         result.device == &cpuDevice && result.graph.heldAsEdges() &&
         result.distances->whole() == nullptr;
}

apsp_status findNearOf(apsp_result* result, const Nearness& asked, apsp_near** near) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(near != nullptr, "near is NULL");
    require(!std::isnan(asked.limit), "limit is no number");
    require(asked.nearest.value_or(0) >= 0, "k is negative");
    const std::lock_guard lock(result->mutex);
    const bool again = findsAgain(*result) && asked.limit >= 0 &&
                       asked.nearest.value_or(0) <= result->distances->columns();
    auto made = std::make_unique<apsp_near>();
    result->withRun([&](Crew*) {
      made->rows = again ? findNear(result->problem(), Execution{cpuDevice},
                                    findSolver("apsp", DeviceKind::kCpu), asked)
                               .rows
                         : smallOf(*result->distances, asked);
    });
    *near = made.release();
  });
}

/// Calls give(graph, betweenness), where the graph is held as edges. wanted: 0 samples are all.
template <class Give>
void countPaths(const apsp_graph* graph, BetweennessOptions wanted, const apsp_options* options,
                const Give& give) {
  require(wanted.samples >= 0, "samples is negative: it is 0 for all vertices");
  if (wanted.samples == 0) wanted.samples.reset();
  answer(graph, options,
         [&](const apsp_options& o, const ProblemGraph& problem, const Execution&, const Solver&) {
           requireSupport(selectionOf(*graph, o).all(),
                          "betweenness is that of all vertices: leave sources and targets");
           const Graph list = asEdges(problem.onHost());
           const Betweenness found = betweennessOf(list, wanted);
           throwIfCancelled();
           give(list, found);
         });
}

/// A matrix with a value for each edge of a graph. It is sparse.
std::unique_ptr<SparseRows> rowsOf(const Graph& list, const std::vector<double>& values) {
  auto rows = std::make_unique<SparseRows>(list.n, list.n, Dtype::kFloat64);
  withEdges(list, [&](const auto& edges) {
    const std::vector<std::size_t> starts = edgeStarts(list.n, edges);
    for (int u = 0; u < list.n && rows->hasRoom(); ++u) {
      const std::size_t first = starts[asSize(u)], count = starts[asSize(u) + 1] - first;
      const auto places = rows->place(u, count);
      if (places.columns == nullptr) continue;
      std::copy_n(values.data() + first, count, static_cast<double*>(places.distances));
      for (std::size_t e = 0; e < count; ++e) places.columns[e] = edges[first + e].to;
    }
  });
  rows->requireRoom();
  return rows;
}

/// paths: these are asked for, too.
apsp_status makePairs(const apsp_graph* graph, const apsp_options* options, bool paths,
                      apsp_pairs** pairs) {
  return guarded([&] {
    require(pairs != nullptr, "pairs is NULL");
    std::unique_ptr<apsp_pairs> made;
    answer(graph, options,
           [&](const apsp_options&, const ProblemGraph& problem, const Execution&, const Solver&) {
             made.reset(new apsp_pairs{
                 {}, {}, problem.n(), problem.dtype(), Pairs(problem.onHost(), nullptr, paths)});
           });
    *pairs = made.release();  // if it was not cancelled
  });
}

}  // namespace

}  // namespace engine

extern "C" {

apsp_status apsp_find_within(const apsp_graph* graph, double limit, const apsp_options* options,
                             apsp_near** near) {
  return findNearIn(graph, {limit, {}}, options, near);
}

apsp_status apsp_find_nearest(const apsp_graph* graph, int32_t k, double limit,
                              const apsp_options* options, apsp_near** near) {
  return findNearIn(graph, {limit, k}, options, near);
}

apsp_status apsp_result_within(apsp_result* result, double limit, apsp_near** near) {
  return findNearOf(result, {limit, {}}, near);
}

apsp_status apsp_result_nearest(apsp_result* result, int32_t k, double limit, apsp_near** near) {
  return findNearOf(result, {limit, k}, near);
}

apsp_status apsp_near_size(const apsp_near* near, int32_t* rows, size_t* entries) {
  return guarded([&] {
    requireHandle(near, "near");
    require(rows != nullptr && entries != nullptr, "rows or entries is NULL");
    *rows = near->rows->rowCount();
    *entries = near->rows->entries();
  });
}

apsp_status apsp_near_copy(const apsp_near* near, int64_t* offsets, int32_t* columns,
                           void* distances) {
  return guarded([&] {
    requireHandle(near, "near");
    require(offsets != nullptr, "offsets is NULL");
    const SparseRows& rows = *near->rows;
    require(rows.entries() == 0 || (columns != nullptr && distances != nullptr),
            "columns or distances is NULL");
    *offsets = 0;
    for (int i = 0; i < rows.rowCount(); ++i)
      offsets[i + 1] = offsets[i] + static_cast<int64_t>(rows.count(i));
    const Elements to(rows.dtype(), distances);
    const ThreadCount threads(near->threads);
    const std::size_t each = rows.entries() / asSize(std::max(rows.rowCount(), 1));
    inParts(rows.rowCount(), rowsInPart(static_cast<int>(each)), [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const std::size_t count = rows.count(i), at = static_cast<std::size_t>(offsets[i]);
        if (count == 0) continue;
        std::copy_n(rows.columnsOf(i), count, columns + at);
        copyElements(rows.distances(i), count, to + at);
      }
    });
  });
}

void apsp_near_free(apsp_near* near) {
  release(near);
}

apsp_status apsp_find_extremes(const apsp_graph* graph, const apsp_options* options,
                               apsp_extremes* extremes, int32_t* periphery, int32_t* center) {
  return guarded([&] {
    require(extremes != nullptr, "extremes is NULL");
    require(extremes->size >= sizeof(size_t), "extremes->size is not set");
    answer(graph, options,
           [&](const apsp_options& o, const ProblemGraph& problem, const Execution& where,
               const Solver& whole) {
             requireSupport(selectionOf(*graph, o).all(),
                            "extremes are those of all vertices: leave sources and targets");
             const Extremes found = extremesOf(problem, where, whole);
             apsp_extremes all{};
             all.size = extremes->size;
             all.diameter = toDouble(found.diameter);
             all.radius = found.radius ? toDouble(*found.radius) : HUGE_VAL;
             all.periphery_count = static_cast<int32_t>(found.periphery.size());
             all.center_count = static_cast<int32_t>(found.center.size());
             all.from = found.periphery.empty() ? -1 : found.periphery.front().first;
             all.to = found.periphery.empty() ? -1 : found.periphery.front().second;
             std::memcpy(extremes, &all, std::min(extremes->size, sizeof all));
             const auto first = [](const FarPair& pair) { return pair.first; };
             if (periphery != nullptr)
               std::transform(found.periphery.begin(), found.periphery.end(), periphery, first);
             if (center != nullptr)
               std::transform(found.center.begin(), found.center.end(), center, first);
           });
  });
}

apsp_status apsp_betweenness(const apsp_graph* graph, int32_t samples, uint64_t seed, int directed,
                             const apsp_options* options, double* vertices) {
  return guarded([&] {
    requireHandle(graph, "graph");
    require(vertices != nullptr || graph->n == 0, "vertices is NULL");
    countPaths(graph, {false, directed != 0, samples, seed}, options,
               [&](const Graph&, const Betweenness& found) {
                 std::copy(found.vertices.begin(), found.vertices.end(), vertices);
               });
  });
}

apsp_status apsp_betweenness_samples(const apsp_graph* graph, double error, int edges,
                                     int32_t* samples) {
  return guarded([&] {
    requireHandle(graph, "graph");
    require(samples != nullptr, "samples is NULL");
    require(error > 0, "error is no number above 0");
    std::size_t values = asSize(graph->n);
    if (edges != 0) values = asEdges(graphOf(*graph, false, false).onHost()).edgeCount();
    *samples = samplesFor(error, graph->n, values);
  });
}

apsp_status apsp_edge_betweenness(const apsp_graph* graph, int32_t samples, uint64_t seed,
                                  int directed, const apsp_options* options, apsp_near** edges,
                                  int* undirected) {
  return guarded([&] {
    require(edges != nullptr, "edges is NULL");
    countPaths(graph, {true, directed != 0, samples, seed}, options,
               [&](const Graph& list, const Betweenness& found) {
                 auto made = std::make_unique<apsp_near>();
                 made->rows = rowsOf(list, found.edges);
                 *edges = made.release();
                 if (undirected != nullptr) *undirected = found.undirected ? 1 : 0;
               });
  });
}

apsp_status apsp_pairs_make(const apsp_graph* graph, const apsp_options* options,
                            apsp_pairs** pairs) {
  return makePairs(graph, options, false, pairs);
}

apsp_status apsp_pairs_make_for_paths(const apsp_graph* graph, const apsp_options* options,
                                      apsp_pairs** pairs) {
  return makePairs(graph, options, true, pairs);
}

apsp_status apsp_pairs_distances(apsp_pairs* pairs, size_t count, const int32_t* from,
                                 const int32_t* to, void* distances) {
  return guarded([&] {
    requireHandle(pairs, "pairs");
    require(count == 0 || (from != nullptr && to != nullptr && distances != nullptr),
            "from, to or distances is NULL");
    const std::lock_guard lock(pairs->mutex);
    withElements(Elements(pairs->dtype, distances), [&](auto* out) {
      using T = NumberAt<decltype(out)>;
      for (size_t i = 0; i < count; ++i) {
        if (std::min(from[i], to[i]) < 0 || std::max(from[i], to[i]) >= pairs->n)
          throw InvalidArgument(fmt::format("pair {} is from {} to {}: vertices are 0 to {}", i,
                                            from[i], to[i], pairs->n - 1));
        const Number found = pairs->pairs.distance(from[i], to[i]);
        out[i] = std::visit(
            [&](auto number) {
              if (number != kInfinity<decltype(number)> &&
                  static_cast<double>(number) >= static_cast<double>(kInfinity<T>))
                throw RangeError(fmt::format("pair {} has the distance {}, which {} does not hold",
                                             i, number, nameOf(pairs->dtype)));
              return convertedTo<T>(number);
            },
            found);
      }
    });
  });
}

apsp_status apsp_pairs_path(apsp_pairs* pairs, int32_t from, int32_t to, int32_t* vertices,
                            size_t room, size_t* count) {
  return guarded([&] {
    requireHandle(pairs, "pairs");
    require(count != nullptr, "count is NULL");
    require(room == 0 || vertices != nullptr, "vertices is NULL, and room is not 0");
    requireVertices(pairs->n, from, to);
    const std::lock_guard lock(pairs->mutex);
    Number length;
    const std::vector<int> path = pairs->pairs.path(from, to, length);
    *count = path.size();
    std::copy_n(path.begin(), std::min(room, path.size()), vertices);
  });
}

void apsp_pairs_free(apsp_pairs* pairs) {
  release(pairs);
}

}  // extern "C"
