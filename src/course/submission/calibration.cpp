#include "submission/calibration.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "generate/families.h"
#include "generate/source.h"

namespace {

constexpr int kWarmup = 3, kBefore = 15;
constexpr double kSecondsAllowed = 60;
/// How long exchanges are repeated at least. On a busy machine all those within a few milliseconds
/// may be long, because another process computes on the same core.
constexpr double kSecondsRepeated = 0.03;

/// The worker's own time can be trusted here, because the worker is ours. More than 0, which would
/// say that there is no worker.
double costOf(const Exchange& exchange) {
  constexpr double kLeast = 1e-6;  // milliseconds
  return std::max(kLeast, exchange.milliseconds - exchange.own);
}

double leastOf(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace

Exchange Calibration::exchange(int n) {
  try {
    if (worker_ == nullptr)
      worker_ = std::make_unique<WorkerChannel>(device_, WorkerTask{WorkerTask::kSolver, "apsp"},
                                                patience_);
    if (graph_ == nullptr || graph_->n() < n) {
      graph_ = nullptr;  // gives its memory back first
      graph_ = std::make_unique<DeviceMatrix>(device_, n);
      Spec spec;
      spec.n = n;
      generateOn(device_, spec, graph_->data());
    }
    worker_->prepare(n, 1);  // more threads would still spin when the submission runs again
    return worker_->solve(n, graph_->data(), kSecondsAllowed);
  } catch (const WorkerFailure& failure) {
    worker_ = nullptr;
    throw Error(failure.kind == SolveFault::kNoMemory ? ErrorCode::kMemory : ErrorCode::kGpu,
                "the worker that measures the cost of a call: " + failure.text);
  }
}

void Calibration::measure(int n) {
  std::vector<double> costs, copies;
  for (int i = 0; i < kWarmup; ++i) exchange(n);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kBefore || secondsSince(begin) < kSecondsRepeated; ++i) {
    const Exchange solved = exchange(n);
    costs.push_back(costOf(solved));
    copies.push_back(solved.copied);
  }
  floor_[n] = leastOf(copies) / 2;
  before_[n] = leastOf(costs);
  latest_[n].assign(costs.end() - kBefore, costs.end());
}

double Calibration::cost(int n, double milliseconds) {
  std::vector<double>& latest = latest_.at(n);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    latest.erase(latest.begin());
    latest.push_back(costOf(exchange(n)));
    const double cost = std::min(leastOf(latest), before_.at(n));
    if (milliseconds - cost > floor(n) || secondsSince(begin) > kSecondsRepeated) return cost;
    before_.at(n) = cost;  // the least of all that were repeated counts
  }
}

std::shared_ptr<Calibration> calibrationOf(const Device& device) {
  static std::map<DeviceKind, std::weak_ptr<Calibration>> all;
  std::weak_ptr<Calibration>& known = all[device.kind()];
  std::shared_ptr<Calibration> calibration = known.lock();
  if (calibration == nullptr) known = calibration = std::make_shared<Calibration>(device);
  return calibration;
}
