#include "several/distributed.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "filtered/filtered_cpu.h"
#include "plan/choice.h"
#include "ranks/threads.h"
#include "several/crew.h"
#include "several/part_gpu.h"
#include "several/source_rows.h"

namespace engine {

namespace {

/// Distances that are divided over the ranks. Rows come to rank 0 when they are asked for.
class SharedDistances : public Distances {
 public:
  SharedDistances(Crew& crew, int run, int n, Dtype dtype)
      : Distances(n, dtype), crew_(crew), run_(run) {}

  std::optional<GraphStats> counted() const override { return crew_.count(run_); }

  const Summaries* summaries() const override {
    if (!summaries_) summaries_ = crew_.summarise(run_);
    return summaries_->rows.empty() ? nullptr : &*summaries_;
  }

  bool onRanks() const override { return true; }
  bool writeWords(const std::string& path, std::uint64_t from) const override {
    return crew_.write(run_, path, from);
  }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    const int band = std::max(1, std::min(rowsAtATime(n(), dtype()), end - begin));
    ElementBuffer buffer(dtype(), asSize(band) * asSize(n()));
    for (int first = begin; first < end; first += band) {
      const Band some{first, std::min(band, end - first)};
      crew_.gather(run_, some, buffer.data());
      visit(some.first, some.count, buffer.data());
    }
  }

 private:
  Crew& crew_;
  int run_;
  mutable std::optional<Summaries> summaries_;
};

/// A crew of this thread alone.
struct OwnCrew {
  std::unique_ptr<Ranks> rank = onlyRank();
  Crew crew{*rank};
};

/// Whether ranks find rows from their sources, each by itself, instead of solving a matrix
/// together.
enum class BySources { kNever, kMaybe, kAlways };

/// Whether one GPU is asked for the whole matrix and has no room for it. It then streams. Of a
/// matrix of a few vertices, it is not asked. alone: what is planned for this GPU by itself.
bool streams(const Execution& where, const Plan& alone) {
  if (where.device.kind() == DeviceKind::kCpu || where.options.method == Method::kFiltered)
    return false;
  const std::size_t needed = alone.memory.device;
  return needed > kUncheckedBytes && needed > roomOnGpu();
}

/// What the ranks of this machine take on CPUs for a solve of the whole matrix.
std::size_t bytesOnCpus(int n, Dtype dtype, const Crew& crew, bool filter) {
  const std::size_t lists = filter ? filteredBytes(n, dtype, crew.ranks().size()) : 0;
  return asSize(crew.ranks().onThisHost()) * (bytesOnCpu(n, dtype, crew.grid(), 0) + lists);
}

/// Whether ranks on CPUs filter if that pays. By themselves they do not if there is no memory for
/// it beside what they need.
bool mayFilter(int n, Dtype dtype, const Execution& where) {
  if (where.crew->grid().columns > 1 || where.crew->saves()) return false;
  if (where.options.method == Method::kFiltered) return true;
  return where.options.method == Method::kAuto &&
         bytesOnCpus(n, dtype, *where.crew, true) <= where.device.freeBytes();
}

/// What a solve of the whole matrix on several ranks, or one that streams, takes.
Memory matrixMemory(const Problem& problem, const Execution& where) {
  const int n = problem.graph.n();
  const Dtype dtype = problem.graph.dtype();
  const Grid grid = where.crew == nullptr ? Grid() : where.crew->grid();
  const auto here = asSize(where.crew == nullptr ? 1 : where.crew->ranks().onThisHost());
  if (where.device.kind() == DeviceKind::kCpu) {
    const bool asked = where.options.method == Method::kFiltered;
    return {bytesOnCpus(n, dtype, *where.crew, asked),
            bytesOnCpus(n, dtype, *where.crew, mayFilter(n, dtype, where)), 0};
  }
  std::size_t whole = 0, host = 0;  // of the largest part
  Memory part;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    whole = std::max(whole, bytesOnGpu(n, dtype, grid, rank));
    part = streamedMemory(n, dtype, where.options.precision, grid, rank);
    host = std::max(host, part.host);
  }
  if (whole <= roomOnGpu()) return {whole, 0, 0};
  return {part.device, whole, here * host};
}

/// Bytes of the edges of a graph that is held as a list.
std::size_t edgeBytes(const Graph& graph) {
  return withEdges(graph, [](const auto& edges) { return edges.size() * sizeof edges[0]; });
}

/// The method of ranks that solve by sources, if none of those was found to be faster.
Method methodOfSources(const Options& options) {
  return solvesBySources(options.method) ? options.method : Method::kSparse;
}

/// What the rank with the largest band finds by this method.
Selection largestBandOf(int n, Dtype dtype, const Device& device, const Crew& crew, Method method) {
  const int ranks = crew.ranks().size();
  return largestBand(n, ranks, findsColumns(n, dtype, ranks, device.kind(), method));
}

/// What solving by sources with this method takes, on all ranks of this machine. Each has a GPU of
/// its own, if any.
Memory memoryBySources(const Problem& problem, const Execution& where, Method method,
                       const Solver& one) {
  const int n = problem.graph.n(), here = where.crew->ranks().onThisHost();
  const bool gpu = where.device.kind() == DeviceKind::kGpu;
  const Selection most = largestBandOf(n, problem.graph.dtype(), where.device, *where.crew, method);
  Execution sparsely{where.device, where.options, false, nullptr, gpu ? 1 : here};
  sparsely.options.method = method;
  Memory bytes = one.memory({problem.graph, &most}, sparsely);
  std::size_t& host = gpu ? bytes.host : bytes.device;
  if (problem.graph.hostBytes() > 0)
    host += problem.graph.hostBytes();
  else if (problem.graph.heldAsEdges() && !problem.graph.unread())
    host += edgeBytes(problem.graph.onHost());
  host *= asSize(here);
  return bytes;
}

/// What solving in either way may take on this machine: the rows of a rank, and beside them as much
/// as they take, or as a sweep needs at the least.
std::size_t bytesOfEither(int n, Dtype dtype, const Crew& crew) {
  const auto here = asSize(crew.ranks().onThisHost());
  const std::size_t rows = sizeOf(dtype) * asSize(mostInBand(n, crew.ranks().size())) * asSize(n);
  return here * std::max(bytesOnCpu(n, dtype, crew.grid(), 0),
                         rows + std::max(rows, plan::allowedBytes(n, dtype)));
}

/// The way of ranks by sources that is expected to be faster than others.
std::optional<plan::BandWay> wayBySources(const Device& device, const ProblemGraph& graph,
                                          const Crew& crew) {
  const Selection most = largestBandOf(graph.n(), graph.dtype(), device, crew, Method::kSparse);
  return plan::bandWayIfFaster(device, {graph, &most}, crew.ranks().size());
}

/// The method by which ranks are expected to be faster by sources, on CPUs with no more memory than
/// planned. On GPUs, rows that have no room are swept again.
std::optional<Method> fasterBySources(const Device& device, const ProblemGraph& graph,
                                      const Crew& crew) {
  const auto way = wayBySources(device, graph, crew);
  if (!way) return std::nullopt;
  if (device.kind() == DeviceKind::kGpu) return way->method;
  const int n = graph.n();
  const std::size_t rows =
      sizeOf(graph.dtype()) * asSize(mostInBand(n, crew.ranks().size())) * asSize(n);
  const std::size_t each = rows + way->bytes + edgeBytes(graph.onHost());
  if (asSize(crew.ranks().onThisHost()) * each > bytesOfEither(n, graph.dtype(), crew))
    return std::nullopt;
  return way->method;
}

/// Which way ranks take. A graph that is held as a matrix is solved as one, if nothing else is
/// asked for. What has no room as a matrix is solved by sources.
BySources choose(const Problem& problem, const Execution& where) {
  const bool asks = solvesBySources(where.options.method);
  if (where.crew == nullptr || where.crew->grid().columns > 1 || where.crew->saves())
    return BySources::kNever;
  if (where.options.method == Method::kBfs) plan::requireLevels(problem.graph);
  if (asks) return BySources::kAlways;
  if (where.options.method != Method::kAuto || !problem.graph.heldAsEdges())
    return BySources::kNever;
  if (where.device.kind() == DeviceKind::kGpu)
    return problem.graph.unread() ? BySources::kNever : BySources::kMaybe;
  const std::size_t either = bytesOfEither(problem.graph.n(), problem.graph.dtype(), *where.crew) +
                             problem.graph.hostBytes();
  return either <= where.device.freeBytes() ? BySources::kMaybe : BySources::kAlways;
}

/// From so many vertices on, two GPUs are faster than one, but for graphs that are swept in little
/// time.
constexpr int kWorthSharing = 4096;

/// Whether one GPU is expected to be faster alone than several together.
bool isForOne(const Problem& problem, const Execution& where) {
  const Crew& crew = *where.crew;
  if (where.device.kind() != DeviceKind::kGpu || where.options.method != Method::kAuto ||
      crew.saves() || crew.sharesGpus())
    return false;
  if (problem.graph.n() < kWorthSharing) return true;
  if (choose(problem, where) != BySources::kMaybe) return false;
  const auto way = wayBySources(where.device, problem.graph, crew);
  return way && way->alone;
}

/// What a solve on several ranks, or one that streams, takes.
Memory sharedMemory(const Problem& problem, const Execution& where, BySources sources,
                    const Solver& one) {
  if (sources == BySources::kNever) return matrixMemory(problem, where);
  if (sources == BySources::kMaybe && where.device.kind() == DeviceKind::kGpu) {
    const auto method = fasterBySources(where.device, problem.graph, *where.crew);
    return method ? memoryBySources(problem, where, *method, one) : matrixMemory(problem, where);
  }
  if (sources == BySources::kMaybe)
    return {bytesOfEither(problem.graph.n(), problem.graph.dtype(), *where.crew), 0,
            problem.graph.hostBytes()};
  return memoryBySources(problem, where, methodOfSources(where.options), one);
}

/// The run on rank 0. Which method solves a graph that is held as edges is found out anew for each
/// graph, and again by solve(), because that is a part of its time.
class SharedRun : public Run {
 public:
  SharedRun(const Problem& problem, const Execution& where, BySources sources)
      : graph_(problem.graph),
        device_(where.device),
        options_(where.options),
        summarises_(where.summarises),
        sources_(sources),
        own_(where.crew == nullptr ? std::make_unique<OwnCrew>() : nullptr),
        crew_(own_ ? own_->crew : *where.crew) {
    if (sources_ == BySources::kAlways) begin(methodOfSources(options_));
    if (sources_ == BySources::kNever) begin(std::nullopt);
  }
  ~SharedRun() override {
    try {
      end();
    } catch (const std::exception&) {  // another rank gave up, so there is nothing to release
    }
  }

  void reset(int) override {
    if (sources_ == BySources::kMaybe) begin(fasterBySources(device_, graph_, crew_));
    const auto made = [&](const GraphSource& source, bool zero) { crew_.make(run_, source, zero); };
    if (bySources_) {
      withType(graph_.dtype(), [&](auto zero) {
        using T = decltype(zero);
        graph_.shareEdges<T>(made, [&](const Edges<T>& edges) { crew_.giveEdges(run_, edges); });
      });
    } else {
      graph_.share(made, [&](int first, int count, ConstElements rows) {
        crew_.scatter(run_, {first, count}, rows);
      });
    }
  }

  Call solve() override {
    Call call;
    // Ranks that sweep find out by themselves what elimination leads to.
    if (sources_ == BySources::kMaybe && bySources_ != Method::kSparse)
      call.milliseconds = millisecondsOf([&] { fasterBySources(device_, graph_, crew_); });
    call.milliseconds += crew_.solve(run_);
    distances_.emplace(crew_, run_, graph_.n(), graph_.dtype());
    call.outcome = crew_.outcome();
    call.sharing = {crew_.ranks().size(), 0, crew_.grid(), crew_.times()};
    return call;
  }

  const Distances& distances() override { return *distances_; }

 private:
  /// Makes the ranks ready to solve by sources with this method, or the matrix together, unless
  /// they are.
  void begin(std::optional<Method> bySources) {
    if (distances_ && bySources == bySources_) return;
    end();
    bySources_ = bySources;
    Options options = options_;
    if (bySources) {
      options.method = *bySources;
    } else if (device_.kind() == DeviceKind::kCpu &&
               !mayFilter(graph_.n(), graph_.dtype(), {device_, options_, false, &crew_})) {
      options.method = Method::kDense;
    }
    run_ = crew_.prepare(graph_.n(), graph_.dtype(), device_.kind(), options, summarises_);
    distances_.emplace(crew_, run_, graph_.n(), graph_.dtype());
  }

  void end() {
    if (distances_) crew_.release(run_);
    distances_.reset();
  }

  const ProblemGraph& graph_;
  const Device& device_;
  const Options options_;
  const Summarise summarises_;
  const BySources sources_;
  const std::unique_ptr<OwnCrew> own_;
  Crew& crew_;
  int run_ = 0;
  std::optional<Method> bySources_;
  std::optional<SharedDistances> distances_;  // empty if no run is prepared
};

/// Throws Unsupported for what several ranks, or a matrix that streams, cannot do.
void refuseUnshared(const Execution& where) {
  if (where.options.method == Method::kFiltered && where.crew->grid().columns > 1)
    throw Unsupported(
        fmt::format("several ranks filter only with a grid of one column: take the grid {}x1, "
                    "or another method",
                    where.crew->ranks().size()));
  const bool saves = where.crew != nullptr && where.crew->saves();
  const Method method = where.options.method;
  if ((solvesBySources(method) || method == Method::kFiltered) && saves)
    throw Unsupported(
        fmt::format("checkpoints save the matrix of the dense method: save none, or do not "
                    "ask for the {} method",
                    nameOf(method)));
  const bool columns = where.crew == nullptr || where.crew->grid().columns > 1;
  if (solvesBySources(method) && columns)
    throw Unsupported(
        fmt::format("the {} method runs on one rank, or with a grid of one column: take "
                    "another method, or start one",
                    nameOf(method)));
  if (where.renumbers)
    throw Unsupported(
        "a matrix in several parts cannot be renumbered: do not vary it, or solve a graph "
        "that one GPU or one process can hold");
  if (!where.options.symmetry)
    throw Unsupported("symmetry is never used in a matrix of several parts: do not forbid it");
  if (saves && where.options.precision == Precision::k16)
    throw Unsupported("checkpoints do not work with 16 bits alone: save none, or allow 32");
}

}  // namespace

bool isShared(const Execution& where) {
  return where.crew != nullptr && (where.crew->ranks().size() > 1 || where.crew->saves());
}

Solver onRanks(Solver one) {
  Solver row = one;
  row.can.ranks = true;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (!isShared(where) || isForOne(problem, where)) {
      Execution here = where;
      if (isShared(where)) here.crew = nullptr;
      Plan alone = one.plan(problem, here);
      if (!streams(here, alone)) return alone;
    }
    const BySources sources = choose(problem, where);
    Plan plan;
    plan.memory = sharedMemory(problem, where, sources, one);
    plan.place = Destination::kParts;
    plan.method =
        sources == BySources::kAlways ? methodOfSources(where.options) : where.options.method;
    plan.begin = [where, sources](const Problem& given) {
      refuseUnshared(where);
      return std::make_unique<SharedRun>(given, where, sources);
    };
    return plan;
  };
  return row;
}

}  // namespace engine
