#include "solvers/distributed/distributed.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ranks/threads.h"
#include "solvers/distributed/crew.h"
#include "solvers/distributed/part_gpu.h"

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

/// The run on rank 0.
class SharedRun : public Run {
 public:
  SharedRun(const Problem& problem, const Execution& where)
      : graph_(problem.graph),
        own_(where.crew == nullptr ? std::make_unique<OwnCrew>() : nullptr),
        crew_(own_ ? own_->crew : *where.crew),
        run_(crew_.prepare(graph_.n(), graph_.dtype(), where.device.kind(), where.options)),
        distances_(crew_, run_, graph_.n(), graph_.dtype()) {}
  ~SharedRun() override {
    try {
      crew_.release(run_);
    } catch (const std::exception&) {  // another rank gave up, so there is nothing to release
    }
  }

  void reset(int) override {
    graph_.share([&](const Spec& spec, bool zero) { crew_.generate(run_, spec, zero); },
                 [&](int first, int count, const int* rows) {
                   crew_.scatter(run_, {first, count}, rows);
                 });
  }

  Call solve() override {
    Call call;
    call.milliseconds = crew_.solve(run_);
    call.outcome = crew_.outcome();
    call.sharing = {crew_.ranks().size(), crew_.grid(), crew_.times()};
    return call;
  }

  const Distances& distances() override { return distances_; }

 private:
  const ProblemGraph& graph_;
  const std::unique_ptr<OwnCrew> own_;
  Crew& crew_;
  int run_;
  SharedDistances distances_;
};

using MemoryOf = std::function<Memory(const Problem&, const Execution&)>;

bool isShared(const Execution& where) {
  return where.crew != nullptr && (where.crew->ranks().size() > 1 || where.crew->saves());
}

/// Bytes of GPU memory that may be taken. If less than `needed` seems to be free, it asks again
/// when the memory pool has given back what it keeps, which takes time.
std::size_t roomFor(const Execution& where, std::size_t needed) {
  if (const std::size_t room = roomOnGpu(); room >= needed) return room;
  where.device.freeBytes();
  return roomOnGpu();
}

/// Whether one GPU is asked for the whole matrix and has no room for it. It then streams.
bool streams(const Problem& problem, const Execution& where, const MemoryOf& alone) {
  if (where.device.kind() == DeviceKind::kCpu || where.options.method == Method::kFiltered)
    return false;
  const std::size_t needed = alone(problem, where).device;
  return needed > roomFor(where, needed);
}

/// What a solve on several ranks, or one that streams, takes.
Memory sharedMemory(const Problem& problem, const Execution& where) {
  const int n = problem.graph.n();
  const Grid grid = where.crew == nullptr ? Grid() : where.crew->grid();
  const auto here =
      static_cast<std::size_t>(where.crew == nullptr ? 1 : where.crew->ranks().onThisHost());
  if (where.device.kind() == DeviceKind::kCpu) return {here * bytesOnCpu(n, grid, 0), 0, 0};
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

/// Throws Error(kUsage) for what several ranks, or a matrix that streams, cannot do.
void refuseUnshared(const Execution& where) {
  if (where.options.method == Method::kFiltered &&
      (where.device.kind() == DeviceKind::kCpu || where.crew->grid().columns > 1))
    throw Error(Exit::kUsage,
                "several ranks filter only on GPUs, and with a grid of one column: leave out "
                "--method filtered, or start one rank");
  if (where.options.method == Method::kSparse)
    throw Error(Exit::kUsage, "--method sparse runs on one rank: leave it out, or start one");
  if (where.renumbers)
    throw Error(Exit::kUsage,
                "a matrix in several parts cannot be renumbered: leave --vary out, or solve a "
                "graph that one GPU or one process can hold");
  if (!where.options.symmetry)
    throw Error(Exit::kUsage,
                "--no-symmetry has no effect on a matrix in several parts: leave it out");
  if (where.crew != nullptr && where.crew->saves() && where.options.precision == Precision::k16)
    throw Error(Exit::kUsage, "--checkpoint does not work with --precision 16: leave one out");
}

}  // namespace

Solver onRanks(Solver one) {
  one.can.ranks = true;
  const MemoryOf memory = one.memory;
  one.memory = [alone = memory](const Problem& problem, const Execution& where) {
    const bool shared = isShared(where) || streams(problem, where, alone);
    return shared ? sharedMemory(problem, where) : alone(problem, where);
  };
  one.prepare = [alone = one.prepare, memory](const Problem& problem,
                                              const Execution& where) -> std::unique_ptr<Run> {
    if (!isShared(where) && !streams(problem, where, memory)) return alone(problem, where);
    refuseUnshared(where);
    return std::make_unique<SharedRun>(problem, where);
  };
  return one;
}
