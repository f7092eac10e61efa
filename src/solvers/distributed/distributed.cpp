#include "solvers/distributed/distributed.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "solvers/distributed/crew.h"

namespace {

/// Distances that are divided over the ranks. Rows come to rank 0 when they are asked for.
class SharedDistances : public Distances {
 public:
  SharedDistances(Crew& crew, int run, int n, Dtype dtype)
      : Distances(n, dtype), crew_(crew), run_(run) {}

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

/// The run on rank 0.
class SharedRun : public Run {
 public:
  SharedRun(const Problem& problem, const Execution& where)
      : graph_(problem.graph),
        crew_(*where.crew),
        run_(crew_.prepare(graph_.n(), graph_.dtype(), where.device.kind(), where.options)),
        distances_(crew_, run_, graph_.n(), graph_.dtype()) {}
  ~SharedRun() override { crew_.release(run_); }

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
  Crew& crew_;
  int run_;
  SharedDistances distances_;
};

bool isShared(const Execution& where) {
  return where.crew != nullptr && (where.crew->ranks().size() > 1 || where.crew->saves());
}

/// Throws Error(kUsage) for what several ranks cannot do.
void refuseUnshared(const Execution& where) {
  if (where.options.method == Method::kFiltered)
    throw Error(Exit::kUsage, "--method filtered runs on one rank: leave it out, or start one");
  if (!where.options.symmetry)
    throw Error(Exit::kUsage, "--no-symmetry has no effect on several ranks: leave it out");
  if (where.crew->saves() && where.options.precision == Precision::k16)
    throw Error(Exit::kUsage, "--checkpoint does not work with --precision 16: leave one out");
  if (where.renumbers)
    throw Error(Exit::kUsage,
                "several ranks cannot renumber vertices: leave --vary out, or start one");
}

}  // namespace

Solver onRanks(Solver one) {
  one.can.ranks = true;
  one.memory = [alone = one.memory](const Problem& problem, const Execution& where) {
    if (!isShared(where)) return alone(problem, where);
    const int n = problem.graph.n();
    const Grid grid = where.crew->grid();
    if (where.device.kind() == DeviceKind::kGpu) return Memory{bytesOnGpu(n, grid, 0), 0, 0};
    const auto here = static_cast<std::size_t>(where.crew->ranks().onThisHost());
    return Memory{here * bytesOnCpu(n, grid, 0), 0, 0};
  };
  one.prepare = [alone = one.prepare](const Problem& problem,
                                      const Execution& where) -> std::unique_ptr<Run> {
    if (!isShared(where)) return alone(problem, where);
    refuseUnshared(where);
    return std::make_unique<SharedRun>(problem, where);
  };
  return one;
}
