// A run may find the distances in several ways. Each of them writes into the matrix, or into the
// rows of a table. Where neither has room, the run keeps what makes rows, and makes them again when
// they are asked for. solve() then makes all rows once and discards them, because its time must be
// that of all distances. If smaller elements are wanted, and have room, rows are made a few at a
// time and kept in these.
//
// --vary. The run gets the edges of the renumbered graph, so its order and its hierarchy differ
// from call to call. Only the names of the ranks are turned back. The dense solver in its place
// solves a renumbered copy of the matrix.
#include "plan/edge_run.h"

#include <omp.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "plan/edges_in_place.h"
#include "search/search.h"
#include "solver/gpu_rows.h"
#include "solver/small_rows.h"
#include "solver/summing.h"

namespace engine::plan {

namespace {

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

/// Rows that are made when they are asked for, or are kept if they have room, stored so.
class FoundRows : public Distances {
 public:
  FoundRows(const Problem& problem, bool keeps, RowWidth stored)
      : Distances(problem.graph.n(), problem.graph.dtype(), problem.asked),
        keeps_(keeps),
        stored_(stored) {}

  /// Takes the memory for rows that are kept. Forgets what made others.
  void place() {
    make_ = nullptr;
    if (!keeps_ || kept_ || small_) return;
    if (stored_ != RowWidth::kFull) {
      small_.emplace(cpuDevice, rowCount(), columns(), stored_);
      return;
    }
    kept_ = Table(rowCount(), columns(), dtype());
    takePages(kept_.data().data(), tableBytes(rowCount(), columns(), dtype()));
  }

  /// Makes all rows. Returns the milliseconds that the sink took. Throws DoesNotFit.
  double sweep(MakeRows make, Summarise summarises, const RowVisitor& sink) {
    make_ = std::move(make);
    const bool all = summarises == Summarise::kAll;
    const auto sums =
        all || (summarises == Summarise::kUnkept && !keeps_) ? summingFor(*this) : nullptr;
    double milliseconds = 0;
    if (small_) {
      inBands(0, rowCount(), make_, sums.get(), [&](int first, int count, ConstElements elements) {
        small_->keep(*this, first, count, elements);
      });
    } else if (keeps_ || (sums != nullptr && !sink)) {  // nobody reads rows that are not kept
      make_(0, rowCount(), keeps_ ? kept_.data() : Elements(), sums.get());
    } else {
      inBands(0, rowCount(), make_, sums.get(), [&](int first, int count, ConstElements elements) {
        if (sink) milliseconds += millisecondsOf([&] { sink(first, count, elements); });
      });
    }
    if (keeps_) make_ = nullptr;
    take(sums.get());
    return milliseconds;
  }

  /// The summaries are what these sums come to; null: they are not known.
  void take(Summing* sums) {
    summaries_.reset();
    if (sums != nullptr) summaries_ = sums->finish();
  }

  const Summaries* summaries() const override { return summaries_ ? &*summaries_ : nullptr; }

  /// All rows, if they are kept as they are.
  Elements kept() const { return kept_.data(); }

  bool keeps() const { return keeps_; }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    if (kept_) return visit(begin, end - begin, kept_.data() + asSize(begin) * asSize(columns()));
    const MakeRows widen = [this](int first, int count, Elements rows, Summing*) {
      small_->widen(first, count, rows);
    };
    inBands(begin, end, small_ ? widen : make_, nullptr, visit);
  }

 private:
  /// Visits rows, a band at a time, that `make` writes, and adds to these sums.
  void inBands(int begin, int end, const MakeRows& make, Summing* sums,
               const RowVisitor& visit) const {
    const int band = std::min(bandRows(rowCount(), columns(), dtype()), end - begin);
    const Table some(band, columns(), dtype());
    for (int first = begin; first < end; first += band) {
      const int count = std::min(band, end - first);
      make(first, count, some.data(), sums);
      visit(first, count, some.data());
    }
  }

  MakeRows make_;
  const bool keeps_;
  const RowWidth stored_;
  Table kept_;
  std::optional<SmallRows> small_;  // or these
  std::optional<Summaries> summaries_;
};

/// A matrix in a device's memory, whose summaries may be known.
class SummedMatrix : public WholeDistances {
 public:
  using WholeDistances::WholeDistances;
  /// As of FoundRows.
  void take(Summing* sums) {
    summaries_.reset();
    if (sums != nullptr) summaries_ = sums->finish();
  }
  const Summaries* summaries() const override { return summaries_ ? &*summaries_ : nullptr; }

 private:
  std::optional<Summaries> summaries_;
};

/// How a graph is solved, with what looking has made, and how long looking took.
struct Chosen {
  Way way;
  double milliseconds = 0;
};

class EdgeRun : public Run {
 public:
  EdgeRun(const Problem& problem, const Execution& where, const Solver& one,
          const Decision& decision)
      : graph_(problem.graph),
        asked_(problem.asked),
        where_(where),
        solveDensely_(one.inPlace),
        decision_(decision),
        place_(decision.place),
        once_(where.once && where.order == nullptr && place_ == Destination::kEither &&
              !decision.looked),
        known_((where.keepsPlan && !once_) ||
               (where.order != nullptr && decision.survey != nullptr)),
        maySearch_(decision.maySearch),
        gpuSweeps_(onGpu(where.device) && (asked_ == nullptr || decision.byGpu)),
        rows_(problem, decision.keeps, decision.stored),
        rowsByGpu_(where.device, graph_.n(), graph_.dtype(), {}, asked_,
                   decision.keeps && gpuSweeps_, decision.stored) {
    if (hasNoMatrix()) return;
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
    chosen_.reset();
    sunk_ = 0;
    first_ = first;
    if (whole_) whole_->take(nullptr);
    renumber();
    // The dense solver starts from a matrix. If no plan is kept, solve() decides once more whether
    // it is called, because its time includes that.
    hasGraph_ = false;
    // A table that may be found in another way takes its rows when the GPU sweeps.
    if (!gpuSweeps_)
      rows_.place();
    else if (asked_ == nullptr || place_ != Destination::kEither)
      rowsByGpu_.place();
    if (solvesMatrix())
      placeGraph();
    else if (!hasNoMatrix() && asked_ == nullptr && !onGpu(where_.device))
      placeMatrix();
  }

  Call solve() override {
    Call call;
    bool solved = false;
    Options options = where_.options;
    const auto work = [&] {
      Way found;
      if (auto chosen = std::exchange(chosen_, std::nullopt)) {
        found = std::move(chosen->way);
        call.outcome.chosen = chosen->milliseconds;
      } else {
        call.outcome.choosing = millisecondsOf([&] { found = way(); });
      }
      options.outlook = found.outlook;
      if (found.expected > 0)
        call.outcome.expected = call.outcome.choosing + found.expected - found.sampled;
      call.outcome.expectedDense = denseMilliseconds(wanted());
      solved = solveBy(found, call.outcome);
      call.outcome.streamed = place_ == Destination::kStreamed;
    };
    const bool byCpu = decision_.method == Method::kSearch;
    call.milliseconds = byCpu ? millisecondsOf(work) : where_.device.time(work);
    call.milliseconds -= sunk_;
    turnsBack_ = other_ && !solved;
    inRows_ = solved && (asked_ != nullptr || hasNoMatrix());
    if (solved) return call;
    if (!hasGraph_) placeGraph();
    const DeviceMatrix& matrix = other_ ? *other_ : *work_;
    Call dense = solveDensely_(where_.device, matrix.n(), matrix.data(), options);
    dense.milliseconds += call.milliseconds;  // the survey was in vain
    dense.outcome.choosing = call.outcome.choosing;
    dense.outcome.chosen = call.outcome.chosen;
    return dense;
  }

  const Distances& distances() override {
    if (inRows_ && onGpu_ != nullptr) return rowsByGpu_;
    if (inRows_) return rows_;
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
  bool hasNoMatrix() const {
    return place_ == Destination::kStreamed || place_ == Destination::kRows;
  }

  Wanted wanted() const {
    return {where_.device,          edges(),       asked_, first_, maySearch_,
            where_.options.may16(), where_.sharers};
  }

  /// How the graph is solved. Whoever measures looks again, because that is a part of the time.
  Way way() const {
    const bool either = place_ == Destination::kEither;  // takes what any way finds
    if (known_ || (!either && !decision_.looked)) return plannedWay();
    Way found = bestWay(wanted());
    return either || found.method() == decision_.method ? found : plannedWay();
  }

  /// Whether the matrix is to be solved.
  bool solvesMatrix() {
    if (place_ != Destination::kEither) return false;
    if (once_) {
      chosen_.emplace();
      chosen_->milliseconds = millisecondsOf([this] { chosen_->way = way(); });
      return chosen_->way.method() == Method::kAuto;
    }
    if (known_ && decision_.method != Method::kBfs) return decision_.method == Method::kAuto;
    // A kept plan may be followed with other weights, which may be unequal.
    if (known_ && bfs::commonWeight(edges())) return false;
    return way().method() == Method::kAuto;
  }

  Way plannedWay() const {
    Way way;
    way.expected = decision_.expected;
    way.outlook = decision_.outlook;
    if (decision_.method == Method::kSearch) way.searches = true;
    if (decision_.method == Method::kFiltered) way.relaxation = relaxationOf(wanted());
    if (decision_.method == Method::kSparse) return sweeping(known_ ? decision_.survey : nullptr);
    if (decision_.method != Method::kBfs) return way;
    if (gpuSweeps_)
      way.gpuLevels = gpuLevelsOf(wanted());
    else
      way.levels = levelsOf(wanted());
    if (way.byLevels()) return way;
    if (asksForLevels(where_)) refuseWeights();
    return wayOfOtherWeights();
  }

  /// A plan of breadth-first searches is kept, and the weights of this graph differ.
  Way wayOfOtherWeights() const {
    if (place_ == Destination::kEither) return bestWay(wanted());
    Way way;
    if (asked_ != nullptr && !gpuSweeps_ && !where_.renumbers) {
      Wanted searched = wanted();
      searched.maySearch = true;
      way.searches = searchingOf(searched) == Searching::kSurely ||
                     !sparse::maySeparate(edges().n, edges().ends());
    }
    return way.searches ? way : sweeping(nullptr);  // however long ordering takes
  }

  /// Whether a GPU sweeps what the CPU has prepared. A table that is no band is swept by the CPU.
  bool gpuSweepsSurveys() const { return gpuSweeps_ && (asked_ == nullptr || asked_->isBand()); }

  /// On a GPU that sweeps, eliminates there, which most often takes less time than to follow a
  /// survey. Without a survey, makes one.
  Way sweeping(std::shared_ptr<const Survey> survey) const {
    Way way;
    way.outlook = decision_.outlook;
    if (gpuSweeps_ && where_.order == nullptr) way.elimination = eliminationOf(wanted());
    if (way.elimination != nullptr) {
      way.expected = expectedOf(wanted(), *way.elimination);
      return way;
    }
    way.survey = survey != nullptr ? std::move(survey) : surveyed(wanted(), where_.order.get());
    way.expected = way.survey->elimination.milliseconds;
    return way;
  }

  /// Returns whether it did. If not, the matrix is to be solved. done: what it did.
  bool solveBy(const Way& found, Outcome& done) {
    if (found.relaxation != nullptr) {
      if (hasNoMatrix()) found.relaxation->takeAnyTime();  // there is no matrix to solve instead
      return relax(*found.relaxation, done);
    }
    if (found.survey != nullptr) solveSparsely(*found.survey, done);
    if (found.elimination != nullptr && !solveSparsely(*found.elimination, done))
      solveSparsely(*surveyed(wanted(), nullptr), done);
    if (found.levels != nullptr) solveByLevels(found.levels, done);
    if (found.gpuLevels != nullptr) solveByLevels(found.gpuLevels, done);
    if (found.searches) search(done);
    return found.method() != Method::kAuto;
  }

  /// done: what it did.
  void search(Outcome& done) {
    const auto make = [find = searchesOf(edges(), *asked_), columns = asSize(rows_.columns())](
                          int first, int count, Elements rows, Summing* sums) {
      find(first, count, rows);
      // So many rows at a time that the order of real sums is that of any number of threads.
      for (int i = 0; sums != nullptr && i < count; i += kSummedRows)
        sums->add(first + i, std::min(kSummedRows, count - i), rows + asSize(i) * columns);
    };
    rows_.place();
    // Without a sink, sweep() would ask for sums without rows.
    const RowVisitor nobody = [](int, int, ConstElements) {};
    sunk_ = rows_.sweep(make, where_.summarises, where_.sink ? where_.sink : nobody);
    done.method = Method::kSearch;
    done.tier = tierOf(graph_.dtype());
  }

  /// Returns whether it did; `done`: what it did.
  bool relax(EdgeRelaxation& relaxation, Outcome& done) {
    const bool table = asked_ != nullptr;
    const std::unique_ptr<Summing> found = sums();
    bool all = false;
    done.filtering.relax = millisecondsOf(
        [&] { all = relaxation.solve(table ? rows_.kept() : work_->data(), found.get()); });
    if (all) table ? rows_.take(found.get()) : whole_->take(found.get());
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
    return asked_ != nullptr ? summingFor(rows_) : summingFor(*whole_);
  }

  /// Solves a core, which is in the device's memory.
  void solveCore(int size, Elements matrix) const {
    Options options = where_.options;
    options.method = Method::kAuto;
    solveDensely_(where_.device, size, matrix, options);
  }

  /// done: what it did.
  void solveSparsely(const Survey& found, Outcome& done) {
    const auto core = [this](int size, Elements matrix) {
      onDevice(where_.device, size, matrix, [&](Elements there) { solveCore(size, there); });
    };
    ready_ = std::make_unique<sparse::Prepared>(
        found, edges(), sparse::Ways{core, omp_get_max_threads()}, done.sweeping);
    ready_->renumberBack(first_);
    if (gpuSweepsSurveys()) {
      onGpu_ = ready_->onGpu();
    } else if (asked_ != nullptr) {
      ready_->restrictTo(*asked_);
      rows_.place();
    }
    finishSparsely(done);
  }

  /// The same, on a GPU that has eliminated. Returns whether it did: the core, or what sweeping
  /// takes, may have no room.
  bool solveSparsely(sparse::GpuElimination& found, Outcome& done) try {
    const auto core = [this](int size, Elements matrix) { solveCore(size, matrix); };
    const bool table = asked_ != nullptr && !asked_->isBand();
    onGpu_ = found.sweeps(core, first_, done.sweeping, table ? asked_ : nullptr);
    finishSparsely(done);
    return true;
  } catch (const Error& error) {
    if (error.code != ErrorCode::kMemory) throw;
    onGpu_ = nullptr;
    return false;
  }

  void finishSparsely(Outcome& done) {
    done.method = Method::kSparse;
    done.tier = tierOf(graph_.dtype());
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
    if (asked_ != nullptr || hasNoMatrix()) {
      sunk_ = rows_.sweep(make, where_.summarises, where_.sink);
    } else {
      const std::unique_ptr<Summing> found = sums();
      make(0, graph_.n(), work_->data(), found.get());
      whole_->take(found.get());
    }
    hasGraph_ = false;
    done.levelling = levelSearch_->done();
    if (asked_ == nullptr && !hasNoMatrix()) levelSearch_ = nullptr;
  }

  void solveByLevels(std::shared_ptr<bfs::GpuLevels> levels, Outcome& done) {
    done.method = Method::kBfs;
    done.tier = tierOf(graph_.dtype());
    if (hasNoMatrix()) {
      onGpu_ = levels;
      rowsByGpu_.make(*levels, where_.summarises != Summarise::kNothing);
    } else {
      levels->all(work_->data());
      where_.device.finish();
    }
    hasGraph_ = false;
    done.levelling = levels->done();
  }

  /// The system gives memory when it is first written. That is no part of solving.
  void placeMatrix() {
    if (!std::exchange(isPlaced_, true)) takePages(work_->data().data(), work_->bytes());
  }

  void sweepAll() {
    if (onGpu_ != nullptr) {
      if (asked_ != nullptr || hasNoMatrix())
        return rowsByGpu_.make(*onGpu_, where_.summarises != Summarise::kNothing);
      onGpu_->all(work_->data());
      where_.device.finish();
      onGpu_ = nullptr;
      ready_ = nullptr;
    } else if (asked_ != nullptr || hasNoMatrix()) {
      const auto make = [this](int first, int count, Elements rows, Summing* sums) {
        ready_->sweep(first, count, rows, sums);
      };
      sunk_ = rows_.sweep(make, where_.summarises, where_.sink);
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
  const Decision decision_;
  const Destination place_;
  const bool once_;                           // solve() goes on from what reset() chose
  const bool known_;                          // the decision is followed
  const bool maySearch_;                      // as when it was decided
  std::optional<DeviceMatrix> work_, other_;  // other_: renumbered, for the dense solver
  std::optional<SummedMatrix> whole_;         // of work_
  const bool gpuSweeps_;
  FoundRows rows_;
  GpuRows rowsByGpu_;
  std::optional<Chosen> chosen_;  // by reset(), for solve()
  Graph renumbered_;              // if these are not the graph's own edges
  std::unique_ptr<sparse::Prepared> ready_;
  std::shared_ptr<RowSource> onGpu_;  // what makes rows on the GPU
  std::shared_ptr<bfs::LevelSearch> levelSearch_;
  int first_ = 0;
  bool isPlaced_ = false;   // work_ has been written
  bool hasGraph_ = false;   // the dense solver's matrix is in its place
  bool inRows_ = false;     // the distances are rows
  bool turnsBack_ = false;  // other_ holds distances that work_ does not hold yet
  double sunk_ = 0;         // milliseconds of the sink, in the last sweep
};

}  // namespace

std::unique_ptr<Run> runOfEdges(const Problem& problem, const Execution& where, const Solver& one,
                                const Decision& decision) {
  return std::make_unique<EdgeRun>(problem, where, one, decision);
}

}  // namespace engine::plan
