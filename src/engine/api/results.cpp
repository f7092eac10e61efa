// What a caller takes from a result.
#include <apsp/apsp.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "api/handles.h"
#include "api/options.h"
#include "api/status.h"
#include "base/size.h"
#include "base/thread_team.h"
#include "base/tolerance.h"
#include "paths/histogram.h"
#include "paths/path.h"
#include "paths/predecessors.h"
#include "paths/summary.h"
#include "paths/trees.h"

namespace engine {

namespace {

void requireRows(const apsp_result& result, int first, int count) {
  const int rows = result.distances->rowCount();
  if (first < 0 || count < 0 || first > rows - count)
    throw InvalidArgument(
        fmt::format("{} rows from row {} on: there are {} rows", count, first, rows));
}

/// Distances of rows as they go by, for the caller.
void copyRows(apsp_result& result, int first, int count, const RowVisitor& take) {
  requireRows(result, first, count);
  if (count > 0) result.withRun([&](Crew*) { result.distances->rows(first, first + count, take); });
}

/// Copies elements to the caller's memory, in several threads if they are many: often this is the
/// first time that its pages are written.
void copyOut(ConstElements from, std::size_t count, Elements to) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  inParts(static_cast<int>((count + kPiece - 1) / kPiece), 1, [&](int piece, int end) {
    const std::size_t begin = asSize(piece) * kPiece;
    copyElements(from + begin, std::min(count, asSize(end) * kPiece) - begin, to + begin);
  });
}

/// Writes whole distances in fewer bits, the largest number for no path. Returns whether all fit.
template <class T, class Narrow>
bool narrow(const T* from, std::size_t count, Narrow* to) {
  constexpr Narrow kNone = std::numeric_limits<Narrow>::max();
  int wide = 0;
#pragma omp simd reduction(| : wide)
  for (std::size_t i = 0; i < count; ++i) {
    const bool none = from[i] == kInfinity<T>;
    to[i] = none ? kNone : static_cast<Narrow>(from[i]);
    wide |= !none && (from[i] < 0 || from[i] >= kNone);
  }
  return wide == 0;
}

/// Rows as narrow elements. The caller has locked the result.
template <class Narrow>
void copyNarrow(apsp_result& result, int first, int count, Narrow* distances) {
  const auto width = asSize(result.distances->columns());
  bool fits = true;
  copyRows(result, first, count, [&](int begin, int some, ConstElements rows) {
    Narrow* const to = distances + asSize(begin - first) * width;
    withElements(rows, [&](const auto* from) {
      if constexpr (std::is_integral_v<NumberAt<decltype(from)>>)
        fits = narrow(from, asSize(some) * width, to) && fits;
    });
  });
  if (!fits)
    throw InvalidArgument(fmt::format("a distance is not between 0 and {}: take more bytes",
                                      std::numeric_limits<Narrow>::max() - 1));
}

/// The vertex of the largest distance in a row, or of the least one, without that of the row
/// itself; -1 if there is no path.
template <class T>
int endOf(const Distances& shape, int row, const T* distances, bool largest) {
  int end = -1;
  T found = 0;
  for (int j = 0; j < shape.columns(); ++j) {
    const T distance = distances[j];
    if (distance == kInfinity<T> || shape.target(j) == shape.source(row)) continue;
    if (end >= 0 && !(largest ? distance > found : distance < found)) continue;
    end = shape.target(j);
    found = distance;
  }
  return end;
}

/// The same of all rows. The caller has locked the result.
void findEnds(apsp_result& result, std::int32_t* ends, bool largest) {
  const Distances& shape = *result.distances;
  copyRows(result, 0, shape.rowCount(), [&](int first, int count, ConstElements rows) {
    withElements(rows, [&](const auto* distances) {
      const auto width = asSize(shape.columns());
      inParts(count, rowsInPart(shape.columns()), [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
          ends[first + i] = endOf(shape, first + i, distances + asSize(i) * width, largest);
      });
    });
  });
}

/// The caller has locked the result.
Summaries summariesHeld(apsp_result& result) {
  Summaries all;
  result.withRun([&](Crew*) { all = summariesOf(*result.distances); });
  return all;
}

constexpr char kChanged[] = "the graph has changed since it was solved";

const Distances& allDistances(const apsp_result& result) {
  requireSupport(result.asked.all(), "this result has some sources or targets only: solve for all");
  return *result.distances;
}

/// The predecessors of `count` rows from row `first` on. predecessors: (count, n).
void copyTrees(apsp_result& result, int first, int count, int* predecessors) {
  const auto n = asSize(result.distances->n());
  result.withRun([&](Crew*) {
    if (!result.trees) result.trees.emplace(result.graph, *result.distances, result.negative);
  });
  try {
    copyRows(result, first, count, [&](int begin, int some, ConstElements rows) {
      result.trees->rows(begin, some, rows, predecessors + asSize(begin - first) * n);
    });
  } catch (const Error& error) {
    require(error.code != ErrorCode::kMismatch, kChanged);
    throw;
  }
}

/// A path, forwards. It follows the distances backwards from `to`, along the edges of the reversed
/// graph: the row of `from` has the distances to `from` there. T: the type of the weights. Empty if
/// there is no path.
template <class T>
std::vector<int> followedPath(apsp_result& result, int row, int to) {
  using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  const int n = result.distances->n();
  std::vector<Sum> distances(asSize(n));
  copyRows(result, row, 1, [&](int, int, ConstElements found) {
    std::transform(found.as<T>(), found.as<T>() + n, distances.begin(), convertedTo<Sum, T>);
  });
  if (distances[asSize(to)] == kInfinity<Sum>) return {};
  if (!result.backwards) result.backwards = reversed(result.graph.onHost());
  const auto found = followDistances(Leaving(*result.backwards), distances, to,
                                     result.distances->source(row), tolerance(n, kDtype<T>, 2));
  require(found.has_value(), kChanged);
  return {found->vertices.rbegin(), found->vertices.rend()};
}

/// The same, along the tree of the row.
std::vector<int> treePath(apsp_result& result, int row, int to) {
  std::vector<int> before(asSize(result.distances->n())), path = {to};
  copyTrees(result, row, 1, before.data());
  while (path.back() != result.distances->source(row)) {
    path.push_back(before[asSize(path.back())]);
    if (path.back() == kNoPredecessor) return {};
  }
  return {path.rbegin(), path.rend()};
}

/// The first row that begins at a vertex. Throws InvalidArgument if there is none.
int rowOf(const apsp_result& result, int vertex) {
  const std::vector<int>& sources = result.asked.sources;
  if (sources.empty()) return vertex;
  const auto at = std::find(sources.begin(), sources.end(), vertex);
  if (at == sources.end())
    throw InvalidArgument(fmt::format("from is {}: it is none of the sources", vertex));
  return static_cast<int>(at - sources.begin());
}

/// Whether rows that were found again have the distances of some columns. Of real weights below 0
/// nobody knows how sums cancel, so there the entries without a path are compared. known: (count,
/// columns); again: (count, n).
template <class T>
bool areSame(const apsp_result& result, int count, const T* known, const T* again) {
  const Distances& shape = *result.distances;
  const bool real = !std::is_integral_v<T>;
  const double most = real ? tolerance(shape.n(), kDtype<T>, 2) : 0;
  for (int i = 0; i < count; ++i, known += shape.columns(), again += shape.n())
    for (int j = 0; j < shape.columns(); ++j) {
      const T a = known[j], b = again[shape.target(j)];
      const bool reached = a != kInfinity<T> && b != kInfinity<T>;
      if (real && result.negative && reached) continue;
      if (!agree(a, b, most)) return false;
    }
  return true;
}

/// Throws InvalidArgument if the matrix that the caller keeps has changed.
void requireSame(apsp_result& result, int first, apsp_result& again) {
  const int count = again.distances->rowCount();
  copyRows(result, first, count, [&](int begin, int some, ConstElements known) {
    copyRows(again, begin - first, some, [&](int at, int few, ConstElements rows) {
      withElements(known, [&](const auto* all) {
        using T = NumberAt<decltype(all)>;
        const auto skipped = asSize(at + first - begin) * asSize(result.distances->columns());
        require(areSame(result, few, all + skipped, rows.as<T>()), kChanged);
      });
    });
  });
}

/// Whole rows of a result that has some columns only: `count` from row `first` on. They are found
/// again, and kept until others are asked for.
apsp_result& wholeRows(apsp_result& result, int first, int count) {
  std::vector<int> sources(asSize(count));
  for (int i = 0; i < count; ++i) sources[asSize(i)] = result.distances->source(first + i);
  if (result.rows == nullptr || result.rows->asked.sources != sources) {
    std::unique_ptr<apsp_result> again = solvedFrom(result, std::move(sources));
    requireSame(result, first, *again);
    result.rows = std::move(again);
  }
  return *result.rows;
}

std::vector<int> pathOf(apsp_result& result, int row, int to) {
  if (!result.asked.targets.empty()) return pathOf(wholeRows(result, row, 1), 0, to);
  const Dtype dtype = result.distances->dtype();
  // Of real distances below 0, only those before the shift tell exactly which edges are tight.
  if (result.negative && !isWhole(dtype)) return treePath(result, row, to);
  return withType(dtype, [&](auto zero) { return followedPath<decltype(zero)>(result, row, to); });
}

}  // namespace

}  // namespace engine

using namespace engine;

// What ranks share is released by the thread that leads them.
apsp_result::~apsp_result() {
  if (team == nullptr) return;
  try {
    withRun([&](Crew*) { run.reset(); });
  } catch (...) {  // a rank gave up before, so the others are not asked
    run.reset();
  }
}

extern "C" {

apsp_status apsp_result_info(const apsp_result* result, apsp_info* info) {
  return guarded([&] {
    requireHandle(result, "result");
    require(info != nullptr, "info is NULL");
    require(info->size >= sizeof(size_t), "info->size is not set");
    const Distances& found = *result->distances;
    const apsp_info all{
        info->size,
        found.n(),
        found.rowCount(),
        found.columns(),
        typeOf(found.dtype()),
        result->device->kind() == DeviceKind::kCpu ? APSP_CPU : APSP_GPU,
        methodOf(result->call.outcome.method),
        result->call.milliseconds,
        result->call.sharing.ranks,
        typeOf(result->call.outcome.tier),
        result->gpu,
        result->spent.reading,
        result->spent.planning,
        result->spent.placing,
        result->spent.checking,
    };
    std::memcpy(info, &all, std::min(info->size, sizeof all));
  });
}

apsp_status apsp_result_rows(apsp_result* result, int32_t first, int32_t count, void* distances) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(count <= 0 || distances != nullptr, "distances is NULL");
    const std::lock_guard lock(result->mutex);
    const auto width = asSize(result->distances->columns());
    const Elements to(result->distances->dtype(), distances);
    copyRows(*result, first, count, [&](int begin, int some, ConstElements rows) {
      copyOut(rows, asSize(some) * width, to + asSize(begin - first) * width);
    });
  });
}

apsp_status apsp_result_narrow(apsp_result* result, int32_t first, int32_t count, size_t bytes,
                               void* distances) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(count <= 0 || distances != nullptr, "distances is NULL");
    require(bytes == 1 || bytes == 2, "bytes is not 1 or 2");
    const std::lock_guard lock(result->mutex);
    requireSupport(isWhole(result->distances->dtype()), "the distances are no whole numbers");
    if (bytes == 1) return copyNarrow(*result, first, count, static_cast<std::uint8_t*>(distances));
    copyNarrow(*result, first, count, static_cast<std::uint16_t*>(distances));
  });
}

apsp_status apsp_result_matrix(apsp_result* result, void* distances, ptrdiff_t stride,
                               apsp_memory where) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(distances != nullptr, "distances is NULL");
    const Device& device = deviceOf(where);
    const std::lock_guard lock(result->mutex);
    const Distances& from = *result->distances;
    if (stride < from.columns())
      throw InvalidArgument(
          fmt::format("stride is {}, less than the number of columns, {}", stride, from.columns()));
    requireStride("stride", stride, from.rowCount(), from.dtype());
    const std::size_t bytes = sizeOf(from.dtype()), apart = asSize(stride) * bytes;
    result->withRun([&](Crew*) {
      const bool stay = where == APSP_DEVICE && from.whole() != nullptr &&
                        shareMemory(from.whole()->device(), device);
      from.rowsOn(device, 0, from.rowCount(), [&](int first, int count, ConstElements rows) {
        device.copyRows(static_cast<char*>(distances) + asSize(first) * apart, apart, rows.data(),
                        asSize(from.columns()) * bytes, asSize(count), result->stream);
        // The memory of others is written again, or goes, on the default stream.
        if (!stay && result->stream != nullptr) device.finish(result->stream);
      });
    });
    if (result->stream == nullptr) device.finish();
  });
}

apsp_status apsp_result_borrow(apsp_result* result, const void** distances, apsp_memory* where) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(distances != nullptr && where != nullptr, "distances or where is NULL");
    const std::lock_guard lock(result->mutex);
    const DeviceMatrix* const whole = result->distances->whole();
    requireSupport(whole != nullptr, "the distances are not one matrix in memory: take rows");
    *distances = whole->data().data();
    *where = whole->device().kind() == DeviceKind::kCpu ? APSP_HOST : APSP_DEVICE;
  });
}

apsp_status apsp_result_path(apsp_result* result, int32_t from, int32_t to, int32_t* vertices,
                             size_t room, size_t* count) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(count != nullptr, "count is NULL");
    require(room == 0 || vertices != nullptr, "vertices is NULL, and room is not 0");
    const std::lock_guard lock(result->mutex);
    requireVertices(result->distances->n(), from, to);
    const std::vector<int> path = pathOf(*result, rowOf(*result, from), to);
    *count = path.size();
    std::copy_n(path.begin(), std::min(room, path.size()), vertices);
  });
}

apsp_status apsp_result_predecessors(apsp_result* result, int32_t first, int32_t count,
                                     int32_t* predecessors) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(count <= 0 || predecessors != nullptr, "predecessors is NULL");
    const std::lock_guard lock(result->mutex);
    if (result->asked.targets.empty()) return copyTrees(*result, first, count, predecessors);
    requireRows(*result, first, count);
    if (count > 0) copyTrees(wholeRows(*result, first, count), 0, count, predecessors);
  });
}

apsp_status apsp_result_summaries(apsp_result* result, apsp_summary* summaries) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(summaries != nullptr, "summaries is NULL");
    const std::lock_guard lock(result->mutex);
    Summary all;
    result->withRun([&](Crew*) { all = summaryOf(*result->distances); });
    std::transform(
        all.vertices.begin(), all.vertices.end(), summaries, [&](const VertexSummary& each) {
          return apsp_summary{each.vertex, each.reachable, toDouble(each.eccentricity), each.sum};
        });
  });
}

apsp_status apsp_result_ends(apsp_result* result, int32_t* nearest, int32_t* farthest) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    const std::lock_guard lock(result->mutex);
    if (nearest != nullptr) findEnds(*result, nearest, false);
    if (farthest != nullptr) findEnds(*result, farthest, true);
  });
}

apsp_status apsp_result_incoming(apsp_result* result, apsp_incoming* incoming) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(incoming != nullptr, "incoming is NULL");
    const std::lock_guard lock(result->mutex);
    allDistances(*result);
    Summary all;
    result->withRun([&](Crew*) { all = summaryOf(*result->distances); });
    std::transform(all.vertices.begin(), all.vertices.end(), incoming,
                   [](const VertexSummary& each) {
                     const ColumnSummary column = each.incoming.value_or(ColumnSummary{});
                     return apsp_incoming{each.vertex, column.reaching, column.sum};
                   });
  });
}

apsp_status apsp_result_harmonic(apsp_result* result, double* outgoing, double* incoming) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    const std::lock_guard lock(result->mutex);
    const Summaries all = summariesHeld(*result);
    const auto harmonic = [](const auto& each) { return each.harmonic; };
    if (outgoing != nullptr) std::transform(all.rows.begin(), all.rows.end(), outgoing, harmonic);
    if (incoming != nullptr)
      std::transform(all.columns.begin(), all.columns.end(), incoming, harmonic);
  });
}

apsp_status apsp_result_measures(apsp_result* result, apsp_measures* measures) {
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(measures != nullptr, "measures is NULL");
    require(measures->size == sizeof(apsp_measures), "measures->size is not that of the struct");
    const std::lock_guard lock(result->mutex);
    Summary all;
    result->withRun([&](Crew*) { all = summaryOf(*result->distances); });
    const __int128 sum = all.total.whole;
    *measures = {sizeof(apsp_measures),
                 pairsOf(*result->distances),
                 all.pairs(),
                 toDouble(all.diameter()),
                 all.total.value(),
                 static_cast<std::int64_t>(sum >> 64),
                 static_cast<std::uint64_t>(sum),
                 all.mean(),
                 all.efficiency()};
  });
}

apsp_status apsp_result_histogram(apsp_result* result, apsp_bin* bins, size_t* count) {
  static_assert(APSP_MOST_BINS == kHistogramValues && APSP_MOST_BINS > kHistogramBins);
  return guarded([&] {
    const OnGpu there = placeOf(result);
    require(bins != nullptr && count != nullptr, "bins or count is NULL");
    const std::lock_guard lock(result->mutex);
    Histogram found;
    result->withRun([&](Crew*) { found = histogramOf(*result->distances); });
    std::transform(found.bins.begin(), found.bins.end(), bins, [](const HistogramBin& bin) {
      return apsp_bin{toDouble(bin.from), toDouble(bin.to), bin.pairs};
    });
    *count = found.bins.size();
  });
}

void apsp_result_free(apsp_result* result) {
  releaseThere(result);
}

}  // extern "C"
