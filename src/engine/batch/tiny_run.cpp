#include "batch/tiny_run.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/size.h"
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

/// Distances in host memory, where most callers want them. A caller who asks for them in the GPU's
/// memory gets a copy, on the default stream. From then on the copy counts, because the caller may
/// write there.
class TinyDistances : public Distances {
 public:
  TinyDistances(const Device& gpu, int n, Dtype dtype)
      : Distances(n, dtype), gpu_(gpu), here_(dtype, asSize(n) * asSize(n)) {}

  Elements here() { return here_.data(); }

  const DeviceMatrix* whole() const override {
    if (there_ == nullptr) {
      auto copy = std::make_unique<const DeviceMatrix>(gpu_, n(), dtype(), true);
      upload(gpu_, copy->data(), here_.data(), copy->size());
      gpu_.finish();  // whatever stream reads it
      there_ = std::move(copy);
    }
    return there_.get();
  }
  std::optional<GraphStats> reach() const override {
    if (there_ != nullptr) return std::nullopt;
    return graphStats(here_.data(), 0, n(), 0, n());
  }
  void rows(int begin, int end, const RowVisitor& visit) const override {
    if (there_ != nullptr) return WholeDistances(*there_).rows(begin, end, visit);
    visit(begin, end - begin, here_.data() + asSize(begin) * asSize(n()));
  }
  void rowsOn(const Device& device, int begin, int end, const RowVisitor& visit) const override {
    if (device.kind() == DeviceKind::kCpu) return rows(begin, end, visit);
    WholeDistances(*whole()).rowsOn(device, begin, end, visit);
  }

 private:
  const Device& gpu_;
  ElementBuffer here_;
  mutable std::unique_ptr<const DeviceMatrix> there_;  // null: nobody has asked
};

class TinyRun : public Run {
 public:
  TinyRun(const Problem& problem, const Device& gpu) : graph_(problem.graph), gpu_(gpu) {}

  void reset(int) override {
    distances_.emplace(gpu_, graph_.n(), graph_.dtype());
    graph_.rows(0, graph_.n(), distances_->here());
  }

  Call solve() override {
    Call call;
    call.milliseconds = millisecondsOf([this] { solveOneOnGpu(graph_.n(), distances_->here()); });
    call.outcome.tier = tierOf(graph_.dtype());
    return call;
  }

  const Distances& distances() override { return *distances_; }

 private:
  const ProblemGraph& graph_;
  const Device& gpu_;
  std::optional<TinyDistances> distances_;
};

}  // namespace

Solver orTiny(Solver one) {
  Solver row = one;
  row.plan = [one = std::move(one)](const Problem& problem, const Execution& where) {
    if (!isTiny(problem, where)) return one.plan(problem, where);
    const std::size_t bytes = matrixBytes(problem.graph.n(), problem.graph.dtype());
    Plan plan;
    plan.memory = {bytes, bytes, bytes};
    plan.method = Method::kDense;
    plan.begin = [&gpu = where.device](const Problem& given) {
      return std::make_unique<TinyRun>(given, gpu);
    };
    return plan;
  };
  return row;
}

}  // namespace engine::batch
