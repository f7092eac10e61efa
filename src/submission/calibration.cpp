#include "submission/calibration.h"

#include <algorithm>

#include "core/error.h"
#include "measure/timing.h"

namespace {

constexpr int kWarmup = 3, kBefore = 15, kLatest = 15;
constexpr double kSecondsAllowed = 60;

}  // namespace

Exchange Calibration::exchangeNothing(int n) {
  try {
    if (nothing_ == nullptr)
      nothing_ = std::make_unique<Channel>(device_, WorkerTask{WorkerTask::kNothing, ""});
    if (graph_ == nullptr || graph_->n() < n) {
      graph_ = nullptr;  // gives its memory back first
      graph_ = std::make_unique<DeviceMatrix>(device_, n);
      Spec spec;
      spec.n = n;
      device_.generate(spec, graph_->data());
    }
    nothing_->prepare(n);
    return nothing_->solve(n, graph_->data(), kSecondsAllowed);
  } catch (const WorkerFailure& failure) {
    nothing_ = nullptr;
    throw Error(failure.kind == SolveFault::kNoMemory ? Exit::kMemory : Exit::kGpu,
                "the worker that measures the cost of a call: " + failure.text);
  }
}

void Calibration::measure(int n) {
  std::vector<double> costs, copies;
  for (int i = 0; i < kWarmup; ++i) exchangeNothing(n);
  for (int i = 0; i < kBefore; ++i) {
    const Exchange nothing = exchangeNothing(n);
    costs.push_back(nothing.milliseconds);
    copies.push_back(nothing.copied);
  }
  floor_[n] = *std::min_element(copies.begin(), copies.end()) / 2;
  before_[n] = summarise(costs).median;
  latest_[n] = std::move(costs);
}

double Calibration::cost(int n) {
  std::vector<double>& latest = latest_.at(n);
  latest.erase(latest.begin());
  latest.push_back(exchangeNothing(n).milliseconds);
  return std::min(summarise(latest).median, before_.at(n));
}

std::shared_ptr<Calibration> calibrationOf(const Device& device) {
  static std::map<DeviceKind, std::weak_ptr<Calibration>> all;
  std::weak_ptr<Calibration>& known = all[device.kind()];
  std::shared_ptr<Calibration> calibration = known.lock();
  if (calibration == nullptr) known = calibration = std::make_shared<Calibration>(device);
  return calibration;
}
