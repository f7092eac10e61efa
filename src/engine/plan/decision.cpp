// The place of the distances.
//
// If the matrix fits into memory, the distances are written into it, and other code uses it like
// the matrix of any solver. Then any way will do: solve() looks for the best one, unless the plan
// is kept, which has looked. If the matrix does not fit, the way must be known first, because it
// says what memory is needed. The rows of a table are then kept, if they have room. Other rows are
// found once more when they are asked for.
#include "plan/decision.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "batch/tiny_run.h"
#include "search/search.h"
#include "solver/gpu_rows.h"
#include "solver/small_rows.h"
#include "sparse/sweep_gpu.h"

namespace engine::plan {

namespace {

/// Bytes of the rows that are swept together if they are not kept.
constexpr std::size_t kBandBytes = std::size_t{256} << 20;

std::size_t bandBytes(int rows, int columns, Dtype dtype) {
  return tableBytes(bandRows(rows, columns, dtype), columns, dtype);
}

/// Bytes of host memory for each vertex and each arc of what a GPU has eliminated.
constexpr std::size_t kHostVertex = 64, kHostArc = 64;

/// Whether the dense solver takes less time than a look at the edges. Only who keeps the plan does
/// without the look: whoever measures wants to know what other methods would take. An order that is
/// given asks for the sparse method. On a CPU, reals are added up along each path, as searches add
/// them.
bool isTiny(const Problem& problem, const Execution& where) {
  return where.keepsPlan && where.order == nullptr && where.options.method == Method::kAuto &&
         problem.graph.n() <= batch::kTiny &&
         (onGpu(where.device) || isWhole(problem.graph.dtype()));
}

/// What is known of the best way. It holds none of the memory that trying it takes.
struct Best {
  Method method;
  std::shared_ptr<const Survey> survey;
  double expected;
  Outlook outlook;
};

/// Whether searches can find what is wanted, if they have room: the graph has been read, too.
bool canSearch(const Problem& problem, const Execution& where) {
  return !where.renumbers && where.options.method == Method::kAuto && problem.asked != nullptr &&
         !problem.graph.unread();
}

/// The best way of a problem, which is looked for once.
class Look {
 public:
  Look(const Problem& problem, const Execution& where)
      : problem_(problem), where_(where), maySearch_(canSearch(problem, where)) {}

  Searching searching() const { return maySearch_ ? searchingOf(wanted()) : Searching::kNever; }
  /// Searches have no room for their rows: the best way is one of the others.
  void leaveSearchesOut() {
    best_.reset();
    maySearch_ = false;
  }
  bool maySearch() const { return maySearch_; }

  /// The survey of the best way, or one that is made now, however long it takes.
  std::shared_ptr<const Survey> survey() const {
    if (best_ && best_->survey != nullptr) return best_->survey;
    return surveyed(wanted(), where_.order.get());
  }
  const Best& best() {
    if (!best_) {
      const Way way = bestWay(wanted());
      best_ = {way.method(), way.survey, way.expected, way.outlook};
    }
    return *best_;
  }
  bool taken() const { return best_.has_value(); }

 private:
  Wanted wanted() const {
    return {where_.device, problem_.graph.onHost(), problem_.asked, 0,
            maySearch_,    where_.options.may16(),  where_.sharers};
  }

  const Problem& problem_;
  const Execution& where_;
  bool maySearch_;
  std::optional<Best> best_;
};

/// What elimination leads to.
struct Eliminated {
  std::uint64_t arcs;
  int coreSize;

  explicit Eliminated(const Survey& survey)
      : arcs(survey.elimination.arcs), coreSize(survey.elimination.coreSize()) {}
  explicit Eliminated(const sparse::GpuElimination& found)
      : arcs(found.arcs), coreSize(found.coreSize) {}
};

/// Throws Error(kMemory) with the figures of both methods.
[[noreturn]] void refuse(int n, const char* place, const Eliminated& found, std::size_t bytes,
                         std::size_t dense, std::size_t free) {
  throw Error(ErrorCode::kMemory,
              fmt::format("n = {}: {} of {} memory needed by the sparse method ({} arcs, a core of "
                          "{} vertices), {} by the dense one, {} free: solve a smaller graph",
                          n, bytesText(bytes), place, found.arcs, found.coreSize, bytesText(dense),
                          bytesText(free)));
}

/// What both devices look at before they choose. Bytes.
struct Room {
  Memory dense;                ///< that the dense solver takes, or `auto` without the sparse one
  std::size_t free, matrices;  ///< matrices: n×n, and a renumbered copy if one is needed
  std::size_t rows;            ///< of a table; 0 if all distances are wanted
  bool table;
};

/// Of the matrix, and of a renumbered copy if one is needed.
std::size_t matricesBytes(const Problem& problem, const Execution& where) {
  return matrixBytes(problem.graph.n(), problem.graph.dtype()) * (where.renumbers ? 2 : 1);
}

/// Of the rows of a table; 0 if all distances are wanted.
std::size_t rowsBytes(const Problem& problem) {
  if (problem.asked == nullptr) return 0;
  return tableBytes(problem.rows(), problem.columns(), problem.graph.dtype());
}

Room roomFor(const Problem& problem, const Execution& where, const Solver& one) {
  Execution densely = where;
  if (where.options.method != Method::kAuto) densely.options.method = Method::kDense;
  const bool table = problem.asked != nullptr;
  const auto sharers = asSize(where.sharers);
  const std::size_t matrices = matricesBytes(problem, where), rows = rowsBytes(problem);
  const Memory dense = one.memory(problem, densely);
  const std::size_t most = dense.device + dense.host + matrices + rows;
  return {dense, where.device.freeFor(most) / sharers, matrices, rows, table};
}

/// Whether a GPU finds the rows of a table with what the CPU has prepared, or by breadth-first
/// searches: those of a rank. Few rows take less time on a CPU.
bool worthGpu(const Problem& problem) {
  constexpr int kSmallPart = 16;
  return problem.asked->isBand() &&
         problem.rows() >= problem.graph.n() / kSmallPart - sparse::kBatch;
}

/// Throws Error(kMemory) if there is no room for what sweepers take of any graph with so many
/// vertices: a survey of it would take long.
void requireSweepers(int n, Dtype dtype, std::size_t free) {
  const std::size_t bytes = allowedBytes(n, dtype) - hierarchyBytes(n, dtype);
  if (bytes > free)
    throw Error(ErrorCode::kMemory,
                fmt::format("n = {}: {} of host memory needed to sweep a graph with so many "
                            "vertices, {} free: solve a smaller graph",
                            n, bytesText(bytes), bytesText(free)));
}

/// searches: what they are called.
[[noreturn]] void refuseSearches(int n, const char* place, std::size_t bytes, const char* searches,
                                 std::size_t free) {
  throw Error(ErrorCode::kMemory,
              fmt::format("n = {}: {} of {} memory needed by {}, {} free: solve a smaller graph", n,
                          bytesText(bytes), place, searches, bytesText(free)));
}
constexpr const char* kLevelSearches = "breadth-first searches";

/// Where distances go that the CPU finds: into memory, if they have room there beside the bytes
/// that finding them takes.
Decision rowsOnCpu(const Problem& problem, const Room& room, std::size_t bytes) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const std::size_t kept = bytes + (room.table ? room.rows : matrixBytes(n, dtype));
  if (kept <= room.free / 4 * 3)
    return {room.table ? Destination::kRows : Destination::kMatrix, {kept, 0, 0}, room.table};
  return {Destination::kStreamed,
          {bytes + bandBytes(problem.rows(), problem.columns(), dtype), 0, 0}};
}

/// The bytes that a table takes beside its rows if its plan is kept for other weights, which may be
/// unequal: it is searched or swept then.
std::size_t bytesOfOtherWeights(const Problem& problem, const Execution& where) {
  if (!where.keepsPlan || !canSearch(problem, where)) return 0;
  const Graph& graph = problem.graph.onHost();
  return std::max(searchBytes(graph, problem.rows()), allowedBytes(graph.n, graph.dtype()));
}

/// Whether what breadth-first searches find is to be kept in smaller elements. fits: it has room as
/// it is.
bool wantsSmall(const Execution& where, bool fits) {
  return where.stored != RowWidth::kFull && (asksForLevels(where) || !fits);
}

/// Bytes of host memory that rows in smaller elements take, and a band of them as they are.
std::size_t smallBytes(const Problem& problem, const Execution& where) {
  const int rows = problem.rows(), columns = problem.columns();
  return SmallRows::bytes(rows, columns, where.stored) +
         bandBytes(rows, columns, problem.graph.dtype());
}

/// Where they go if breadth-first searches find them.
Decision placeLevels(const Problem& problem, const Execution& where, const Room& room,
                     std::size_t bytes) {
  Decision decision = rowsOnCpu(problem, room, bytes);
  if (wantsSmall(where, decision.place != Destination::kStreamed)) {
    const std::size_t kept = bytes + smallBytes(problem, where);
    if (kept <= room.free / 4 * 3) {
      decision = {Destination::kRows, {kept, 0, 0}, true};
      decision.stored = where.stored;
    }
  }
  decision.method = Method::kBfs;
  if (decision.memory.device > room.free)
    refuseSearches(problem.graph.n(), "host", decision.memory.device, kLevelSearches, room.free);
  return decision;
}

/// The bytes that breadth-first searches take; 0 if they may not be chosen.
std::size_t bytesOfLevels(const Problem& problem, const Execution& where) {
  if (problem.graph.unread() || asksForSparse(where)) return 0;
  const Graph& graph = problem.graph.onHost();
  if (!bfs::commonWeight(graph)) return 0;
  const auto bytes = onGpu(where.device) ? bfs::gpuLevelBytes : bfs::LevelSearch::bytes;
  return bytes(graph.n, graph.edgeCount());
}

/// The same on a GPU. A small table is found by the CPU.
Decision placeLevelsOnGpu(const Problem& problem, const Execution& where, const Room& room) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const std::size_t edges = problem.graph.onHost().edgeCount();
  Decision decision{Destination::kStreamed, {}};
  decision.method = Method::kBfs;
  decision.byGpu = !room.table || worthGpu(problem);
  if (!decision.byGpu) {
    decision.place = Destination::kRows;
    decision.keeps = true;
    decision.memory.host = bfs::LevelSearch::bytes(n, edges) + room.rows;
    if (!wantsSmall(where, true)) return decision;
    decision.memory.host += smallBytes(problem, where) - room.rows;
    decision.stored = where.stored;
    return decision;
  }
  const std::size_t bytes = bfs::gpuLevelBytes(n, edges);
  const std::size_t kept =
      bytes + (room.table ? GpuRows::bytes(n, dtype, problem.rows()) : matrixBytes(n, dtype));
  const std::size_t streamed = bytes + GpuRows::bytes(n, dtype);
  const std::size_t small = bytes + GpuRows::bytes(n, dtype, problem.rows(), where.stored);
  decision.memory = {streamed, 0, GpuRows::hostBytes(n, dtype)};
  if (wantsSmall(where, kept <= room.free) && small <= room.free) {
    decision.place = Destination::kRows;
    decision.memory.device = small;
    decision.keeps = true;
    decision.stored = where.stored;
  } else if (kept <= room.free) {
    decision.place = room.table ? Destination::kRows : Destination::kMatrix;
    decision.memory = {kept, 0, 0};
    decision.keeps = room.table;
  } else if (streamed > room.free) {
    refuseSearches(n, "GPU", streamed, kLevelSearches, room.free);
  }
  return decision;
}

/// Where distances go that are swept on the CPU.
Decision placeSweeps(const Problem& problem, const Room& room,
                     std::shared_ptr<const Survey> survey) {
  const std::size_t bytes = survey->bytes(omp_get_max_threads(), problem.graph.dtype());
  Decision decision = rowsOnCpu(problem, room, bytes);
  if (decision.memory.device > room.free)
    refuse(problem.graph.n(), "host", Eliminated(*survey), decision.memory.device,
           room.dense.device, room.free);
  decision.survey = std::move(survey);
  return decision;
}

/// A table whose rows are found by searches, and the bytes of the host that are free. The searches
/// run on the CPU, also where others run on a GPU.
struct Searches {
  Decision decision;
  std::size_t bytes, free;
  bool fit() const { return bytes <= free; }
};

Searches placeSearches(const Problem& problem, const Execution& where) {
  const Graph& graph = problem.graph.onHost();
  const std::size_t rows = tableBytes(problem.rows(), problem.columns(), graph.dtype());
  const std::size_t searches = searchBytes(graph, problem.rows());
  const Device& cpu = onGpu(where.device) ? cpuDevice : where.device;
  const std::size_t free = cpu.freeFor(searches + rows) / asSize(where.sharers);
  const bool keeps = searches + rows <= free;
  const std::size_t all =
      searches + (keeps ? rows : bandBytes(problem.rows(), problem.columns(), graph.dtype()));
  Decision decision{keeps ? Destination::kRows : Destination::kStreamed, {all, 0, 0}, keeps};
  if (onGpu(where.device)) decision.memory = {0, 0, all};
  decision.method = Method::kSearch;
  decision.expected = searchMilliseconds(graph, problem.rows());
  return {decision, all, free};
}

/// The same, where nothing else is left.
Decision requireSearches(const Problem& problem, const Execution& where) {
  const Searches searches = placeSearches(problem, where);
  if (!searches.fit())
    refuseSearches(problem.graph.n(), "host", searches.bytes, "searches", searches.free);
  return searches.decision;
}

/// Whether the graph may have small separators. Nobody knows how long it takes to order the
/// vertices of others.
bool isSeparable(const Graph& graph, Look& look) {
  return (look.taken() && look.best().survey != nullptr) ||
         sparse::maySeparate(graph.n, graph.ends());
}

/// Where distances go that a GPU sweeps. host: bytes of preparing; survey: if the CPU prepares.
Decision placeSweepsOnGpu(const Problem& problem, const Room& room, const Eliminated& found,
                          std::size_t host, std::shared_ptr<const Survey> survey) {
  const int n = problem.graph.n(), columns = problem.columns();
  const Dtype dtype = problem.graph.dtype();
  const std::size_t sweeps = sparse::gpuSweepBytes(n, found.arcs, found.coreSize, dtype);
  const std::size_t kept = sweeps + (room.table ? GpuRows::bytes(columns, dtype, problem.rows())
                                                : matrixBytes(n, dtype));
  const std::size_t streamed = sweeps + GpuRows::bytes(columns, dtype);
  Decision decision{Destination::kStreamed,
                    {streamed, 0, host + GpuRows::hostBytes(columns, dtype)},
                    false,
                    std::move(survey)};
  decision.method = Method::kSparse;
  decision.byGpu = room.table;
  if (kept <= room.free) {
    decision.place = room.table ? Destination::kRows : Destination::kMatrix;
    decision.memory = {kept, 0, host};
    decision.keeps = room.table;
  } else if (streamed > room.free) {
    refuse(n, "GPU", found, streamed, room.dense.device, room.free);
  }
  return decision;
}

/// On the GPU: distances in its memory, and the hierarchy in the host's, too. If the CPU prepares,
/// a small table is swept by all of its threads.
std::optional<Decision> placeOnGpu(const Problem& problem, const Execution& where,
                                   const Solver& one, Look& look) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const Room room = roomFor(problem, where, one);
  const std::size_t allowance = room.table ? allowedBytes(n, dtype) : hierarchyBytes(n, dtype);
  const std::size_t levels = room.table ? 0 : bytesOfLevels(problem, where);
  const std::size_t beside = std::max(sparse::gpuSweepBytes(n, 0, 0, dtype) + allowance, levels);
  const std::size_t either = std::max(room.dense.device, room.matrices + beside) + room.rows;
  if (!asksForSparse(where) && !asksForLevels(where) && either <= room.free) {
    Decision decision{
        Destination::kEither, {either, room.dense.best, allowance + room.rows}, room.table};
    decision.byGpu = room.table;
    return decision;
  }
  if (problem.graph.unread())
    return Decision{Destination::kStreamed,
                    {GpuRows::bytes(n, dtype), 0, allowance + GpuRows::hostBytes(n, dtype)},
                    false,
                    nullptr,
                    Method::kSparse};
  const Graph& graph = problem.graph.onHost();
  if (asksForLevels(where) || (levels > 0 && levels + GpuRows::bytes(n, dtype) <= room.free &&
                               look.best().method == Method::kBfs))
    return placeLevelsOnGpu(problem, where, room);
  const Wanted wanted{where.device, graph, problem.asked};
  // The GPU eliminates now to tell what the run will find.
  if (where.order == nullptr)
    if (const auto found = eliminationOf(wanted)) {
      if (!asksForSparse(where) && !isFast(wanted, *found)) return std::nullopt;
      const std::size_t host = asSize(n) * kHostVertex + found->arcs * kHostArc;
      Decision decision = placeSweepsOnGpu(problem, room, Eliminated(*found), host, nullptr);
      decision.expected = expectedOf(wanted, *found);
      return decision;
    }
  const auto made = look.survey();
  const Survey& survey = *made;
  if (!asksForSparse(where) && !isFast(wanted, survey)) return std::nullopt;
  const bool byCpu = room.table && !worthGpu(problem);
  const std::size_t host =
      survey.bytes(byCpu ? omp_get_max_threads() : 1, dtype) + (byCpu ? room.rows : 0);
  if (byCpu) return Decision{Destination::kRows, {0, 0, host}, true, made};
  return placeSweepsOnGpu(problem, room, Eliminated(survey), host, made);
}

/// A table whose rows are relaxed, if that is expected to be the best way and the rows have room:
/// then no matrix is needed.
std::optional<Decision> placeRelaxing(const Problem& problem, const Execution& where,
                                      const Room& room, Look& look) {
  if (!room.table || asksForSparse(where)) return std::nullopt;
  const std::size_t bytes = relaxedBytes(problem.graph.onHost(), *problem.asked);
  if (bytes > room.free / 4 * 3 || look.best().method != Method::kFiltered) return std::nullopt;
  Decision decision{Destination::kRows, {bytes, 0, 0}, true};
  decision.method = Method::kFiltered;
  return decision;
}

/// On the CPU.
std::optional<Decision> placeOnCpu(const Problem& problem, const Execution& where,
                                   const Solver& one, Look& look) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const Room room = roomFor(problem, where, one);
  const std::size_t host = problem.graph.hostBytes();
  const std::size_t few = kFewToKeep * asSize(n);
  const std::size_t levels = bytesOfLevels(problem, where);
  const Searching searching = look.searching();
  const std::size_t searches =
      searching == Searching::kNever ? 0 : searchBytes(problem.graph.onHost(), problem.rows());
  const std::size_t least = std::max(
      {allowedBytes(n, dtype), levels, searches, EdgeRelaxation::bytes(n, few, asSize(n), dtype)});
  const std::size_t either = std::max(room.dense.device, room.matrices + least) + room.rows;
  const bool mayChange = where.options.method == Method::kAuto;  // to the dense method
  if (mayChange && either + host <= room.free)
    return Decision{Destination::kEither, {either, 0, host}, room.table};
  if (problem.graph.unread())
    return Decision{
        Destination::kStreamed, {allowedBytes(n, dtype), 0, 0}, false, nullptr, Method::kSparse};
  const std::size_t band = bandBytes(problem.rows(), problem.columns(), dtype);
  const std::size_t others = std::max(levels, bytesOfOtherWeights(problem, where));
  if (levels > 0 &&
      (asksForLevels(where) || (levels + band <= room.free && look.best().method == Method::kBfs)))
    return placeLevels(problem, where, room, others + band <= room.free ? others : levels);
  if (auto relaxing = placeRelaxing(problem, where, room, look)) return relaxing;
  if (canSearch(problem, where) && !isSeparable(problem.graph.onHost(), look))
    return requireSearches(problem, where);
  requireSweepers(n, dtype, room.free);
  return placeSweeps(problem, room, look.survey());
}

/// Follows the best way, which was looked for.
void follow(const Best& best, Decision& decision) {
  decision.method = best.method;
  decision.survey = best.survey;
  decision.expected = best.expected;
  decision.outlook = best.outlook;
}

}  // namespace

bool asksForSparse(const Execution& where) {
  return where.options.method == Method::kSparse;
}

bool asksForLevels(const Execution& where) {
  return where.options.method == Method::kBfs;
}

int bandRows(int rows, int columns, Dtype dtype) {
  const std::size_t row = sizeOf(dtype) * asSize(std::max(1, columns));
  const std::size_t batches = std::clamp<std::size_t>(kBandBytes / row / sparse::kBatch, 1,
                                                      2 * asSize(omp_get_max_threads()));
  return std::min(rows, static_cast<int>(batches) * sparse::kBatch);
}

std::size_t tableBytes(int rows, int columns, Dtype dtype) {
  return sizeOf(dtype) * asSize(rows) * asSize(columns);
}

namespace {

std::optional<Decision> decided(const Problem& problem, const Execution& where, const Solver& one) {
  Look look(problem, where);
  std::optional<Decision> decision;
  if (const Searching searching = look.searching(); searching != Searching::kNever) {
    Searches searches = placeSearches(problem, where);
    searches.decision.looked = searches.decision.maySearch = true;
    const bool surely = searching == Searching::kSurely;
    if (!(searches.decision.keeps || (surely && searches.fit())))
      look.leaveSearchesOut();
    else if (searching != Searching::kIfNothingElse || look.best().method == Method::kSearch)
      return searches.decision;
  }
  if (!isTiny(problem, where))
    decision = (onGpu(where.device) ? placeOnGpu : placeOnCpu)(problem, where, one, look);
  if (!decision) return decision;
  if (decision->place == Destination::kEither) {
    const bool follows = where.keepsPlan && (!where.once || look.taken());
    if (follows && !problem.graph.unread()) {
      const Best& best = look.best();
      follow(best, *decision);
      if (best.survey != nullptr && !onGpu(where.device)) {
        const std::size_t sweeps = best.survey->bytes(omp_get_max_threads(), problem.graph.dtype());
        const std::size_t all = matricesBytes(problem, where) + sweeps + rowsBytes(problem);
        decision->memory.device = std::max(decision->memory.device, all);
      }
    }
  } else if (decision->survey != nullptr) {
    decision->method = Method::kSparse;
    decision->expected = decision->survey->elimination.milliseconds;
  } else if (look.taken() && look.best().method == decision->method) {
    follow(look.best(), *decision);
  }
  decision->looked = look.taken() && look.best().method == decision->method;
  decision->maySearch = look.maySearch();
  return decision;
}

/// Rows that the sink takes are not kept, if that is wanted.
void leaveToSink(const Execution& where, Decision& decision) {
  const Method method = decision.method;
  const bool byRows =
      method == Method::kSparse || method == Method::kBfs || method == Method::kSearch;
  if (!where.streams || !where.keepsPlan || !where.sink || onGpu(where.device) || !byRows) return;
  decision.place = Destination::kStreamed;
  decision.keeps = false;
}

}  // namespace

std::optional<Decision> placed(const Problem& problem, const Execution& where, const Solver& one) {
  std::optional<Decision> decision = decided(problem, where, one);
  if (decision) leaveToSink(where, *decision);
  return decision;
}

}  // namespace engine::plan
