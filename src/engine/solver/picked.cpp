// A solver that finds all distances, as one that finds those that are asked for.
#include <memory>
#include <optional>
#include <utility>

#include "solver/solver.h"

namespace engine {

namespace {

class PickedRun : public Run {
 public:
  PickedRun(std::unique_ptr<Run> all, const Selection& asked)
      : all_(std::move(all)), asked_(asked) {}

  void reset(int first) override {
    picked_.reset();
    all_->reset(first);
  }
  Call solve() override { return all_->solve(); }
  const Distances& distances() override {
    const Distances& found = all_->distances();
    if (found.isTable()) return found;
    return picked_.emplace(found, asked_);
  }

 private:
  const std::unique_ptr<Run> all_;
  const Selection& asked_;
  std::optional<PickedDistances> picked_;
};

}  // namespace

std::unique_ptr<Run> beginAsked(const Plan& plan, const Problem& problem) {
  std::unique_ptr<Run> run = plan.begin(problem);
  if (problem.asked == nullptr) return run;
  return std::make_unique<PickedRun>(std::move(run), *problem.asked);
}

}  // namespace engine
