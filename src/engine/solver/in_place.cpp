// Solvers that work on an n×n matrix in a device's memory, in place, as runs of the seam.
#include <algorithm>
#include <memory>
#include <utility>

#include "solver/solver.h"

namespace engine {

namespace {

class InPlaceRun : public Run {
 public:
  InPlaceRun(InPlace solve, const Problem& problem, const Execution& where)
      : solve_(std::move(solve)),
        graph_(problem.graph),
        where_(where),
        work_(where.device, graph_.n(), graph_.dtype()),
        distances_(work_) {
    if (where.renumbers)
      other_ = std::make_unique<DeviceMatrix>(where.device, graph_.n(), graph_.dtype());
  }

  void reset(int first) override {
    first_ = first;
    graph_.upload(where_.device, work_.data());
    if (other_ != nullptr) where_.device.renumber(work_.n(), other_->data(), work_.data(), first_);
  }

  Call solve() override {
    const DeviceMatrix& matrix = other_ != nullptr ? *other_ : work_;
    solved_ = true;
    return solve_(where_.device, matrix.n(), matrix.data(), where_.options);
  }

  const Distances& distances() override {
    if (other_ != nullptr && std::exchange(solved_, false)) {
      const int n = work_.n(), back = (n - first_) % n;
      where_.device.renumber(n, work_.data(), other_->data(), back);
    }
    return distances_;
  }

 private:
  InPlace solve_;
  const ProblemGraph& graph_;
  Execution where_;
  DeviceMatrix work_;
  std::unique_ptr<DeviceMatrix> other_;  // renumbered: what is solved, if calls are to differ
  WholeDistances distances_;             // of work_
  int first_ = 0;
  bool solved_ = false;  // other_ holds distances that work_ does not hold yet
};

}  // namespace

Solver inPlace(Solver row, InPlace solve, OwnMemory own) {
  row.inPlace = solve;
  row.plan = [own = std::move(own), solve = std::move(solve)](const Problem& problem,
                                                              const Execution& where) {
    const int n = problem.graph.n();
    Plan plan;
    Memory& all = plan.memory;
    if (own) all = own(n, problem.graph.dtype(), where.options);
    const std::size_t matrices = matrixBytes(n, problem.graph.dtype()) * (where.renumbers ? 2 : 1);
    all.best = std::max(all.best, all.device) + matrices;
    all.device += matrices;
    plan.method = where.options.method;
    plan.begin = [solve, where](const Problem& given) {
      return std::make_unique<InPlaceRun>(solve, given, where);
    };
    return plan;
  };
  return row;
}

Solver inPlace(Solver row, Telling solve, OwnMemory own) {
  const InPlace timed = [solve = std::move(solve)](const Device& where, int n, Elements matrix,
                                                   const Options& options) {
    Call call;
    call.milliseconds = where.time([&] { call.outcome = solve(n, matrix, options); });
    return call;
  };
  return inPlace(std::move(row), timed, std::move(own));
}

Solver namedRow(std::string name, DeviceKind device, std::string what, std::string source) {
  Solver row;
  row.name = std::move(name);
  row.device = device;
  row.what = std::move(what);
  row.source = std::move(source);
  return row;
}

Solver inPlace(std::string name, DeviceKind device, std::string what, std::string source,
               void (*solve)(int, int*)) {
  Solver row = namedRow(std::move(name), device, std::move(what), std::move(source));
  const Telling telling = [solve](int n, Elements matrix, const Options&) {
    solve(n, matrix.as<int>());
    return Outcome();
  };
  return inPlace(std::move(row), telling, nullptr);
}

Solver inPlace(std::string name, DeviceKind device, std::string what, std::string source,
               std::vector<Dtype> dtypes, void (*solve)(int, Elements), OwnMemory own) {
  Solver row = namedRow(std::move(name), device, std::move(what), std::move(source));
  row.can.dtypes = std::move(dtypes);
  const Telling telling = [solve](int n, Elements matrix, const Options&) {
    solve(n, matrix);
    Outcome outcome;
    outcome.tier = tierOf(matrix.dtype());
    return outcome;
  };
  return inPlace(std::move(row), telling, std::move(own));
}

}  // namespace engine
