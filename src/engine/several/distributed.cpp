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
#include "filtered/filtered_cpu.h"
#include "ranks/threads.h"
#include "several/crew.h"
#include "several/part_gpu.h"
#include "several/source_rows.h"
#include "sparse/run.h"

namespace {

/// Distances that are divided over the ranks. Rows come to rank 0 when they are asked for.
class SharedDistances : public Distances {
 public:
  SharedDistances(Crew& crew, int run, int n, Dtype dtype)
      : Distances(n, dtype), crew_(crew), run_(run) {}

  std::optional<GraphStats> counted() const override { return crew_.count(run_); }

  bool onRanks() const override { return true; }
  bool writeWords(const std::string& path, std::uint64_t from) const override {
    return crew_.write(run_, path, from);
  }

  void rows(int begin, int end, const RowVisitor& visit) const override {
    const int band = std::max(1, std::min(rowsAtATime(n()), end - begin));
    std::vector<int> words(static_cast<std::size_t>(band) * static_cast<std::size_t>(n()));
    for (int first = begin; first < end; first += band) {
      const Band some{first, std::min(band, end - first)};
      crew_.gather(run_, some, words.data());
      visit(some.first, some.count, words.data());
    }
  }

 private:
  Crew& crew_;
  int run_;
};

/// A crew of this thread alone.
struct OwnCrew {
  std::unique_ptr<Ranks> rank = onlyRank();
  Crew crew{*rank};
};

/// Whether ranks find rows from their sources, each by itself, instead of solving a matrix
/// together.
enum class BySources { kNever, kMaybe, kAlways };

/// Bytes of GPU memory that may be taken. If less than `needed` seems to be free, it asks again
/// when the memory pool has given back what it keeps, which takes time.
std::size_t roomFor(const Execution& where, std::size_t needed) {
  if (const std::size_t room = roomOnGpu(); room >= needed) return room;
  where.device.freeBytes();
  return roomOnGpu();
}

/// Whether one GPU is asked for the whole matrix and has no room for it. It then streams. alone:
/// what is planned for this GPU by itself.
bool streams(const Execution& where, const Plan& alone) {
  if (where.device.kind() == DeviceKind::kCpu || where.options.method == Method::kFiltered)
    return false;
  const std::size_t needed = alone.memory.device;
  return needed > roomFor(where, needed);
}

/// What the ranks of this machine take on CPUs for a solve of the whole matrix.
std::size_t bytesOnCpus(int n, const Crew& crew, bool filter) {
  const std::size_t lists = filter ? filteredBytes(n, crew.ranks().size()) : 0;
  return static_cast<std::size_t>(crew.ranks().onThisHost()) *
         (bytesOnCpu(n, crew.grid(), 0) + lists);
}

/// Whether ranks on CPUs filter if that pays. By themselves they do not if there is no memory for
/// it beside what they need.
bool mayFilter(int n, const Execution& where) {
  if (where.crew->grid().columns > 1 || where.crew->saves()) return false;
  if (where.options.method == Method::kFiltered) return true;
  return where.options.method == Method::kAuto &&
         bytesOnCpus(n, *where.crew, true) <= where.device.freeBytes();
}

/// What a solve of the whole matrix on several ranks, or one that streams, takes.
Memory matrixMemory(const Problem& problem, const Execution& where) {
  const int n = problem.graph.n();
  const Grid grid = where.crew == nullptr ? Grid() : where.crew->grid();
  const auto here =
      static_cast<std::size_t>(where.crew == nullptr ? 1 : where.crew->ranks().onThisHost());
  if (where.device.kind() == DeviceKind::kCpu) {
    const bool asked = where.options.method == Method::kFiltered;
    return {bytesOnCpus(n, *where.crew, asked), bytesOnCpus(n, *where.crew, mayFilter(n, where)),
            0};
  }
  std::size_t whole = 0, host = 0;  // of the largest part
  Memory part;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    whole = std::max(whole, bytesOnGpu(n, grid, rank));
    part = streamedMemory(n, problem.graph.dtype(), where.options.precision, grid, rank);
    host = std::max(host, part.host);
  }
  if (whole <= roomFor(where, whole)) return {whole, 0, 0};
  return {part.device, whole, here * host};
}

/// What solving by sources takes, on all ranks of this machine.
std::size_t bytesBySources(const Problem& problem, const Execution& where, const Solver& one) {
  const int n = problem.graph.n(), here = where.crew->ranks().onThisHost();
  const Selection most = mostSources(n, where.crew->ranks().size());
  Execution sparsely{where.device, where.options, false, nullptr, here};
  sparsely.options.method = Method::kSparse;
  std::size_t bytes = one.memory({problem.graph, &most}, sparsely).device;
  if (problem.graph.hostBytes() > 0)
    bytes += problem.graph.hostBytes();
  else if (problem.graph.heldAsEdges() && !problem.graph.unread())
    bytes += problem.graph.onHost().edges().size() * sizeof(Edge);
  return static_cast<std::size_t>(here) * bytes;
}

/// What solving in either way may take on this machine: the rows of a rank, and beside them as much
/// as they take, or as a sweep needs at the least.
std::size_t bytesOfEither(int n, const Crew& crew) {
  const auto here = static_cast<std::size_t>(crew.ranks().onThisHost());
  const std::size_t sources = mostSources(n, crew.ranks().size()).sources.size();
  const std::size_t rows = sizeof(int) * sources * static_cast<std::size_t>(n);
  return here *
         std::max(bytesOnCpu(n, crew.grid(), 0), rows + std::max(rows, sparse::allowedBytes(n)));
}

/// Whether ranks on CPUs are expected to be faster by sources, with no more memory than planned.
bool paysBySources(const ProblemGraph& graph, const Crew& crew) {
  const int n = graph.n(), ranks = crew.ranks().size();
  const Selection most = mostSources(n, ranks);
  const auto bytes = sparse::bytesIfFaster({graph, &most}, ranks);
  if (!bytes) return false;
  const std::size_t rows = sizeof(int) * most.sources.size() * static_cast<std::size_t>(n);
  const std::size_t edges = graph.onHost().edges().size() * sizeof(Edge);
  return static_cast<std::size_t>(crew.ranks().onThisHost()) * (rows + *bytes + edges) <=
         bytesOfEither(n, crew);
}

/// Which way ranks take. A graph that is held as a matrix is solved as one, if nothing else is
/// asked for. What has no room as a matrix is solved by sources.
BySources choose(const Problem& problem, const Execution& where) {
  const bool asks = where.options.method == Method::kSparse;
  const bool cpus = where.device.kind() == DeviceKind::kCpu;
  if (!cpus || where.crew == nullptr || where.crew->grid().columns > 1 || where.crew->saves())
    return BySources::kNever;
  if (asks) return BySources::kAlways;
  if (where.options.method != Method::kAuto || !problem.graph.heldAsEdges())
    return BySources::kNever;
  const std::size_t either =
      bytesOfEither(problem.graph.n(), *where.crew) + problem.graph.hostBytes();
  return either <= where.device.freeBytes() ? BySources::kMaybe : BySources::kAlways;
}

/// What a solve on several ranks, or one that streams, takes.
Memory sharedMemory(const Problem& problem, const Execution& where, BySources sources,
                    const Solver& one) {
  if (sources == BySources::kNever) return matrixMemory(problem, where);
  if (sources == BySources::kMaybe)
    return {bytesOfEither(problem.graph.n(), *where.crew), 0, problem.graph.hostBytes()};
  return {bytesBySources(problem, where, one), 0, 0};
}

/// The run on rank 0. Which method solves a graph that is held as edges is found out anew for each
/// graph, and again by solve(), because that is a part of its time.
class SharedRun : public Run {
 public:
  SharedRun(const Problem& problem, const Execution& where, BySources sources)
      : graph_(problem.graph),
        device_(where.device),
        options_(where.options),
        sources_(sources),
        own_(where.crew == nullptr ? std::make_unique<OwnCrew>() : nullptr),
        crew_(own_ ? own_->crew : *where.crew) {
    if (sources_ != BySources::kMaybe) begin(sources_ == BySources::kAlways);
  }
  ~SharedRun() override {
    try {
      end();
    } catch (const std::exception&) {  // another rank gave up, so there is nothing to release
    }
  }

  void reset(int) override {
    if (sources_ == BySources::kMaybe) begin(paysBySources(graph_, crew_));
    const auto made = [&](const GraphSource& source, bool zero) { crew_.make(run_, source, zero); };
    if (bySources_) {
      graph_.shareEdges(made,
                        [&](const std::vector<Edge>& edges) { crew_.giveEdges(run_, edges); });
    } else {
      graph_.share(made, [&](int first, int count, const int* rows) {
        crew_.scatter(run_, {first, count}, rows);
      });
    }
  }

  Call solve() override {
    Call call;
    // Ranks that solve by sources look at the graph by themselves.
    if (sources_ == BySources::kMaybe && !bySources_)
      call.milliseconds = millisecondsOf([&] { paysBySources(graph_, crew_); });
    call.milliseconds += crew_.solve(run_);
    call.outcome = crew_.outcome();
    call.sharing = {crew_.ranks().size(), crew_.grid(), crew_.times()};
    return call;
  }

  const Distances& distances() override { return *distances_; }

 private:
  /// Makes the ranks ready for one of the two ways, unless they are.
  void begin(bool bySources) {
    if (distances_ && bySources == bySources_) return;
    end();
    bySources_ = bySources;
    Options options = options_;
    if (bySources)
      options.method = Method::kSparse;
    else if (device_.kind() == DeviceKind::kCpu &&
             !mayFilter(graph_.n(), {device_, options_, false, &crew_}))
      options.method = Method::kDense;
    run_ = crew_.prepare(graph_.n(), graph_.dtype(), device_.kind(), options);
    distances_.emplace(crew_, run_, graph_.n(), graph_.dtype());
  }

  void end() {
    if (distances_) crew_.release(run_);
    distances_.reset();
  }

  const ProblemGraph& graph_;
  const Device& device_;
  const Options options_;
  const BySources sources_;
  const std::unique_ptr<OwnCrew> own_;
  Crew& crew_;
  int run_ = 0;
  bool bySources_ = false;
  std::optional<SharedDistances> distances_;  // empty if no run is prepared
};

/// Throws Error(kUsage) for what several ranks, or a matrix that streams, cannot do.
void refuseUnshared(const Execution& where) {
  if (where.options.method == Method::kFiltered && where.crew->grid().columns > 1)
    throw Error(
        Exit::kUsage,
        fmt::format("several ranks filter only with a grid of one column: take the grid {}x1, "
                    "or another method",
                    where.crew->ranks().size()));
  const bool saves = where.crew != nullptr && where.crew->saves();
  const Method method = where.options.method;
  if ((method == Method::kSparse || method == Method::kFiltered) && saves)
    throw Error(Exit::kUsage,
                fmt::format("checkpoints save the matrix of the dense method: save none, or do not "
                            "ask for the {} method",
                            nameOf(method)));
  if (where.options.method == Method::kSparse &&
      (where.device.kind() == DeviceKind::kGpu || where.crew->grid().columns > 1))
    throw Error(Exit::kUsage,
                "the sparse method runs on one rank, or on CPUs with a grid of one column: take "
                "another method, or start one");
  if (where.renumbers)
    throw Error(Exit::kUsage,
                "a matrix in several parts cannot be renumbered: do not vary it, or solve a graph "
                "that one GPU or one process can hold");
  if (!where.options.symmetry)
    throw Error(Exit::kUsage,
                "symmetry is never used in a matrix of several parts: do not forbid it");
  if (saves && where.options.precision == Precision::k16)
    throw Error(Exit::kUsage, "checkpoints do not work with 16 bits alone: save none, or allow 32");
}

}  // namespace

bool isShared(const Execution& where) {
  return where.crew != nullptr && (where.crew->ranks().size() > 1 || where.crew->saves());
}

Solver onRanks(Solver one) {
  Solver row = one;
  row.can.ranks = true;
  row.plan = [one](const Problem& problem, const Execution& where) {
    if (!isShared(where)) {
      Plan alone = one.plan(problem, where);
      if (!streams(where, alone)) return alone;
    }
    const BySources sources = choose(problem, where);
    Plan plan;
    plan.memory = sharedMemory(problem, where, sources, one);
    plan.place = Destination::kParts;
    plan.method = sources == BySources::kAlways ? Method::kSparse : where.options.method;
    plan.begin = [where, sources](const Problem& given) {
      refuseUnshared(where);
      return std::make_unique<SharedRun>(given, where, sources);
    };
    return plan;
  };
  return row;
}
