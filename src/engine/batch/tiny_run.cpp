#include "batch/tiny_run.h"

#include <memory>
#include <utility>

#include "base/clock.h"
#include "batch/batch_gpu.h"
#include "solver/distances.h"

namespace engine::batch {

namespace {

/// Whoever asks for tiles, bits or another method wants to see that.
bool isTiny(const Problem& problem, const Execution& where) {
  const Options& options = where.options;
  const bool dense = options.method == Method::kAuto || options.method == Method::kDense;
  const int n = problem.graph.n();
  return where.keepsPlan && !where.renumbers && dense && options.precision == Precision::kAuto &&
         options.tile == 0 && n >= 1 && n <= kTiny;
}

/// All its work is on the default stream.
class TinyRun : public Run {
 public:
  TinyRun(const Problem& problem, const Device& gpu)
      : graph_(problem.graph),
        gpu_(gpu),
        matrix_(gpu, graph_.n(), graph_.dtype(), true),
        distances_(matrix_) {}

  void reset(int) override { graph_.upload(gpu_, matrix_.data()); }

  Call solve() override {
    Call call;
    call.milliseconds = millisecondsOf([this] {
      solveOnGpu(1, matrix_.n(), matrix_.data(), nullptr);
      gpu_.finish();
    });
    call.outcome.tier = tierOf(matrix_.dtype());
    return call;
  }

  const Distances& distances() override { return distances_; }

 private:
  const ProblemGraph& graph_;
  const Device& gpu_;
  const DeviceMatrix matrix_;
  const WholeDistances distances_;
};

}  // namespace

Solver orTiny(Solver one) {
  Solver row = one;
  row.plan = [one = std::move(one)](const Problem& problem, const Execution& where) {
    if (!isTiny(problem, where)) return one.plan(problem, where);
    Plan plan;
    plan.memory.device = plan.memory.best = matrixBytes(problem.graph.n(), problem.graph.dtype());
    plan.method = Method::kDense;
    plan.begin = [&gpu = where.device](const Problem& given) {
      return std::make_unique<TinyRun>(given, gpu);
    };
    return plan;
  };
  return row;
}

}  // namespace engine::batch
