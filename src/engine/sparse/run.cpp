// When a graph is solved sparsely, and where its distances go.
//
// The choice. Two estimates are compared: the dense solver's time, n³ relaxations, and what the
// elimination says (elimination.cpp). Looking costs time itself, so a graph is surveyed only if it
// is held as edges and the survey is expected to take a small part of the dense time.
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
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "device/simd.h"
#include "filtered/prospect.h"
#include "sparse/gpu_rows.h"

namespace sparse {

namespace {

/// Of the dense solver's time, the most that a survey may be expected to take. Graphs with so few
/// edges a vertex are nearly always solved sparsely.
constexpr double kWorthSurveying = 0.02, kFewEdges = 4, kWorthSurveyingFew = 0.1;
/// Edges a vertex along which a GPU relaxes fast.
constexpr std::size_t kFewToRelax = 32;
/// From so many vertices on, filtering in vain costs less than 3 % of the dense solver's time.
constexpr int kCheapToTry = 10000;
/// Of the dense solver's time, the most that sparse solving may be expected to take. The filtered
/// solver may take less, too, above all on a GPU.
constexpr double kWorthwhile = 0.4, kWorthwhileOnGpu = 0.05;
/// Bytes for each vertex that the hierarchy may take where the dense solver fits, too.
constexpr std::size_t kAllowance = 2048;
/// Bytes of the rows that are swept together if they are not kept.
constexpr std::size_t kBandBytes = std::size_t{256} << 20;

bool onGpu(const Device& device) {
  return device.kind() == DeviceKind::kGpu;
}

/// On a GPU, the CPU prepares, and the GPU solves the core and sweeps. asked: see Problem.
Rates ratesOn(const Device& device, const Selection* asked = nullptr) {
  const struct {
    const char* simd;
    double product;
  } levels[] = {{"avx512", 1.2e-11}, {"avx2", 2.4e-11}, {"portable", 1e-10}};
  Rates rates;
  for (const auto& level : levels)
    if (widestSimd() == level.simd) rates.product = level.product;
  rates.threads = omp_get_max_threads();
  if (onGpu(device)) {
    rates.product = 1e-13;
    rates.relax = rates.write = 0.4e-12;
    rates.threads = 1;
    rates.arc = 300e-9;     // one thread of the CPU
    rates.coreWord = 3e-9;  // the core's matrix goes to the GPU and back
  }
  if (asked != nullptr && !asked->sources.empty())
    rates.sources = static_cast<double>(asked->sources.size());
  return rates;
}

/// Bytes that sweepers take without a core.
std::size_t sweeperBytes(int n) {
  const int batches = (n + kBatch - 1) / kBatch;
  return static_cast<std::size_t>(std::min(omp_get_max_threads(), batches)) *
         Sweeper<int>::bytes(n, 0);
}

/// Of so many rows and columns, the rows that are swept together if they are not kept: whole
/// batches, one for each thread.
int bandRows(int rows, int columns) {
  const std::size_t row = sizeof(int) * static_cast<std::size_t>(std::max(1, columns));
  const std::size_t batches = std::clamp<std::size_t>(
      kBandBytes / row / kBatch, 1, 2 * static_cast<std::size_t>(omp_get_max_threads()));
  return std::min(rows, static_cast<int>(batches) * kBatch);
}

std::size_t wordsBytes(int rows, int columns) {
  return sizeof(int) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

std::size_t bandBytes(int rows, int columns) {
  return wordsBytes(bandRows(rows, columns), columns);
}

/// Whether surveying takes a small part of the dense solver's time.
bool worthSurveying(int n, double arcs, double dense, const Rates& rates) {
  const double part = arcs <= kFewEdges * n ? kWorthSurveyingFew : kWorthSurveying;
  return arcs * rates.arc * 1e3 <= part * dense;
}

/// Whether solving so is expected to be faster than the dense and the filtered solver.
bool isFast(const Device& device, const Survey& survey, double dense) {
  return survey.plan.milliseconds <= (onGpu(device) ? kWorthwhileOnGpu : kWorthwhile) * dense;
}

/// The survey of a graph, if it does not take long and says that solving so is expected to be
/// faster. dense: milliseconds of the dense solver.
std::optional<Survey> surveyIfFast(const Device& device, int n, const std::vector<Edge>& edges,
                                   const Rates& rates, double dense) {
  if (!worthSurveying(n, static_cast<double>(edges.size()), dense, rates)) return std::nullopt;
  std::optional<Survey> found = surveyIfSeparable(n, edges, rates);
  if (found && !isFast(device, *found, dense)) found.reset();
  return found;
}

/// Whether the hierarchy fits where the dense solver does, too.
bool hasRoom(const Device& device, const Survey& survey) {
  const int n = survey.plan.vertices();
  if (onGpu(device))
    return gpuSweepBytes(n, survey.plan.arcs, survey.plan.coreSize()) <= device.freeBytes();
  return survey.bytes(std::min(omp_get_max_threads(), n / kBatch + 1)) <=
         std::max(matrixBytes(n), allowedBytes(n));
}

/// The survey of a graph whose matrix would fit, if solving so is expected to be the fastest.
std::shared_ptr<const Survey> surveyIfBest(const Device& device, int n,
                                           const std::vector<Edge>& edges, const Selection* asked) {
  const Rates rates = ratesOn(device, asked);
  auto found = surveyIfFast(device, n, edges, rates, denseMilliseconds(n, rates));
  if (!found || !hasRoom(device, *found)) return nullptr;
  return std::make_shared<const Survey>(std::move(*found));
}

bool asksForSparse(const Execution& where) {
  return where.options.method == Method::kSparse;
}

/// Whether a run of edges is wanted. A graph that is held as a matrix is solved in place.
bool mayBeSparse(const Problem& problem, const Execution& where) {
  return problem.graph.heldAsEdges() &&
         (where.options.method == Method::kAuto || asksForSparse(where));
}

/// What is chosen for a graph that is held as edges. Nothing: another method is to solve it.
struct Choice {
  Destination place;
  Memory memory;
  bool keeps = false;  ///< a table has room, so that its rows need not be swept again
  std::shared_ptr<const Survey> survey = nullptr;  ///< if it was made
};

/// Throws Error(kMemory) with the figures of both methods.
[[noreturn]] void refuse(int n, const char* place, const Survey& survey, std::size_t bytes,
                         std::size_t dense, std::size_t free) {
  throw Error(Exit::kMemory,
              fmt::format("n = {}: {} of {} memory needed by the sparse method ({} arcs, a core of "
                          "{} vertices), {} by the dense one, {} free: solve a smaller graph",
                          n, bytesText(bytes), place, survey.plan.arcs, survey.plan.coreSize(),
                          bytesText(dense), bytesText(free)));
}

/// What both devices look at before they choose. Bytes.
struct Room {
  Memory dense;                ///< that the dense solver takes, or `auto` without the sparse one
  std::size_t free, matrices;  ///< matrices: n×n, and a renumbered copy if one is needed
  std::size_t words;           ///< of a table; 0 if all distances are wanted
  bool table;
};

Room roomFor(const Problem& problem, const Execution& where, const Solver& one) {
  Execution densely = where;
  if (asksForSparse(where)) densely.options.method = Method::kDense;
  const bool table = problem.asked != nullptr;
  const auto sharers = static_cast<std::size_t>(where.sharers);
  return {one.memory(problem, densely), where.device.freeBytes() / sharers,
          matrixBytes(problem.graph.n()) * (where.renumbers ? 2 : 1),
          table ? wordsBytes(problem.rows(), problem.columns()) : 0, table};
}

/// On the GPU: distances in its memory, and the hierarchy in the host's, too. A table is swept by
/// all threads of the CPU.
std::optional<Choice> chooseOnGpu(const Problem& problem, const Execution& where,
                                  const Solver& one) {
  const int n = problem.graph.n();
  const Room room = roomFor(problem, where, one);
  const std::size_t allowance =
      kAllowance * static_cast<std::size_t>(n) + (room.table ? sweeperBytes(n) : 0);
  const std::size_t either =
      std::max(room.dense.device, room.matrices + gpuSweepBytes(n, 0, 0) + allowance);
  if (!asksForSparse(where) && either <= room.free)
    return Choice{
        Destination::kEither, {either, room.dense.best, allowance + room.words}, room.table};
  if (problem.graph.unread())
    return Choice{Destination::kStreamed,
                  {GpuRows::bytes(n), 0, allowance + GpuRows::hostBytes(n)}};
  const auto made = std::make_shared<const Survey>(
      surveyOf(n, problem.graph.onHost().edges(), ratesOn(where.device, problem.asked)));
  const Survey& survey = *made;
  if (!asksForSparse(where) &&
      !isFast(where.device, survey, denseMilliseconds(n, ratesOn(where.device))))
    return std::nullopt;
  const std::size_t host = survey.bytes(room.table ? omp_get_max_threads() : 1) + room.words;
  if (room.table) return Choice{Destination::kRows, {0, 0, host}, true, made};
  const std::size_t sweeps = gpuSweepBytes(n, survey.plan.arcs, survey.plan.coreSize());
  if (matrixBytes(n) + sweeps <= room.free)
    return Choice{Destination::kMatrix, {matrixBytes(n) + sweeps, 0, host}, false, made};
  const std::size_t streamed = sweeps + GpuRows::bytes(n);
  if (streamed > room.free) refuse(n, "GPU", survey, streamed, room.dense.device, room.free);
  return Choice{Destination::kStreamed, {streamed, 0, host + GpuRows::hostBytes(n)}, false, made};
}

std::optional<Choice> choose(const Problem& problem, const Execution& where, const Solver& one) {
  if (onGpu(where.device)) return chooseOnGpu(problem, where, one);
  const int n = problem.graph.n();
  const Room room = roomFor(problem, where, one);
  const std::size_t host = problem.graph.hostBytes();
  const std::size_t least = allowedBytes(n);
  const std::size_t either = std::max(room.dense.device, room.matrices + least) + room.words;
  if (!asksForSparse(where) && either + host <= room.free)
    return Choice{Destination::kEither, {either, 0, host}, room.table};
  if (problem.graph.unread()) return Choice{Destination::kStreamed, {least, 0, 0}};
  const auto made = std::make_shared<const Survey>(
      surveyOf(n, problem.graph.onHost().edges(), ratesOn(where.device, problem.asked)));
  const Survey& survey = *made;
  const std::size_t bytes = survey.bytes(omp_get_max_threads());
  const std::size_t most = room.free / 4 * 3;
  if (room.table && room.words + bytes <= most)
    return Choice{Destination::kRows, {room.words + bytes, 0, 0}, true, made};
  if (!room.table && matrixBytes(n) + bytes <= most)
    return Choice{Destination::kMatrix, {matrixBytes(n) + bytes, 0, 0}, false, made};
  const std::size_t streamed = bytes + bandBytes(problem.rows(), problem.columns());
  if (streamed > room.free) refuse(n, "host", survey, streamed, room.dense.device, room.free);
  return Choice{Destination::kStreamed, {streamed, 0, 0}, false, made};
}

/// Memory for so many rows and columns, which need not be a multiple of a vector.
DistanceRows<int> rowsOfWords(int rows, int columns) {
  const std::size_t bytes = wordsBytes(std::max(0, rows), columns);
  DistanceRows<int> words = makeRows<int>((bytes / sizeof(int) + kLanes) / kLanes * kLanes);
  preferLargePages(words.get(), bytes);
  return words;
}

/// Rows that are swept when they are asked for, or are kept if they are a table that has room.
class SweptRows : public Distances {
 public:
  SweptRows(const Problem& problem, bool keeps)
      : Distances(problem.graph.n(), problem.graph.dtype(), problem.asked), keeps_(keeps) {}

  /// Takes the memory for rows that are kept.
  void place() {
    if (!keeps_ || kept_) return;
    kept_ = rowsOfWords(rowCount(), columns());
    std::fill_n(kept_.get(), wordsBytes(rowCount(), columns()) / sizeof(int), 0);
  }

  /// Sweeps all rows.
  void sweep(Prepared* graph) {
    graph_ = graph;
    if (keeps_) return graph_->sweep(0, rowCount(), kept_.get());
    rows(0, rowCount(), [](int, int, const int*) {});
  }

  bool keeps() const { return keeps_; }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    if (kept_)
      return visit(
          begin, end - begin,
          kept_.get() + static_cast<std::size_t>(begin) * static_cast<std::size_t>(columns()));
    const int band = std::min(bandRows(rowCount(), columns()), end - begin);
    const DistanceRows<int> words = rowsOfWords(band, columns());
    for (int first = begin; first < end; first += band) {
      const int count = std::min(band, end - first);
      graph_->sweep(first, count, words.get());
      visit(first, count, words.get());
    }
  }

 private:
  Prepared* graph_ = nullptr;
  const bool keeps_;
  DistanceRows<int> kept_;
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
        known_(where.keepsPlan),
        survey_(known_ ? choice.survey : nullptr),
        streamed_(problem, choice.keeps),
        streamedByGpu_(where.device, graph_.n(), graph_.dtype()) {
    if (streams()) return;
    work_.emplace(where.device, graph_.n(), graph_.dtype());
    if (!onGpu(where.device)) preferLargePages(work_->data(), matrixBytes(graph_.n()));
    whole_.emplace(*work_);
    if (place_ == Destination::kEither && where.renumbers)
      other_.emplace(where.device, graph_.n(), graph_.dtype());
  }

  void reset(int first) override {
    onGpu_ = nullptr;
    ready_ = nullptr;
    first_ = first;
    renumber();
    // The dense solver starts from a matrix. Whether it will solve is found out once more by
    // solve(), whose time includes that.
    hasGraph_ = false;
    streamed_.place();
    if (place_ == Destination::kEither && !survey())
      placeGraph();
    else if (!streams() && asked_ == nullptr && !onGpu(where_.device))
      placeMatrix();
  }

  Call solve() override {
    Call call;
    bool solved = false;
    call.milliseconds = where_.device.time([&] { solved = solveSparsely(call.outcome); });
    turnsBack_ = other_ && !solved;
    sweeps_ = solved && (asked_ != nullptr || streams());
    if (solved) return call;
    if (!hasGraph_) placeGraph();
    const DeviceMatrix& matrix = other_ ? *other_ : *work_;
    Options options = where_.options;
    if (onGpu(where_.device))
      call.milliseconds +=
          millisecondsOf([&] { options.fewEdges = hasFewEdges(graph_.n(), edges()); });
    Call dense = solveDensely_(where_.device, matrix.n(), matrix.data(), matrix.dtype(), options);
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
  /// Makes edges_ those of the graph whose vertices are numbered from first_ on.
  void renumber() {
    edges_.clear();
    if (first_ == 0) return;
    const Graph& graph = graph_.onHost();
    edges_ = toEdges(graph);
    const auto renumbered = [&](int vertex) {
      return vertex >= first_ ? vertex - first_ : vertex + graph.n - first_;
    };
    for (Edge& edge : edges_) edge = {renumbered(edge.from), renumbered(edge.to), edge.weight};
    edges_ = std::get<std::vector<Edge>>(fromEdges(graph.n, std::move(edges_), graph.dtype).body);
  }

  const std::vector<Edge>& edges() const { return first_ != 0 ? edges_ : graph_.onHost().edges(); }

  void placeGraph() {
    graph_.upload(where_.device, work_->data());
    if (other_) where_.device.renumber(graph_.n(), other_->data(), work_->data(), first_);
    hasGraph_ = true;
  }

  /// Whether there is no matrix.
  bool streams() const { return place_ == Destination::kStreamed || place_ == Destination::kRows; }

  /// The survey of the graph, unless another method is to solve it.
  std::shared_ptr<const Survey> survey() const {
    if (known_) return survey_;
    const int n = graph_.n();
    if (place_ == Destination::kEither) return surveyIfBest(where_.device, n, edges(), asked_);
    return std::make_shared<const Survey>(surveyOf(n, edges(), ratesOn(where_.device, asked_)));
  }

  /// Returns whether it did, and in `done` what it did.
  bool solveSparsely(Outcome& done) {
    const std::shared_ptr<const Survey> found = survey();
    if (found == nullptr) return false;
    const auto core = [this](int size, int* matrix, Dtype dtype) {
      Options options = where_.options;
      options.method = Method::kAuto;
      onDevice(where_.device, size, matrix, dtype,
               [&](int* words) { solveDensely_(where_.device, size, words, dtype, options); });
    };
    ready_ = std::make_unique<Prepared>(*found, edges(), graph_.dtype(),
                                        Ways{core, omp_get_max_threads()}, done.sweeping);
    ready_->renumberBack(first_);
    if (asked_ != nullptr) ready_->restrictTo(*asked_);
    done.sweeping.expected = found->plan.milliseconds;
    done.sweeping.dense = denseMilliseconds(graph_.n(), ratesOn(where_.device));
    done.method = Method::kSparse;
    if (graph_.dtype() == Dtype::kFloat32) done.tier = Tier::kFloat32;
    done.sweeping.streamed = streams() && !streamed_.keeps();
    done.sweeping.sweep = millisecondsOf([this] { sweepAll(); });
    return true;
  }

  /// The system gives memory when it is first written. That is no part of solving.
  void placeMatrix() {
    if (std::exchange(isPlaced_, true)) return;
    const auto rows = static_cast<std::size_t>(graph_.n());
#pragma omp parallel for if (rows >= kWorthThreads)
    for (std::size_t i = 0; i < rows; ++i) std::fill_n(work_->data() + i * rows, rows, 0);
  }

  void sweepAll() {
    if (asked_ == nullptr && onGpu(where_.device)) {
      onGpu_ = ready_->onGpu();
      if (streams()) return streamedByGpu_.sweep(*onGpu_);
      onGpu_->all(work_->data());
      where_.device.synchronise();
      onGpu_ = nullptr;
      ready_ = nullptr;
    } else if (asked_ != nullptr || streams()) {
      streamed_.sweep(ready_.get());
    } else {
      ready_->sweep(0, graph_.n(), work_->data());
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
  std::optional<DeviceMatrix> work_, other_;    // other_: renumbered, for the dense solver
  std::optional<WholeDistances> whole_;         // of work_
  SweptRows streamed_;
  GpuRows streamedByGpu_;
  std::vector<Edge> edges_;  // if they are not the graph's own
  std::unique_ptr<Prepared> ready_;
  std::unique_ptr<GpuSweeps> onGpu_;  // the same on the GPU
  int first_ = 0;
  bool isPlaced_ = false;   // work_ has been written
  bool hasGraph_ = false;   // the dense solver's matrix is in its place
  bool sweeps_ = false;     // the distances are streamed_
  bool turnsBack_ = false;  // other_ holds distances that work_ does not hold yet
};

/// The edges of a matrix in host memory.
std::vector<Edge> edgesOf(int n, const int* matrix, Dtype dtype) {
  std::vector<Edge> edges;
  const int none = infinity(dtype);
  for (int i = 0; i < n; ++i) {
    const int* const row = matrix + static_cast<std::size_t>(i) * static_cast<std::size_t>(n);
    for (int j = 0; j < n; ++j)
      if (i != j && row[j] < none) edges.push_back({i, j, row[j]});
  }
  return edges;
}

}  // namespace

void onDevice(const Device& device, int n, int* matrix, Dtype dtype,
              const std::function<void(int*)>& work) {
  if (!onGpu(device)) return work(matrix);
  const DeviceMatrix copy(device, n, dtype);
  device.upload(copy.data(), matrix, copy.size());
  work(copy.data());
  device.download(matrix, copy.data(), copy.size());
}

bool hasFewEdges(int n, const std::vector<Edge>& edges) {
  const auto vertices = static_cast<std::size_t>(n);
  if (edges.size() > kFewToRelax * vertices) return false;
  if (n >= kCheapToTry) return true;
  std::vector<int> count(vertices, 0);
  for (const Edge& edge : edges)
    if (++count[static_cast<std::size_t>(edge.from)] > kKeptMost) return false;
  return true;
}

Forecast forecastOf(const ProblemGraph& graph, const Solver& one, const Device& device) {
  using Choice = Forecast::Choice;
  constexpr double kLongest = 10;  // seconds that a survey may take
  const int n = graph.n();
  const Rates rates = ratesOn(device);
  Execution densely{device};
  densely.options.method = Method::kDense;
  Forecast forecast;
  forecast.denseMs = denseMilliseconds(n, rates);
  forecast.denseBytes = one.memory({graph}, densely).device;
  if (!graph.heldAsEdges()) return forecast;
  const bool fits = forecast.denseBytes <= device.freeBytes();
  const auto arcs = static_cast<double>(graph.onHost().edges().size());
  const bool worth = worthSurveying(n, arcs, forecast.denseMs, rates) &&
                     maySeparate(patternOf(n, graph.onHost().edges()));
  forecast.choice = fits ? Choice::kManyEdges : Choice::kStreamed;
  if (!worth && arcs * rates.arc > kLongest) return forecast;
  const Survey survey = surveyOf(n, graph.onHost().edges(), rates);
  forecast.sparseMs = survey.plan.milliseconds;
  forecast.sparseBytes = survey.bytes(omp_get_max_threads());
  if (!fits || !worth) return forecast;
  forecast.choice = !isFast(device, survey, forecast.denseMs) ? Choice::kNotWorth
                    : hasRoom(device, survey)                 ? Choice::kSparse
                                                              : Choice::kNoRoom;
  return forecast;
}

std::optional<std::size_t> bytesIfFaster(const Problem& band, int ranks) {
  const int n = band.graph.n();
  const double dense = denseMilliseconds(n, ratesOn(cpuDevice)) / ranks;
  const std::vector<Edge>& edges = band.graph.onHost().edges();
  const auto found = surveyIfFast(cpuDevice, n, edges, ratesOn(cpuDevice, band.asked), dense);
  if (!found) return std::nullopt;
  return found->bytes(std::min(omp_get_max_threads(), band.rows() / kBatch + 1));
}

std::size_t allowedBytes(int n) {
  return sweeperBytes(n) + kAllowance * static_cast<std::size_t>(n);
}

Outcome solveMatrix(const Device& device, int n, int* matrix, Dtype dtype,
                    const CoreSolver& solveCore) {
  Outcome outcome;
  outcome.method = Method::kSparse;
  if (dtype == Dtype::kFloat32) outcome.tier = Tier::kFloat32;
  const bool gpu = onGpu(device);
  std::vector<Edge> edges;
  if (gpu) {
    Matrix host(n);
    device.download(host.data(), matrix, matrixBytes(n) / sizeof(int));
    edges = edgesOf(n, host.data(), dtype);
  } else {
    edges = edgesOf(n, matrix, dtype);
  }
  const Rates rates = ratesOn(device);
  const Survey survey = surveyOf(n, edges, rates);
  Prepared ready(survey, edges, dtype, {solveCore, omp_get_max_threads()}, outcome.sweeping);
  outcome.sweeping.sweep = millisecondsOf([&] {
    if (!gpu) return ready.sweep(0, n, matrix);
    ready.onGpu()->all(matrix);
    device.synchronise();
  });
  return outcome;
}

std::size_t solveMatrixBytes(int n) {
  // The edges, the pattern of both directions, and a core of all vertices with the solver's tiles.
  return 8 * matrixBytes(n) + allowedBytes(n);
}

Solver orSparsely(Solver one) {
  Solver row = one;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (!mayBeSparse(problem, where)) return one.plan(problem, where);
    std::optional<Choice> chosen = choose(problem, where, one);
    if (!chosen) return one.plan(problem, where);
    const bool looks = where.keepsPlan && !problem.graph.unread();
    if (looks && chosen->place == Destination::kEither)
      chosen->survey = surveyIfBest(where.device, problem.graph.n(), problem.graph.onHost().edges(),
                                    problem.asked);
    Plan plan;
    plan.memory = chosen->memory;
    plan.place = chosen->place;
    plan.method = where.options.method;
    if (chosen->survey != nullptr) {
      plan.method = Method::kSparse;
      plan.expected = chosen->survey->plan.milliseconds;
    }
    plan.begin = [where, one, choice = *chosen](const Problem& given) {
      return std::make_unique<SparseRun>(given, where, one, choice);
    };
    return plan;
  };
  return row;
}

}  // namespace sparse
