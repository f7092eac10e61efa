// When a graph is solved sparsely, and where its distances go.
//
// choice.cpp chooses the method of a graph that is held as edges.
//
// The place. If the matrix fits into memory, the distances are written into it, and other code
// uses it like the matrix of any solver. Otherwise the run keeps the hierarchy, and sweeps again
// when rows are asked for. solve() then sweeps all rows once and discards them, because its time
// must be that of all distances.
//
// --vary. The solver gets the edges of the renumbered graph, so its order and its hierarchy differ
// from call to call. Only the names of the ranks are turned back. The dense solver in its place
// solves a renumbered copy of the matrix.
#include "sparse/run.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/size.h"
#include "solver/gpu_rows.h"
#include "sparse/choice.h"

namespace sparse {

namespace {

/// Bytes of the rows that are swept together if they are not kept.
constexpr std::size_t kBandBytes = std::size_t{256} << 20;

/// Of so many rows and columns, the rows that are swept together if they are not kept: whole
/// batches, one for each thread.
int bandRows(int rows, int columns, Dtype dtype) {
  const std::size_t row = sizeOf(dtype) * asSize(std::max(1, columns));
  const std::size_t batches =
      std::clamp<std::size_t>(kBandBytes / row / kBatch, 1, 2 * asSize(omp_get_max_threads()));
  return std::min(rows, static_cast<int>(batches) * kBatch);
}

std::size_t tableBytes(int rows, int columns, Dtype dtype) {
  return sizeOf(dtype) * asSize(rows) * asSize(columns);
}

std::size_t bandBytes(int rows, int columns, Dtype dtype) {
  return tableBytes(bandRows(rows, columns, dtype), columns, dtype);
}

bool asksForSparse(const Execution& where) {
  return where.options.method == Method::kSparse;
}

bool asksForLevels(const Execution& where) {
  return where.options.method == Method::kBfs;
}

/// Whether a run of edges is wanted and possible. A graph that is held as a matrix is solved in
/// place.
bool mayBeSparse(const Problem& problem, const Execution& where) {
  return problem.graph.heldAsEdges() && mayTakeEdges(where.options.method);
}

/// What is chosen for a graph that is held as edges. Nothing: another method is to solve it.
struct Choice {
  Destination place;
  Memory memory;
  bool keeps = false;  ///< a table has room, so that its rows need not be swept again
  std::shared_ptr<const Survey> survey = nullptr;  ///< if it was made
  bool relaxes = false;                            ///< along all edges
  bool levels = false;                             ///< by breadth-first searches
  bool byGpu = false;                              ///< a GPU sweeps the rows of a table
  double expected = 0;                             ///< milliseconds; 0: not known
  Outlook outlook = Outlook::kUnknown;
};

/// Whether the dense solver takes less time than a look at the edges. Only who keeps the plan does
/// without the look: whoever measures wants to know what other methods would take. An order that is
/// given asks for the sparse method. Reals are added up along each path, as searches add them.
bool isTiny(const Problem& problem, const Execution& where) {
  constexpr int kTiny = 64;  // one tile of the dense solver
  return where.keepsPlan && where.order == nullptr && where.options.method == Method::kAuto &&
         !onGpu(where.device) && problem.graph.n() <= kTiny && isWhole(problem.graph.dtype());
}

[[noreturn]] void refuseWeights() {
  throw Unsupported(
      "breadth-first searches (method bfs) need edges of equal weight: take another method, "
      "or ignore the weights");
}

/// Surveys the graph, in the order that is given, if one is.
std::shared_ptr<const Survey> surveyFor(const Problem& problem, const Execution& where) {
  const Rates rates = ratesOn(where.device, problem.graph.dtype(), problem.asked);
  const EliminationOrder* const order = where.order.get();
  Survey survey = surveyOf(problem.graph.n(), problem.graph.onHost().ends(), rates, order);
  if (order != nullptr) survey.orderMs = survey.eliminateMs = 0;  // no part of solve()
  return std::make_shared<const Survey>(std::move(survey));
}

/// An order that is given is followed by a plan, of edges that keep their numbers. Throws
/// Error(kUsage).
void requireOrderFits(const Problem& problem, const Execution& where) {
  if (where.order == nullptr) return;
  if (!problem.graph.heldAsEdges() || !asksForSparse(where) || where.renumbers)
    throw Unsupported(
        "an order of elimination is for the sparse method and a graph of edges, whose "
        "vertices keep their numbers: leave the order out");
}

/// Throws Error(kMemory) with the figures of both methods.
[[noreturn]] void refuse(int n, const char* place, const Survey& survey, std::size_t bytes,
                         std::size_t dense, std::size_t free) {
  throw Error(ErrorCode::kMemory,
              fmt::format("n = {}: {} of {} memory needed by the sparse method ({} arcs, a core of "
                          "{} vertices), {} by the dense one, {} free: solve a smaller graph",
                          n, bytesText(bytes), place, survey.plan.arcs, survey.plan.coreSize(),
                          bytesText(dense), bytesText(free)));
}

/// What both devices look at before they choose. Bytes.
struct Room {
  Memory dense;                ///< that the dense solver takes, or `auto` without the sparse one
  std::size_t free, matrices;  ///< matrices: n×n, and a renumbered copy if one is needed
  std::size_t rows;            ///< of a table; 0 if all distances are wanted
  bool table;
};

Room roomFor(const Problem& problem, const Execution& where, const Solver& one) {
  Execution densely = where;
  if (where.options.method != Method::kAuto) densely.options.method = Method::kDense;
  const bool table = problem.asked != nullptr;
  const auto sharers = asSize(where.sharers);
  const Dtype dtype = problem.graph.dtype();
  const std::size_t matrices = matrixBytes(problem.graph.n(), dtype) * (where.renumbers ? 2 : 1);
  const std::size_t rows = table ? tableBytes(problem.rows(), problem.columns(), dtype) : 0;
  const Memory dense = one.memory(problem, densely);
  const std::size_t most = dense.device + dense.host + matrices + rows;
  return {dense, where.device.freeFor(most) / sharers, matrices, rows, table};
}

/// Whether a GPU sweeps the rows of a table: those of a rank. It sweeps a source by a lane, and the
/// whole hierarchy, so few sources take less time on a CPU.
bool worthGpu(const Problem& problem) {
  constexpr int kSmallPart = 16;
  return problem.asked->isBand() && problem.rows() >= problem.graph.n() / kSmallPart - kBatch;
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

[[noreturn]] void refuseLevels(int n, const char* place, std::size_t bytes, std::size_t free) {
  throw Error(ErrorCode::kMemory, fmt::format("n = {}: {} of {} memory needed by breadth-first "
                                              "searches, {} free: solve a smaller graph",
                                              n, bytesText(bytes), place, bytesText(free)));
}

/// Where distances go that breadth-first searches find, and the matrix has no room.
Choice chooseLevels(const Problem& problem, const Room& room, std::size_t bytes) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const std::size_t kept = bytes + (room.table ? room.rows : matrixBytes(n, dtype));
  Choice choice{Destination::kStreamed,
                {bytes + bandBytes(problem.rows(), problem.columns(), dtype), 0, 0}};
  choice.levels = true;
  if (kept <= room.free / 4 * 3) {
    choice.place = room.table ? Destination::kRows : Destination::kMatrix;
    choice.keeps = room.table;
    choice.memory.device = kept;
  }
  if (choice.memory.device > room.free) refuseLevels(n, "host", choice.memory.device, room.free);
  return choice;
}

/// A table whose rows are relaxed, if that is expected to be the best way and the rows have room:
/// then no matrix is needed.
std::optional<Choice> chooseRelaxing(const Problem& problem, const Execution& where,
                                     const Room& room) {
  const Graph& graph = problem.graph.onHost();
  if (!room.table || asksForSparse(where)) return std::nullopt;
  const std::size_t bytes = relaxedBytes(graph, *problem.asked);
  if (bytes > room.free / 4 * 3) return std::nullopt;
  const Way way = bestWay({where.device, graph, problem.asked});
  if (way.relaxation == nullptr) return std::nullopt;
  Choice choice{Destination::kRows, {bytes, 0, 0}, true};
  choice.relaxes = true;
  choice.expected = way.expected;
  return choice;
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
Choice chooseLevelsOnGpu(const Problem& problem, const Room& room) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const std::size_t edges = problem.graph.onHost().edgeCount();
  Choice choice{Destination::kStreamed, {}};
  choice.levels = true;
  choice.byGpu = !room.table || worthGpu(problem);
  if (!choice.byGpu) {
    choice.place = Destination::kRows;
    choice.keeps = true;
    choice.memory.host = bfs::LevelSearch::bytes(n, edges) + room.rows;
    return choice;
  }
  const std::size_t bytes = bfs::gpuLevelBytes(n, edges);
  const std::size_t kept =
      bytes + (room.table ? GpuRows::bytes(n, dtype, problem.rows()) : matrixBytes(n, dtype));
  const std::size_t streamed = bytes + GpuRows::bytes(n, dtype);
  choice.memory = {streamed, 0, GpuRows::hostBytes(n, dtype)};
  if (kept <= room.free) {
    choice.place = room.table ? Destination::kRows : Destination::kMatrix;
    choice.memory = {kept, 0, 0};
    choice.keeps = room.table;
  } else if (streamed > room.free) {
    refuseLevels(n, "GPU", streamed, room.free);
  }
  return choice;
}

/// On the GPU: distances in its memory, and the hierarchy in the host's, too. A small table is
/// swept by all threads of the CPU.
std::optional<Choice> chooseOnGpu(const Problem& problem, const Execution& where,
                                  const Solver& one) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const Room room = roomFor(problem, where, one);
  const std::size_t allowance = room.table ? allowedBytes(n, dtype) : hierarchyBytes(n, dtype);
  const std::size_t levels = room.table ? 0 : bytesOfLevels(problem, where);
  const std::size_t beside = std::max(gpuSweepBytes(n, 0, 0, dtype) + allowance, levels);
  const std::size_t either = std::max(room.dense.device, room.matrices + beside);
  if (!asksForSparse(where) && !asksForLevels(where) && either <= room.free)
    return Choice{
        Destination::kEither, {either, room.dense.best, allowance + room.rows}, room.table};
  if (problem.graph.unread())
    return Choice{Destination::kStreamed,
                  {GpuRows::bytes(n, dtype), 0, allowance + GpuRows::hostBytes(n, dtype)}};
  const Graph& graph = problem.graph.onHost();
  if (asksForLevels(where) || (levels > 0 && levels + GpuRows::bytes(n, dtype) <= room.free &&
                               bestWay({where.device, graph, problem.asked}).gpuLevels != nullptr))
    return chooseLevelsOnGpu(problem, room);
  const auto made = surveyFor(problem, where);
  const Survey& survey = *made;
  if (!asksForSparse(where) && !isFast({where.device, graph, problem.asked}, survey))
    return std::nullopt;
  const bool band = room.table && worthGpu(problem);
  const bool byCpu = room.table && !band;
  const std::size_t host =
      survey.bytes(byCpu ? omp_get_max_threads() : 1, dtype) + (byCpu ? room.rows : 0);
  if (byCpu) return Choice{Destination::kRows, {0, 0, host}, true, made};
  const std::size_t sweeps = gpuSweepBytes(n, survey.plan.arcs, survey.plan.coreSize(), dtype);
  const std::size_t kept =
      sweeps + (band ? GpuRows::bytes(n, dtype, problem.rows()) : matrixBytes(n, dtype));
  const std::size_t streamed = sweeps + GpuRows::bytes(n, dtype);
  Choice choice{
      Destination::kStreamed, {streamed, 0, host + GpuRows::hostBytes(n, dtype)}, false, made};
  choice.byGpu = band;
  if (kept <= room.free) {
    choice.place = band ? Destination::kRows : Destination::kMatrix;
    choice.memory = {kept, 0, host};
    choice.keeps = band;
  } else if (streamed > room.free) {
    refuse(n, "GPU", survey, streamed, room.dense.device, room.free);
  }
  return choice;
}

std::optional<Choice> choose(const Problem& problem, const Execution& where, const Solver& one) {
  if (onGpu(where.device)) return chooseOnGpu(problem, where, one);
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const Room room = roomFor(problem, where, one);
  const std::size_t host = problem.graph.hostBytes();
  const std::size_t few = kFewToKeep * asSize(n);
  const std::size_t levels = bytesOfLevels(problem, where);
  const std::size_t least =
      std::max({allowedBytes(n, dtype), EdgeRelaxation::bytes(n, few, asSize(n), dtype), levels});
  const std::size_t either = std::max(room.dense.device, room.matrices + least) + room.rows;
  const bool mayChange = where.options.method == Method::kAuto;  // to the dense method
  if (mayChange && either + host <= room.free)
    return Choice{Destination::kEither, {either, 0, host}, room.table};
  if (problem.graph.unread()) return Choice{Destination::kStreamed, {allowedBytes(n, dtype), 0, 0}};
  if (levels > 0 &&
      (asksForLevels(where) ||
       (levels <= room.free &&
        bestWay({where.device, problem.graph.onHost(), problem.asked}).levels != nullptr)))
    return chooseLevels(problem, room, levels);
  requireSweepers(n, dtype, room.free);
  if (auto relaxing = chooseRelaxing(problem, where, room)) return relaxing;
  const auto made = surveyFor(problem, where);
  const Survey& survey = *made;
  const std::size_t bytes = survey.bytes(omp_get_max_threads(), dtype);
  const std::size_t most = room.free / 4 * 3;
  if (room.table && room.rows + bytes <= most)
    return Choice{Destination::kRows, {room.rows + bytes, 0, 0}, true, made};
  if (!room.table && matrixBytes(n, dtype) + bytes <= most)
    return Choice{Destination::kMatrix, {matrixBytes(n, dtype) + bytes, 0, 0}, false, made};
  const std::size_t streamed = bytes + bandBytes(problem.rows(), problem.columns(), dtype);
  if (streamed > room.free) refuse(n, "host", survey, streamed, room.dense.device, room.free);
  return Choice{Destination::kStreamed, {streamed, 0, 0}, false, made};
}

/// Makes `count` rows of the distances, from row `first` on, and adds them up. rows: null if they
/// are not to be kept; sums: null if they are not to be added up.
using MakeRows = std::function<void(int first, int count, Elements rows, Summing* sums)>;

/// Memory for so many rows and columns, which need not be a multiple of a vector.
class Table {
 public:
  Table() = default;
  Table(int rows, int columns, Dtype dtype) : dtype_(dtype) {
    const std::size_t bytes = tableBytes(std::max(0, rows), columns, dtype);
    memory_ = makeRows<char>((bytes / kVectorBytes + 1) * kVectorBytes);
    preferLargePages(memory_.get(), bytes);
  }
  explicit operator bool() const { return memory_ != nullptr; }
  Elements data() const { return {dtype_, memory_.get()}; }

 private:
  Dtype dtype_ = Dtype::kInt32;
  DistanceRows<char> memory_;
};

/// Rows that are swept when they are asked for, or are kept if they are a table that has room.
class SweptRows : public Distances {
 public:
  SweptRows(const Problem& problem, bool keeps)
      : Distances(problem.graph.n(), problem.graph.dtype(), problem.asked), keeps_(keeps) {}

  /// Takes the memory for rows that are kept.
  void place() {
    if (!keeps_ || kept_) return;
    kept_ = Table(rowCount(), columns(), dtype());
    std::memset(kept_.data().data(), 0, tableBytes(rowCount(), columns(), dtype()));
  }

  /// Makes all rows. Returns the milliseconds that the sink took.
  double sweep(MakeRows make, Summarise summarises, const RowVisitor& sink) {
    make_ = std::move(make);
    const bool all = summarises == Summarise::kAll;
    const auto sums =
        all || (summarises == Summarise::kUnkept && !keeps_) ? summingFor(*this) : nullptr;
    double milliseconds = 0;
    if (keeps_ || (sums != nullptr && !sink)) {  // nobody reads rows that are not kept
      make_(0, rowCount(), keeps_ ? kept_.data() : Elements(), sums.get());
    } else {
      sums_ = sums.get();
      rows(0, rowCount(), [&](int first, int count, ConstElements elements) {
        if (sink) milliseconds += millisecondsOf([&] { sink(first, count, elements); });
      });
      sums_ = nullptr;
    }
    take(sums.get());
    return milliseconds;
  }

  /// The summaries are what these sums come to; null: they are not known.
  void take(Summing* sums) {
    summaries_.reset();
    if (sums != nullptr) summaries_ = sums->finish();
  }

  const Summaries* summaries() const override { return summaries_ ? &*summaries_ : nullptr; }

  /// Where all rows are, if they are kept.
  Elements kept() const { return kept_.data(); }

  bool keeps() const { return keeps_; }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    if (kept_) return visit(begin, end - begin, kept_.data() + asSize(begin) * asSize(columns()));
    const int band = std::min(bandRows(rowCount(), columns(), dtype()), end - begin);
    const Table some(band, columns(), dtype());
    for (int first = begin; first < end; first += band) {
      const int count = std::min(band, end - first);
      make_(first, count, some.data(), sums_);
      visit(first, count, some.data());
    }
  }

 private:
  MakeRows make_;
  const bool keeps_;
  Table kept_;
  std::optional<Summaries> summaries_;
  Summing* sums_ = nullptr;  // of all rows, while they are swept for the first time
};

/// A matrix in a device's memory, whose summaries may be known.
class SummedMatrix : public WholeDistances {
 public:
  using WholeDistances::WholeDistances;
  /// As of SweptRows.
  void take(Summing* sums) {
    summaries_.reset();
    if (sums != nullptr) summaries_ = sums->finish();
  }
  const Summaries* summaries() const override { return summaries_ ? &*summaries_ : nullptr; }

 private:
  std::optional<Summaries> summaries_;
};

class SparseRun : public Run {
 public:
  /// What the choice has looked at is not looked at again if where.keepsPlan.
  SparseRun(const Problem& problem, const Execution& where, const Solver& one, const Choice& choice)
      : graph_(problem.graph),
        asked_(problem.asked),
        where_(where),
        solveDensely_(one.inPlace),
        place_(choice.place),
        known_(where.keepsPlan || (where.order != nullptr && choice.survey != nullptr)),
        survey_(known_ ? choice.survey : nullptr),
        relaxes_(choice.relaxes && (known_ || choice.place == Destination::kRows)),
        levels_(choice.levels),
        expected_(choice.expected),
        outlook_(choice.outlook),
        gpuSweeps_(onGpu(where.device) &&
                   (asked_ == nullptr || (choice.byGpu && streams() && asked_->isBand()))),
        streamed_(problem, choice.keeps),
        streamedByGpu_(where.device, graph_.n(), graph_.dtype(), {}, asked_,
                       choice.keeps && gpuSweeps_) {
    if (streams()) return;
    work_.emplace(where.device, graph_.n(), graph_.dtype());
    if (!onGpu(where.device)) preferLargePages(work_->data().data(), work_->bytes());
    whole_.emplace(*work_);
    if (place_ == Destination::kEither && where.renumbers)
      other_.emplace(where.device, graph_.n(), graph_.dtype());
  }

  void reset(int first) override {
    onGpu_ = nullptr;
    ready_ = nullptr;
    levelSearch_ = nullptr;
    sunk_ = 0;
    first_ = first;
    if (whole_) whole_->take(nullptr);
    renumber();
    // The dense solver starts from a matrix. Whether it will solve is found out once more by
    // solve(), whose time includes that.
    hasGraph_ = false;
    gpuSweeps_ ? streamedByGpu_.place() : streamed_.place();
    if (place_ == Destination::kEither && way().asMatrix())
      placeGraph();
    else if (!streams() && asked_ == nullptr && !onGpu(where_.device))
      placeMatrix();
  }

  Call solve() override {
    Call call;
    bool solved = false;
    Options options = where_.options;
    call.milliseconds = where_.device.time([&] {
      const Way found = way();
      options.outlook = found.outlook;
      call.outcome.expected = found.expected;
      call.outcome.expectedDense = denseMilliseconds(wanted());
      if (found.survey != nullptr) solveSparsely(*found.survey, call.outcome);
      if (found.levels != nullptr) solveByLevels(found.levels, call.outcome);
      if (found.gpuLevels != nullptr) solveByLevels(found.gpuLevels, call.outcome);
      solved = found.survey != nullptr || found.byLevels() ||
               (found.relaxation != nullptr && relax(*found.relaxation, call.outcome));
    });
    call.milliseconds -= sunk_;
    turnsBack_ = other_ && !solved;
    sweeps_ = solved && (asked_ != nullptr || streams());
    if (solved) return call;
    if (!hasGraph_) placeGraph();
    const DeviceMatrix& matrix = other_ ? *other_ : *work_;
    Call dense = solveDensely_(where_.device, matrix.n(), matrix.data(), options);
    dense.milliseconds += call.milliseconds;  // the survey was in vain
    return dense;
  }

  const Distances& distances() override {
    if (sweeps_ && onGpu_ != nullptr) return streamedByGpu_;
    if (sweeps_) return streamed_;
    if (std::exchange(turnsBack_, false)) {
      const int n = graph_.n();
      where_.device.renumber(n, work_->data(), other_->data(), (n - first_) % n);
    }
    return *whole_;
  }

 private:
  /// Makes renumbered_ the graph whose vertices are numbered from first_ on.
  void renumber() {
    renumbered_ = {};
    if (first_ == 0) return;
    const int n = graph_.n();
    const auto renumbered = [&](int vertex) {
      return vertex >= first_ ? vertex - first_ : vertex + n - first_;
    };
    renumbered_ = withEdges(graph_.onHost(), [&](auto edges) {  // a copy
      for (auto& edge : edges) edge = {renumbered(edge.from), renumbered(edge.to), edge.weight};
      return fromEdges(n, std::move(edges));
    });
  }

  /// The edges that are solved.
  const Graph& edges() const { return first_ != 0 ? renumbered_ : graph_.onHost(); }

  void placeGraph() {
    graph_.upload(where_.device, work_->data());
    if (other_) where_.device.renumber(graph_.n(), other_->data(), work_->data(), first_);
    hasGraph_ = true;
  }

  /// Whether there is no matrix.
  bool streams() const { return place_ == Destination::kStreamed || place_ == Destination::kRows; }

  Wanted wanted() const { return {where_.device, edges(), asked_, first_}; }

  /// How the graph is solved.
  Way way() const {
    if (levels_ || asksForLevels(where_)) {
      Way way;
      way.expected = expected_;
      way.outlook = outlook_;
      if (gpuSweeps_)
        way.gpuLevels = gpuLevelsOf(wanted());
      else
        way.levels = levelsOf(wanted());
      if (way.byLevels()) return way;
      if (asksForLevels(where_)) refuseWeights();  // else a plan is for other weights
    } else if (known_ || relaxes_) {
      return {survey_, relaxes_ ? relaxationOf(wanted()) : nullptr, nullptr, nullptr, expected_,
              outlook_};
    }
    if (place_ == Destination::kEither) return bestWay(wanted());
    const auto made = std::make_shared<const Survey>(
        surveyOf(graph_.n(), edges().ends(), ratesOn(where_.device, graph_.dtype(), asked_),
                 where_.order.get()));
    return {made, nullptr, nullptr, nullptr, made->plan.milliseconds};
  }

  /// Returns whether it did; `done`: what it did.
  bool relax(EdgeRelaxation& relaxation, Outcome& done) {
    const bool table = asked_ != nullptr;
    const std::unique_ptr<Summing> found = sums();
    bool all = false;
    done.filtering.relax = millisecondsOf(
        [&] { all = relaxation.solve(table ? streamed_.kept() : work_->data(), found.get()); });
    if (all) table ? streamed_.take(found.get()) : whole_->take(found.get());
    hasGraph_ = hasGraph_ && all;
    if (!all) return false;
    done.filtering.kept = relaxation.edgesOfVertex();
    done.filtering.passes = relaxation.passes();
    done.method = Method::kFiltered;
    done.tier = relaxation.tier();
    return true;
  }

  /// For all distances, if all summaries are wanted.
  std::unique_ptr<Summing> sums() const {
    if (where_.summarises != Summarise::kAll) return nullptr;
    return asked_ != nullptr ? summingFor(streamed_) : summingFor(*whole_);
  }

  /// done: what it did.
  void solveSparsely(const Survey& found, Outcome& done) {
    const auto core = [this](int size, Elements matrix) {
      Options options = where_.options;
      options.method = Method::kAuto;
      onDevice(where_.device, size, matrix,
               [&](Elements there) { solveDensely_(where_.device, size, there, options); });
    };
    ready_ = std::make_unique<Prepared>(found, edges(), Ways{core, omp_get_max_threads()},
                                        done.sweeping);
    ready_->renumberBack(first_);
    if (asked_ != nullptr && !gpuSweeps_) ready_->restrictTo(*asked_);
    done.method = Method::kSparse;
    done.tier = tierOf(graph_.dtype());
    done.sweeping.streamed = streams() && !streamed_.keeps();
    done.sweeping.sweep = millisecondsOf([this] { sweepAll(); }) - sunk_;
  }

  /// done: what it did.
  void solveByLevels(std::shared_ptr<bfs::LevelSearch> levels, Outcome& done) {
    done.method = Method::kBfs;
    done.tier = tierOf(graph_.dtype());
    levelSearch_ = std::move(levels);
    const auto make = [this](int first, int count, Elements rows, Summing* sums) {
      levelSearch_->solve(first, count, rows, sums);
    };
    if (asked_ != nullptr || streams()) {
      sunk_ = streamed_.sweep(make, where_.summarises, where_.sink);
    } else {
      const std::unique_ptr<Summing> found = sums();
      make(0, graph_.n(), work_->data(), found.get());
      whole_->take(found.get());
    }
    hasGraph_ = false;
    done.levelling = levelSearch_->done();
    done.levelling.streamed = streams() && !streamed_.keeps();
    if (asked_ == nullptr && !streams()) levelSearch_ = nullptr;
  }

  void solveByLevels(std::shared_ptr<bfs::GpuLevels> levels, Outcome& done) {
    done.method = Method::kBfs;
    done.tier = tierOf(graph_.dtype());
    if (streams()) {
      onGpu_ = levels;
      streamedByGpu_.make(*levels, where_.summarises != Summarise::kNothing);
    } else {
      levels->all(work_->data());
      where_.device.synchronise();
    }
    hasGraph_ = false;
    done.levelling = levels->done();
    done.levelling.streamed = place_ == Destination::kStreamed;
  }

  /// The system gives memory when it is first written. That is no part of solving.
  void placeMatrix() {
    if (std::exchange(isPlaced_, true)) return;
    const auto rows = asSize(graph_.n());
#pragma omp parallel for if (rows >= kWorthThreads)
    for (std::size_t i = 0; i < rows; ++i)
      std::memset((work_->data() + i * rows).data(), 0, rows * sizeOf(work_->dtype()));
  }

  void sweepAll() {
    if (gpuSweeps_) {
      onGpu_ = ready_->onGpu();
      if (streams()) return streamedByGpu_.make(*onGpu_, where_.summarises != Summarise::kNothing);
      onGpu_->all(work_->data());
      where_.device.synchronise();
      onGpu_ = nullptr;
      ready_ = nullptr;
    } else if (asked_ != nullptr || streams()) {
      const auto make = [this](int first, int count, Elements rows, Summing* sums) {
        ready_->sweep(first, count, rows, sums);
      };
      sunk_ = streamed_.sweep(make, where_.summarises, where_.sink);
    } else {
      const std::unique_ptr<Summing> found = sums();
      ready_->sweep(0, graph_.n(), work_->data(), found.get());
      whole_->take(found.get());
      ready_ = nullptr;
    }
  }

  const ProblemGraph& graph_;
  const Selection* const asked_;
  const Execution where_;
  const InPlace solveDensely_;
  const Destination place_;
  const bool known_;                            // survey_ is what survey() would find
  const std::shared_ptr<const Survey> survey_;  // null: another method
  const bool relaxes_, levels_;
  const double expected_;  // milliseconds
  const Outlook outlook_;
  std::optional<DeviceMatrix> work_, other_;  // other_: renumbered, for the dense solver
  std::optional<SummedMatrix> whole_;         // of work_
  const bool gpuSweeps_;
  SweptRows streamed_;
  GpuRows streamedByGpu_;
  Graph renumbered_;  // if these are not the graph's own edges
  std::unique_ptr<Prepared> ready_;
  std::shared_ptr<RowSource> onGpu_;  // what makes rows on the GPU
  std::shared_ptr<bfs::LevelSearch> levelSearch_;
  int first_ = 0;
  bool isPlaced_ = false;   // work_ has been written
  bool hasGraph_ = false;   // the dense solver's matrix is in its place
  bool sweeps_ = false;     // the distances are streamed_
  bool turnsBack_ = false;  // other_ holds distances that work_ does not hold yet
  double sunk_ = 0;         // milliseconds of the sink, in the last sweep
};

/// The graph of a matrix in host memory, as edges.
Graph edgesOf(int n, ConstElements matrix) {
  return withElements(matrix, [&](const auto* all) {
    using T = NumberAt<decltype(all)>;
    Edges<T> edges;
    for (int i = 0; i < n; ++i) {
      const T* const row = all + asSize(i) * asSize(n);
      for (int j = 0; j < n; ++j)
        if (i != j && row[j] < kInfinity<T>) edges.push_back({i, j, row[j]});
    }
    Graph graph;
    graph.n = n;
    graph.body = std::move(edges);
    return graph;
  });
}

/// The same of a matrix in a device's memory.
Graph edgesThere(const Device& device, int n, Elements matrix) {
  if (!onGpu(device)) return edgesOf(n, matrix);
  Matrix host(n, matrix.dtype());
  download(device, host.data(), matrix, host.size());
  return edgesOf(n, host.data());
}

}  // namespace

void requireLevels(const ProblemGraph& graph) {
  if (!graph.unread() && graph.heldAsEdges() && !bfs::commonWeight(graph.onHost())) refuseWeights();
}

void onDevice(const Device& device, int n, Elements matrix,
              const std::function<void(Elements)>& work) {
  if (!onGpu(device)) return work(matrix);
  const DeviceMatrix copy(device, n, matrix.dtype());
  upload(device, copy.data(), matrix, copy.size());
  work(copy.data());
  download(device, matrix, copy.data(), copy.size());
}

Outcome solveMatrix(const Device& device, int n, Elements matrix, const CoreSolver& solveCore) {
  const Dtype dtype = matrix.dtype();
  Outcome outcome;
  outcome.method = Method::kSparse;
  outcome.tier = tierOf(dtype);
  const bool gpu = onGpu(device);
  const Graph graph = edgesThere(device, n, matrix);
  const Survey survey = surveyOf(n, graph.ends(), ratesOn(device, dtype));
  Prepared ready(survey, graph, {solveCore, omp_get_max_threads()}, outcome.sweeping);
  outcome.sweeping.sweep = millisecondsOf([&] {
    if (!gpu) return ready.sweep(0, n, matrix);
    ready.onGpu()->all(matrix);
    device.synchronise();
  });
  return outcome;
}

Outcome solveMatrixByLevels(const Device& device, int n, Elements matrix) {
  const Graph graph = edgesThere(device, n, matrix);
  if (!bfs::commonWeight(graph)) refuseWeights();
  Outcome outcome;
  outcome.method = Method::kBfs;
  outcome.tier = tierOf(matrix.dtype());
  if (onGpu(device)) {
    const auto levels = gpuLevelsOf({device, graph});
    levels->all(matrix);
    device.synchronise();
    outcome.levelling = levels->done();
  } else {
    const auto levels = levelsOf({device, graph});
    levels->solve(0, n, matrix);
    outcome.levelling = levels->done();
  }
  return outcome;
}

std::size_t solveMatrixBytes(int n, Dtype dtype) {
  // The edges, the pattern of both directions, and a core of all vertices with the solver's tiles.
  return 8 * matrixBytes(n, dtype) + allowedBytes(n, dtype);
}

Solver orSparsely(Solver one) {
  Solver row = one;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (asksForLevels(where)) requireLevels(problem.graph);
    requireOrderFits(problem, where);
    if (!mayBeSparse(problem, where) || isTiny(problem, where)) return one.plan(problem, where);
    std::optional<Choice> chosen = choose(problem, where, one);
    if (!chosen) return one.plan(problem, where);
    const bool looks = where.keepsPlan && !problem.graph.unread();
    Way way;
    if (looks && chosen->place == Destination::kEither) {
      way = bestWay({where.device, problem.graph.onHost(), problem.asked});
      chosen->survey = way.survey;
      chosen->relaxes = way.relaxation != nullptr;
      chosen->levels = way.byLevels();
      chosen->expected = way.expected;
      chosen->outlook = way.outlook;
    }
    Plan plan;
    plan.memory = chosen->memory;
    plan.place = chosen->place;
    plan.method = where.options.method;
    if (chosen->survey != nullptr) {
      plan.method = Method::kSparse;
      plan.expected = chosen->survey->plan.milliseconds;
      plan.order = {chosen->survey, &chosen->survey->plan.vertex};
    } else if (chosen->relaxes || chosen->levels) {
      plan.method = chosen->levels ? Method::kBfs : Method::kFiltered;
      plan.expected = chosen->expected;
    }
    plan.begin = [where, one, choice = *chosen](const Problem& given) {
      return std::make_unique<SparseRun>(given, where, one, choice);
    };
    return plan;
  };
  return row;
}

}  // namespace sparse
